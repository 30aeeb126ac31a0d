// Classes written for wa-sqlite, unchanged, on DatabaseSync. In browsers: www/test/compat.e2e.ts.

import * as WaVFS from '@journeyapps/wa-sqlite/src/VFS.js';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fromWaSqlite, type WaSqliteVFS, waSqliteModule } from '../../src/compat/wa-sqlite.js';
import { DatabaseSync, init, registerVFS, unregisterVFS, VFS } from '../../src/index.js';
import { cases, type Subject } from '../../src/testing.js';
import { RawVFS } from './raw-vfs.js';
import { MemoryAsyncVFS, MemoryVFS, memoryFaults } from './theirs.js';

beforeAll(() => init());

const registered: string[] = [];
afterEach(() => {
  for (const name of registered.splice(0)) unregisterVFS(name);
});

/** Registers a VFS until the test is over, and opens a database on it. */
function open(vfs: WaSqliteVFS, path = 'x.db'): DatabaseSync {
  registerVFS(fromWaSqlite(vfs));
  registered.push(vfs.name);
  return new DatabaseSync(path, { vfs: vfs.name });
}

const memory = () => MemoryVFS.create('theirs', waSqliteModule());

describe.each<[name: string, subject: Subject, faults: string[]]>([
  [
    'a class of the facade, MemoryVFS',
    { name: 'MemoryVFS', create: async () => fromWaSqlite(await memory()) },
    memoryFaults,
  ],
  ['a raw class', { name: 'raw', create: () => fromWaSqlite(new RawVFS('raw', waSqliteModule())) }, []],
])('%s', (_, subject, faults) => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const outcome = await one.run(subject).then(
      ({ outcome }) => outcome,
      () => 'failed',
    );
    if (faults.includes(one.name)) expect(outcome).toBe('failed');
    else expect(outcome).not.toBe('failed');
  });
});

describe('a raw class', () => {
  test('is given the parameters of a URI as SQLite gives them, and names as they are', () => {
    const vfs = new RawVFS('raw', waSqliteModule());
    open(vfs, 'file:a%3Fb%26c.db?vfs=raw&key=with%20space').close();
    expect(vfs.opened).toEqual([['a?b&c.db', 'vfs', 'raw', 'key', 'with space']]);
  });

  test('answers a pragma, and refuses one with its words', () => {
    const db = open(new RawVFS('raw', waSqliteModule()));
    expect(db.prepare("PRAGMA echo='ä'").all()).toEqual([{ 'echo ä': 'echo ä' }]);
    expect(() => db.exec('PRAGMA refused=1')).toThrow('refused 1');
    db.close();
  });

  test('finds its memory larger when there is more in it, and what it kept of the old one empty', () => {
    const module = waSqliteModule();
    const kept = module.HEAPU8;
    const db = open(new RawVFS('raw', module));
    const small = module._sqlite3_malloc(4);
    module.HEAPU8.set([1, 2, 3, 4], small);
    const large = module._sqlite3_malloc(1_000_000);
    expect(kept.length).toBe(0);
    expect([...module.HEAPU8.subarray(small, small + 5)]).toEqual([1, 2, 3, 4, 0]);
    module._sqlite3_free(large);
    db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    db.close();
  });

  test('gives back the memory it was lent, whatever comes of a call', () => {
    const module = waSqliteModule();
    const vfs = new RawVFS('raw', module);
    const use = () => {
      const db = new DatabaseSync('x.db', { vfs: 'raw' });
      db.exec('CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (zeroblob(50000))');
      expect(() => db.exec('PRAGMA refused')).toThrow();
      db.close();
      expect(() => new DatabaseSync('file:missing.db?mode=rw', { vfs: 'raw' }).close()).toThrow();
      vfs.files.clear();
    };
    open(vfs).close();
    use();
    // What is free is taken before memory that never was.
    const size = () => {
      const pointer = module._sqlite3_malloc(2 ** 21);
      module._sqlite3_free(pointer);
      return pointer;
    };
    const before = size();
    for (let i = 0; i < 50; i++) use();
    expect(size()).toBe(before);
  });
});

describe('a class of the facade', () => {
  class Watching extends MemoryVFS {
    seen: unknown[] = [];
    lastError: Error | null = null;

    override jOpen(name: string | null, fileId: number, flags: number, pOutFlags: DataView): number {
      this.seen.push(name);
      return super.jOpen(name, fileId, flags, pOutFlags);
    }

    override jWrite(fileId: number, pData: Uint8Array, iOffset: number): number {
      if (!(pData instanceof Uint8Array)) throw new TypeError('a look-alike');
      if (pData.length > 65536) return this.fails(new RangeError('too much'));
      return super.jWrite(fileId, pData, iOffset);
    }

    fails(error: Error): number {
      this.lastError = error;
      return WaVFS.SQLITE_FULL;
    }

    override jFileControl(_: number, op: number, pArg: DataView): number {
      if (op === WaVFS.SQLITE_FCNTL_PRAGMA) return WaVFS.SQLITE_NOTFOUND;
      if (op === VFS.SQLITE_FCNTL_SIZE_HINT) this.seen.push(pArg.getBigInt64(0, true));
      return WaVFS.SQLITE_OK;
    }
  }

  const watching = () => new Watching('watching', waSqliteModule());

  test('is given names with their parameters, and real bytes', () => {
    const vfs = watching();
    const db = open(vfs, 'file:x.db?vfs=watching&a=b');
    db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    expect(vfs.seen.filter((seen) => typeof seen === 'string').slice(0, 2)).toEqual([
      'x.db?vfs=watching&a=b',
      'x.db-journal',
    ]);
    db.close();
  });

  test('what it keeps as lastError is the cause and has the words, while it is of this call', () => {
    const vfs = watching();
    const db = open(vfs);
    vfs.lastError = new Error('of long ago');
    const refuse = vfs.jWrite;
    vfs.jWrite = (fileId, pData, iOffset) =>
      vfs.seen.includes('now')
        ? vfs.fails(new RangeError('the place is full'))
        : refuse.call(vfs, fileId, pData, iOffset);
    db.exec('CREATE TABLE t (a)');
    vfs.seen.push('now');
    const thrown = (() => {
      try {
        db.exec('INSERT INTO t VALUES (1)');
      } catch (error) {
        return error as Error & { errcode: number; cause: Error };
      }
      throw new Error('nothing was thrown');
    })();
    expect(thrown.message).toContain('the place is full');
    expect(thrown.errcode).toBe(13);
    expect(thrown.cause.cause).toBe(vfs.lastError);
    vfs.jWrite = () => WaVFS.SQLITE_FULL;
    // None of this call.
    expect(() => db.exec('INSERT INTO t VALUES (1)')).toThrow(/^(?!.*the place is full)/);
    db.close();
  });

  test('that locks nothing, as the base class does, has its connections kept apart', () => {
    const first = open(new MemoryVFS('theirs', waSqliteModule()));
    const second = new DatabaseSync('x.db', { vfs: 'theirs' });
    first.exec('CREATE TABLE t (a); BEGIN IMMEDIATE');
    expect(() => second.exec('BEGIN IMMEDIATE')).toThrow('database is locked');
    first.exec('COMMIT');
    second.close();
    first.close();
  });
});

describe('what is no such VFS is told', () => {
  const module = waSqliteModule();
  test.each<[what: string, vfs: unknown, message: string]>([
    ['nothing', undefined, 'The "vfs" argument must be a VFS written for wa-sqlite, an object.'],
    ['a promise of one', memory(), 'The "vfs" argument is a promise of a VFS: await it first.'],
    ['without a name', {}, 'The "vfs.name" argument must be a text that is not empty.'],
    [
      'one of ours',
      fromWaSqlite(new MemoryVFS('theirs', module)),
      'The "vfs" argument is a VFS of sqlite-vfs-kit: register it as it is.',
    ],
    [
      'without methods',
      { name: 'x', _module: module, jOpen() {} },
      `The "vfs" argument must be a VFS written for wa-sqlite: 'x' has no jClose, jRead, jWrite, jTruncate, jSync, jFileSize, jDelete, jAccess.`,
    ],
    [
      'without a module',
      new MemoryVFS('theirs', undefined as never),
      "The VFS 'theirs' was made with no module: make it with one of waSqliteModule(). " +
        'If it keeps that elsewhere than in `_module`, say so: fromWaSqlite(vfs, { module }).',
    ],
    [
      "with a build's module",
      new MemoryVFS('theirs', { HEAPU8: new Uint8Array() } as never),
      "The VFS 'theirs' was made with the module of another build: make it with one of waSqliteModule(). " +
        'If it keeps that elsewhere than in `_module`, say so: fromWaSqlite(vfs, { module }).',
    ],
  ])('%s', (_, vfs, message) => {
    expect(() => fromWaSqlite(vfs as WaSqliteVFS)).toThrow(message);
  });

  test('one whose methods are async, in the build that does not wait', () => {
    const vfs = fromWaSqlite(new MemoryAsyncVFS('async', module));
    expect(() => registerVFS(vfs)).toThrow('use sqlite-vfs-kit/jspi');
    // What `create` of that class answers is a MemoryVFS.
    expect(fromWaSqlite(new MemoryVFS('sync', module)).async).toBe(false);
    expect(fromWaSqlite(new MemoryVFS('told', module), { async: true }).async).toBe(true);
  });
});
