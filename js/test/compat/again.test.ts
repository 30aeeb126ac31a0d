// Classes that answer BUSY and put what to wait for into `retryOps`: calls are made again, on the build that does not wait.

import * as WaVFS from '@journeyapps/wa-sqlite/src/VFS.js';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { AsyncDatabase, fromWaSqlite, waSqliteModule } from '../../src/compat/wa-sqlite.js';
import { DatabaseSync, init, registerVFS, unregisterVFS } from '../../src/index.js';
import { MemoryVFS } from './theirs.js';

beforeAll(() => init());

/** A lock is there when its promise has settled, and is gone with the transaction. */
class LateVFS extends MemoryVFS {
  readonly #module = waSqliteModule();
  #ready = new Set<string>();
  /** By file. */
  readonly #held = new Set<number>();
  /** Another has it. */
  taken = false;
  /** What a wait ends with. */
  fails: Error | undefined;
  asked = 0;
  wantsHints = false;
  #hinted = false;

  constructor() {
    const module = waSqliteModule();
    super('late', module);
    this.#module = module;
  }

  #later(done: () => void): number {
    this.asked++;
    const settle = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.fails) throw this.fails;
      done();
    };
    this.#module.retryOps.push(settle());
    return WaVFS.SQLITE_BUSY;
  }

  override jOpen(name: string | null, fileId: number, flags: number, pOutFlags: DataView): number {
    if (flags & WaVFS.SQLITE_OPEN_MAIN_DB && !this.#ready.has(name as string)) {
      return this.#later(() => this.#ready.add(name as string));
    }
    return super.jOpen(name, fileId, flags, pOutFlags);
  }

  override jLock(fileId: number, level: number): number {
    if (this.taken) return WaVFS.SQLITE_BUSY;
    if (level === WaVFS.SQLITE_LOCK_SHARED) {
      if (!this.#held.has(fileId)) return this.#later(() => this.#held.add(fileId));
    } else if (this.wantsHints && !this.#hinted) return WaVFS.SQLITE_IOERR_LOCK;
    return WaVFS.SQLITE_OK;
  }

  jUnlock(fileId: number, level: number): void {
    if (level !== WaVFS.SQLITE_LOCK_NONE) return;
    this.#hinted = false;
    this.#held.delete(fileId);
  }

  override jFileControl(_: number, op: number, pArg: DataView): number {
    if (op === WaVFS.SQLITE_FCNTL_PRAGMA) {
      const name = this.#module.UTF8ToString(pArg.getUint32(4, true));
      if (name === 'experimental_pragma_20251114') {
        if (this.#module.UTF8ToString(pArg.getUint32(8, true)) !== '1') return WaVFS.SQLITE_IOERR;
        this.#hinted = true;
      }
      if (name === 'checkpoint_later') {
        this.#module.pendingOps.push(
          new Promise((resolve, reject) =>
            setImmediate(() => (this.fails ? reject(this.fails) : resolve(this.pended++))),
          ),
        );
        return WaVFS.SQLITE_OK;
      }
    }
    return WaVFS.SQLITE_NOTFOUND;
  }

  pended = 0;
}

let vfs: LateVFS;
const opened: AsyncDatabase[] = [];

beforeEach(() => {
  vfs = new LateVFS();
  registerVFS(fromWaSqlite(vfs));
});

afterEach(async () => {
  vfs.fails = undefined;
  vfs.taken = false;
  for (const db of opened.splice(0)) await db[Symbol.asyncDispose]();
  unregisterVFS('late');
});

function open(path = 'x.db'): AsyncDatabase {
  const db = new AsyncDatabase(path, { vfs: 'late' });
  opened.push(db);
  return db;
}

test('each statement of a text waits for its lock, and none runs twice', async () => {
  const db = open();
  await db.exec(
    "CREATE TABLE t (a); -- one\n; INSERT INTO t VALUES ('ä;'); SELECT 1; INSERT INTO t VALUES (2) -- end",
  );
  await db.exec('');
  expect(vfs.asked).toBeGreaterThan(3);
  const all = await db.prepare('SELECT a FROM t');
  expect(await all.all()).toEqual([{ a: 'ä;' }, { a: 2 }]);
  await expect(db.exec('INSERT INTO t VALUES (3); nonsense; INSERT INTO t VALUES (4)')).rejects.toThrow(
    'syntax error',
  );
  expect(await (await db.prepare('SELECT count(*) AS n FROM t')).get()).toEqual({ n: 3 });
});

test('so do statements, whatever is asked of them', async () => {
  const db = await AsyncDatabase.open('x.db', { vfs: 'late' });
  opened.push(db);
  await db.exec('CREATE TABLE t (a)');
  const insert = await db.prepare('INSERT INTO t VALUES (?)');
  expect(await insert.run(1)).toEqual({ changes: 1, lastInsertRowid: 1 });
  expect(await insert.run(2)).toEqual({ changes: 1, lastInsertRowid: 2 });
  const select = await db.prepare('SELECT a FROM t ORDER BY a');
  expect(await select.get()).toEqual({ a: 1 });
  expect(await select.all()).toEqual([{ a: 1 }, { a: 2 }]);
  const rows = [];
  for await (const row of select.iterate()) rows.push(row);
  expect(rows).toEqual([{ a: 1 }, { a: 2 }]);
  expect((await db.serialize()).length).toBe(8192);
});

test('calls of several connections do not get into each other', async () => {
  const names = ['a.db', 'b.db', 'c.db'];
  const results = await Promise.all(
    names.map(async (name, i) => {
      const db = open(name);
      await db.exec('CREATE TABLE t (a)');
      const insert = await db.prepare('INSERT INTO t SELECT value FROM json_each(?)');
      const answers = [];
      for (let n = 1; n <= 5; n++) {
        answers.push(await insert.run(JSON.stringify(Array.from({ length: n * (i + 1) }, () => name))));
      }
      return [
        answers.map(({ changes }) => changes),
        await (await db.prepare('SELECT DISTINCT a FROM t')).all(),
      ];
    }),
  );
  expect(results).toEqual(names.map((name, i) => [[1, 2, 3, 4, 5].map((n) => n * (i + 1)), [{ a: name }]]));
});

test('BUSY with nothing to wait for is told at once', async () => {
  const db = open();
  await db.exec('CREATE TABLE t (a)');
  vfs.taken = true;
  const { asked } = vfs;
  await expect(db.exec('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ errcode: 5 });
  expect(vfs.asked).toBe(asked);
});

test('when what is waited for fails, that is why the call does', async () => {
  const db = open();
  await db.exec('CREATE TABLE t (a)');
  vfs.fails = new Error('no handle');
  await expect(db.exec('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ errcode: 5, cause: vfs.fails });
  vfs.fails = undefined;
  await db.exec('INSERT INTO t VALUES (1)');
  await expect((await db.prepare('SELECT * FROM t')).all()).resolves.toEqual([{ a: 1 }]);
});

test('a class that is never done is given up', async () => {
  const db = open();
  await db.exec('CREATE TABLE t (a)');
  const { jLock } = vfs;
  vfs.jLock = (fileId, level) => {
    if (level === WaVFS.SQLITE_LOCK_SHARED) vfs.jUnlock(fileId, WaVFS.SQLITE_LOCK_NONE);
    return jLock.call(vfs, fileId, level);
  };
  await expect(db.exec('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ errcode: 5 });
  vfs.jLock = jLock;
});

test('what a call leaves to be done is part of it', async () => {
  const db = open();
  await db.exec('PRAGMA checkpoint_later');
  expect(vfs.pended).toBe(1);
  vfs.fails = new Error('the disk is gone');
  await expect(db.exec('PRAGMA checkpoint_later')).rejects.toThrow('the disk is gone');
});

test('a class that wants to know who writes is told when the call is made again', async () => {
  vfs.wantsHints = true;
  const db = open();
  await db.exec(
    'CREATE TABLE t (a); INSERT INTO t VALUES (1); BEGIN IMMEDIATE; INSERT INTO t VALUES (2); COMMIT',
  );
  await db.exec('BEGIN; SELECT * FROM t');
  // It has a lock by now, which was not one to write.
  await expect(db.exec('INSERT INTO t VALUES (3)')).rejects.toThrow('BEGIN IMMEDIATE');
  await db.exec('ROLLBACK');
  await expect((await db.prepare('SELECT a FROM t')).all()).resolves.toEqual([{ a: 1 }, { a: 2 }]);
});

test('DatabaseSync is told that it is busy', () => {
  expect(() => new DatabaseSync('x.db', { vfs: 'late' })).toThrow('database is locked');
});
