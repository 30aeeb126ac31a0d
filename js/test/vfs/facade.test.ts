// VFSes written in JavaScript: what they are asked, and what becomes of what they answer.

import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import {
  DatabaseSync,
  type FacadeFile,
  type FacadeVFS,
  init,
  registerVFS,
  unregisterVFS,
  VFS,
  VFSError,
  WalIndex,
} from '../../src/index.js';

beforeAll(() => init());

const registered: string[] = [];

function use<V extends FacadeVFS>(vfs: V, options?: { default?: boolean }): V {
  registerVFS(vfs, options);
  registered.push(vfs.name);
  return vfs;
}

afterEach(() => {
  for (const name of registered.splice(0)) unregisterVFS(name);
});

/** A MapVFS of which some methods are others. */
class Changed extends MapVFS {
  constructor(
    readonly vfs: Record<string, unknown>,
    readonly file: Record<string, unknown> = {},
  ) {
    super('changed');
    Object.assign(this, vfs);
  }

  override open(path: string | null, flags: number) {
    return Object.assign(super.open(path, flags), this.file);
  }
}

function errorOf(body: () => unknown): Error & { errcode?: number; code?: string } {
  try {
    body();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

describe('a VFS over a Map', () => {
  test('keeps databases', () => {
    const vfs = use(new MapVFS());
    const db = new DatabaseSync('songs.db', { vfs: 'map' });
    expect(db.store).toBe('map');
    db.exec("CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('Gymnopédie'), ('Gnossienne')");
    db.exec('BEGIN; DELETE FROM song; ROLLBACK');
    db.close();
    expect([...vfs.files.keys()]).toEqual(['songs.db']);
    const again = new DatabaseSync('file:songs.db?vfs=map');
    expect(again.prepare('SELECT title FROM song').all()).toEqual([
      { title: 'Gymnopédie' },
      { title: 'Gnossienne' },
    ]);
    again.close();
  });

  test('locks connections out by itself', () => {
    use(new MapVFS());
    const one = new DatabaseSync('x.db', { vfs: 'map' });
    const other = new DatabaseSync('x.db', { vfs: 'map' });
    one.exec('CREATE TABLE t (a); BEGIN IMMEDIATE');
    expect(errorOf(() => other.exec('BEGIN IMMEDIATE')).errcode).toBe(5);
    one.exec('COMMIT');
    other.exec('BEGIN IMMEDIATE; COMMIT');
    one.close();
    other.close();
  });

  test('can be the default, and be unregistered', () => {
    registerVFS(new MapVFS('mine'), { default: true });
    try {
      const db = new DatabaseSync('x.db');
      expect(db.store).toBe('mine');
      db.close();
    } finally {
      unregisterVFS('mine');
    }
    const db = new DatabaseSync('x.db');
    expect(db.store).toBe('memory');
    db.close();
    expect(() => new DatabaseSync('x.db', { vfs: 'mine' })).toThrow('no such vfs: mine');
    expect(() => unregisterVFS('mine')).toThrow("no VFS named 'mine' was registered");
  });

  test('gets whole names, flags, and the parameters of the URI', () => {
    const opened: unknown[] = [];
    class Listening extends MapVFS {
      override open(path: string | null, flags: number, details?: unknown) {
        opened.push([path, flags, details]);
        return super.open(path, flags);
      }
    }
    use(new Listening('listening'));
    const db = new DatabaseSync('file:a%23b.db?vfs=listening&speed=fast&e=%26', {});
    db.exec('CREATE TABLE t (a)');
    db.close();
    const [main, journal] = opened as [string, number, { database: string; parameters: URLSearchParams }][];
    expect(main?.[0]).toBe('a#b.db');
    expect((main?.[1] as number) & VFS.SQLITE_OPEN_MAIN_DB).toBeTruthy();
    expect(main?.[2].database).toBe('a#b.db');
    expect([...(main?.[2].parameters ?? [])]).toEqual([
      ['vfs', 'listening'],
      ['speed', 'fast'],
      ['e', '&'],
    ]);
    expect(journal?.[0]).toBe('a#b.db-journal');
    expect(journal?.[2].database).toBe('a#b.db');
    expect(journal?.[2].parameters.get('speed')).toBe('fast');
  });

  test('has readers and a writer in WAL mode, with a WAL index', () => {
    class Logged extends MapVFS {
      override open(path: string | null, flags: number) {
        const file = super.open(path, flags);
        return flags & VFS.SQLITE_OPEN_MAIN_DB
          ? Object.assign(file, { walIndex: new WalIndex(`logged/${path}`) })
          : file;
      }
    }
    use(new Logged('logged'));
    const writer = new DatabaseSync('x.db', { vfs: 'logged' });
    expect(writer.prepare('PRAGMA journal_mode = wal').get()).toEqual({ journal_mode: 'wal' });
    writer.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    const reader = new DatabaseSync('x.db', { vfs: 'logged' });
    reader.exec('BEGIN');
    expect(reader.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 1 });
    writer.exec('INSERT INTO t VALUES (2)');
    expect(reader.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 1 });
    expect(errorOf(() => reader.exec('INSERT INTO t VALUES (3)')).errcode).toBe(517);
    reader.exec('COMMIT');
    expect(reader.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 2 });
    reader.close();
    writer.close();
  });
});

describe('what a method throws', () => {
  const thrown = new RangeError('the tape is torn');
  const throwing = () => {
    throw thrown;
  };

  const methods: [method: string, code: number, file: boolean, act: (db: DatabaseSync) => unknown][] = [
    ['read', 266, true, (db) => db.prepare('SELECT * FROM t').all()],
    ['write', 778, true, (db) => db.exec('INSERT INTO t VALUES (2)')],
    ['sync', 1034, true, (db) => db.exec('INSERT INTO t VALUES (2)')],
    ['size', 1802, true, (db) => db.prepare('SELECT * FROM t').all()],
    ['delete', 2570, false, (db) => db.exec('INSERT INTO t VALUES (2)')],
    ['exists', 3338, false, (db) => db.prepare('SELECT * FROM t').all()],
    ['open', 14, false, (db) => db.exec('INSERT INTO t VALUES (2)')],
    ['lock', 3850, true, (db) => db.prepare('SELECT * FROM t').all()],
  ];

  test.each(methods)(
    'by %s fails the call with its own code, and is the cause',
    (method, code, ofFile, act) => {
      const quiet = { lock() {}, unlock() {}, hasReservedLock: () => false };
      const vfs = use(new Changed({}, quiet));
      const db = new DatabaseSync('x.db', { vfs: 'changed' });
      db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
      // Another connection changes the file: this one has to read it anew.
      const other = new DatabaseSync('x.db', { vfs: 'changed' });
      other.exec('INSERT INTO t VALUES (1)');
      other.close();
      const target = ofFile ? openFile(vfs) : vfs;
      Object.assign(target, { [method]: throwing });
      const error = errorOf(() => act(db));
      delete (target as unknown as Record<string, unknown>)[method];
      if (method === 'lock') Object.assign(target, { lock() {} });
      expect(error).toMatchObject({ code: 'ERR_SQLITE_ERROR', errcode: code });
      expect(error.cause).toBe(thrown);
      expect(error.message).toContain(`changed.${method}: the tape is torn`);
      // The connection goes on, and the next error is its own.
      const next = errorOf(() => db.exec('SELECT * FROM absent'));
      expect(next.message).toBe('no such table: absent');
      expect(next).not.toHaveProperty('cause');
      if (method !== 'delete') db.exec('INSERT INTO t VALUES (3)');
      expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      db.close();
    },
  );

  /** The main file that was opened first. */
  function openFile(vfs: Changed): FacadeFile {
    return files.get(vfs) as FacadeFile;
  }
  const files = new WeakMap<FacadeVFS, FacadeFile>();
  const open = Changed.prototype.open;
  Changed.prototype.open = function (this: Changed, path: string | null, flags: number) {
    const file = open.call(this, path, flags);
    if (flags & VFS.SQLITE_OPEN_MAIN_DB && !files.has(this)) files.set(this, file);
    return file;
  };

  test('is a code of SQLite where it is a VFSError', () => {
    use(
      new Changed(
        {},
        {
          write() {
            throw new VFSError('SQLITE_FULL', 'the disk is 3 bytes large');
          },
        },
      ),
    );
    const db = new DatabaseSync('x.db', { vfs: 'changed' });
    const error = errorOf(() => db.exec('CREATE TABLE t (a)'));
    expect(error.errcode).toBe(13);
    expect(error.message).toBe('database or disk is full: changed.write: the disk is 3 bytes large');
    expect(error.cause).toBeInstanceOf(VFSError);
    db.close();
  });

  test.each([[undefined], [null], [3], ['words'], [Symbol('s')], [{ toString: () => throwing() }]])(
    'may be anything: %#',
    (value) => {
      use(
        new Changed(
          {},
          {
            read() {
              throw value;
            },
          },
        ),
      );
      const error = errorOf(() => new DatabaseSync('x.db', { vfs: 'changed' }));
      expect(error.errcode).toBe(266);
      expect(error.cause).toBe(value);
      expect(Object.hasOwn(error, 'cause')).toBe(true);
    },
  );

  test('at open fails the constructor', () => {
    use(new Changed({ open: throwing }));
    const error = errorOf(() => new DatabaseSync('x.db', { vfs: 'changed' }));
    expect(error.errcode).toBe(14);
    expect(error.cause).toBe(thrown);
    expect(error.message).toBe('unable to open database file: changed.open: the tape is torn');
  });

  test('is refused at once where it is no code', () => {
    expect(() => new VFSError('SQLITE_SURPRISE' as 'SQLITE_FULL')).toThrow("'SQLITE_SURPRISE' is no code");
    expect(() => new VFSError('toString' as 'SQLITE_FULL')).toThrow("'toString' is no code");
  });
});

describe('wrong answers', () => {
  const later = () => Promise.resolve(16);
  /** Nobody else is there to see it fail. */
  const never = () =>
    Object.fromEntries([['then', (_: unknown, failed: (error: Error) => void) => failed(new Error('late'))]]);
  const answers: [method: string, answer: unknown, words: string][] = [
    ['read', -1, 'changed.read: answered -1; expected was how many bytes were read, 0 to 100'],
    ['read', 1e9, 'changed.read: answered 1000000000; expected was how many bytes were read'],
    ['read', 1.5, 'changed.read: answered 1.5; expected'],
    ['read', Number.NaN, 'changed.read: answered NaN; expected'],
    ['read', 'all', 'changed.read: answered "all"; expected'],
    ['read', undefined, 'changed.read: answered undefined; expected'],
    ['read', 16n, 'changed.read: answered 16; expected'],
    ['read', later, 'changed.read: answered a promise; a VFS whose methods do has `readonly async = true`'],
    ['write', never, 'changed.write: answered a promise'],
    ['size', -1, 'changed.size: answered -1; expected was a length in bytes'],
    ['size', '12', 'changed.size: answered "12"; expected'],
    ['size', 2 ** 60, 'changed.size: answered 1152921504606847000; expected'],
  ];

  test.each(answers)('of %s: %s', (method, answer, words) => {
    use(new Changed({}, { [method]: () => (answer instanceof Function ? answer() : answer) }));
    let db: DatabaseSync | undefined;
    const error = errorOf(() => {
      db = new DatabaseSync('x.db', { vfs: 'changed' });
      db.exec('CREATE TABLE t (a)');
    });
    expect(error.message).toContain(words);
    expect(error.cause).toBeInstanceOf(TypeError);
    db?.close();
  });

  const files: [answer: unknown, words: string][] = [
    [undefined, 'changed.open: answered undefined; expected was an open file'],
    [Promise.resolve({}), 'changed.open: answered a promise'],
    [{}, 'changed.open: answered a file without read, write, truncate, sync, size, close'],
    [{ ...new MapVFS().open(null, 4), lock() {} }, 'changed.open: answered a file without'],
  ];

  test.each(files)('of open: %s', (answer, words) => {
    use(new Changed({ open: () => answer }));
    const error = errorOf(() => new DatabaseSync('x.db', { vfs: 'changed' }));
    expect(error.message).toContain(words);
  });

  test.each([
    [{ lock() {} }, 'changed.open: answered a file without unlock, hasReservedLock'],
    [{ walIndex: {} }, 'changed.open: answered a file whose walIndex is without map, lock, barrier, unmap'],
    [{ sectorSize: () => 0 }, 'of sectorSize'],
    [{ deviceCharacteristics: () => 'all' }, 'of deviceCharacteristics'],
  ])('a file with %s', (file, words) => {
    use(new Changed({}, file));
    const error = errorOf(() => new DatabaseSync('x.db', { vfs: 'changed' }));
    expect(error.message).toContain(words);
  });

  test.each([
    [undefined, 'The "vfs" argument must be an object.'],
    [{ name: 'x' }, "'x' has no open, delete, exists"],
    [{ name: '', open() {}, delete() {}, exists() {} }, 'must not be empty'],
    [{ name: 3 }, 'must be a string'],
    [{ name: 'a\0b' }, 'null bytes'],
    [Object.assign(new MapVFS('p'), { maxPathname: -1 }), 'vfs.maxPathname'],
    [Object.assign(new MapVFS('a'), { async: true }), "The VFS 'a' is async"],
    [new MapVFS('memory'), "a VFS named 'memory' is registered already"],
  ])('a VFS %#', (vfs, words) => {
    expect(() => registerVFS(vfs as FacadeVFS)).toThrow(words);
  });
});

describe('from inside a method', () => {
  test('SQLite may be used, on another database', () => {
    const log = new DatabaseSync(':memory:');
    log.exec('CREATE TABLE log (offset INTEGER)');
    const add = log.prepare('INSERT INTO log VALUES (?)');
    class Logging extends MapVFS {
      override open(path: string | null, flags: number) {
        const file = super.open(path, flags);
        const read = file.read.bind(file);
        return Object.assign(file, {
          read(buffer: Uint8Array, offset: number) {
            add.run(offset);
            expect(errorOf(() => log.exec('nonsense')).message).toContain('syntax error');
            return read(buffer, offset);
          },
        });
      }
    }
    use(new Logging('logging'));
    const db = new DatabaseSync('x.db', { vfs: 'logging' });
    db.exec('CREATE TABLE t (a TEXT)');
    const insert = db.prepare('INSERT INTO t VALUES (?) RETURNING a');
    expect(insert.get('one')).toEqual({ a: 'one' });
    expect(db.prepare('SELECT a FROM t').all()).toEqual([{ a: 'one' }]);
    expect(log.prepare('SELECT count(*) > 2 AS many FROM log').get()).toEqual({ many: 1 });
    db.close();
    log.close();
  });

  test('memory may grow, in any of them', () => {
    const eaten: DatabaseSync[] = [];
    class Growing extends MapVFS {
      override open(path: string | null, flags: number) {
        const file = super.open(path, flags);
        for (const method of ['read', 'write', 'size', 'sync', 'truncate'] as const) {
          const original = file[method].bind(file) as (...args: unknown[]) => unknown;
          Object.assign(file, {
            [method](...args: unknown[]) {
              // First: what it was handed must be good afterwards only if it did not grow; so grow at the end, too.
              const answer = original(...args);
              const db = new DatabaseSync(':memory:');
              db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(300000))');
              eaten.push(db);
              return answer;
            },
          });
        }
        return file;
      }
    }
    use(new Growing('growing'));
    const db = new DatabaseSync('x.db', { vfs: 'growing' });
    db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (randomblob(50000)); DELETE FROM t; VACUUM');
    db.exec("INSERT INTO t VALUES ('here')");
    expect(db.prepare('SELECT a FROM t').all()).toEqual([{ a: 'here' }]);
    db.close();
    expect(eaten.length).toBeGreaterThan(10);
    for (const db of eaten) db.close();
  });

  test('the connection being served may not be used', () => {
    let db: DatabaseSync | undefined;
    const seen: Error[] = [];
    class Tangled extends MapVFS {
      override open(path: string | null, flags: number) {
        const file = super.open(path, flags);
        const read = file.read.bind(file);
        return Object.assign(file, {
          read(buffer: Uint8Array, offset: number) {
            if (db && seen.length === 0) {
              const used = db;
              db = undefined;
              seen.push(errorOf(() => used.prepare('SELECT * FROM sqlite_schema').all()));
              db = used;
            }
            return read(buffer, offset);
          },
        });
      }
    }
    use(new Tangled('tangled'));
    db = new DatabaseSync('x.db', { vfs: 'tangled' });
    db.exec('CREATE TABLE t (a)');
    expect(seen).toHaveLength(1);
    db.exec('INSERT INTO t VALUES (1)');
    expect(db.prepare('SELECT a FROM t').all()).toEqual([{ a: 1 }]);
    db.close();
  });
});

describe('optional methods', () => {
  test('pragma answers, refuses, or leaves it to SQLite', () => {
    const pragma = (name: string, value: string | null) => {
      if (name === 'answer') return `forty-two${value ?? ''}`;
      if (name === 'quiet') return null;
      if (name === 'journal_mode') throw new Error('this tape has no journal');
      return undefined;
    };
    use(new Changed({}, { pragma }));
    const db = new DatabaseSync('x.db', { vfs: 'changed' });
    expect(db.prepare('PRAGMA answer', { returnArrays: true }).get()).toEqual(['forty-two']);
    expect(db.prepare('PRAGMA answer = 1', { returnArrays: true }).get()).toEqual(['forty-two1']);
    expect(db.prepare('PRAGMA quiet').all()).toEqual([]);
    const error = errorOf(() => db.exec('PRAGMA journal_mode = wal'));
    expect(error.message).toContain('this tape has no journal');
    expect(db.prepare('PRAGMA page_size').get()).toEqual({ page_size: 4096 });
    db.close();
  });

  test('fileControl is told of the ends of transactions, and may answer', () => {
    const asked: [number, number][] = [];
    const fileControl = (op: number, value: number) => {
      asked.push([op, value]);
      return op === VFS.SQLITE_FCNTL_SYNC || undefined;
    };
    use(new Changed({}, { fileControl }));
    const db = new DatabaseSync('x.db', { vfs: 'changed' });
    db.exec('CREATE TABLE t (a)');
    db.close();
    const ops = asked.map(([op]) => op);
    expect(ops).toContain(VFS.SQLITE_FCNTL_SYNC);
    expect(ops).toContain(VFS.SQLITE_FCNTL_COMMIT_PHASETWO);
  });

  test('fullPathname makes one file of several names', () => {
    const vfs = use(new Changed({ fullPathname: (name: string) => `/full/${name}` }));
    const db = new DatabaseSync('x.db', { vfs: 'changed' });
    db.exec('CREATE TABLE t (a)');
    expect(db.location()).toBe('/full/x.db');
    db.close();
    expect([...vfs.files.keys()]).toEqual(['/full/x.db']);
  });

  test('readOnly keeps SQLite from writing', () => {
    use(new Changed({}));
    const db = new DatabaseSync('x.db', { vfs: 'changed' });
    db.exec('CREATE TABLE t (a)');
    db.close();
    unregisterVFS('changed');
    registered.length = 0;
    const vfs = new Changed({}, { readOnly: true });
    use(vfs);
    const source = new MapVFS().open(null, VFS.SQLITE_OPEN_CREATE);
    vfs.files.set('y.db', source.bytes);
    const reader = new DatabaseSync('y.db', { vfs: 'changed' });
    expect(errorOf(() => reader.exec('CREATE TABLE t (a)')).errcode).toBe(8);
    reader.close();
  });

  test('sectorSize and deviceCharacteristics are asked once', () => {
    let asked = 0;
    const deviceCharacteristics = () => {
      asked++;
      return VFS.SQLITE_IOCAP_SAFE_APPEND;
    };
    use(new Changed({}, { deviceCharacteristics, sectorSize: () => 512 }));
    const db = new DatabaseSync('x.db', { vfs: 'changed' });
    db.exec('CREATE TABLE t (a)');
    // The database and its journal.
    expect(asked).toBe(2);
    db.close();
  });
});

test('buffers are real views of the memory', () => {
  const seen: Uint8Array[] = [];
  const real: boolean[] = [];
  class Looking extends MapVFS {
    override open(path: string | null, flags: number) {
      const file = super.open(path, flags);
      const write = file.write.bind(file);
      return Object.assign(file, {
        write(buffer: Uint8Array, offset: number) {
          real.push(Object.getPrototypeOf(buffer) === Uint8Array.prototype);
          const copy = new Uint8Array(buffer.length);
          copy.set(buffer);
          seen.push(copy);
          write(buffer, offset);
        },
      });
    }
  }
  use(new Looking('looking'));
  const db = new DatabaseSync('x.db', { vfs: 'looking' });
  db.exec('CREATE TABLE t (a)');
  db.close();
  expect(real.every(Boolean)).toBe(true);
  expect(seen.some((bytes) => new TextDecoder().decode(bytes).startsWith('SQLite format 3'))).toBe(true);
});
