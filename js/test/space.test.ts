import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, getVFS, init } from '../src/index.js';
import { engine } from '../src/init.js';
import { wasmWithMemory } from './limited.js';

const MOST = 64 * 1024 * 1024;

beforeAll(async () => init({ wasm: await wasmWithMemory(MOST) }));

let made = 0;
const fresh = () => `space-${++made}.db`;

/** What SQLite says when there is no room: no memory, or no space in a store. */
const noRoom = expect.objectContaining({
  code: 'ERR_SQLITE_ERROR',
  errcode: expect.toSatisfy((code: number) => code === 7 || code === 13),
});

const usable = (db: DatabaseSync) => {
  expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  db.exec('create table if not exists probe(a); insert into probe values(1); delete from probe');
};

test('memory ends where the test says', () => {
  const db = new DatabaseSync(':memory:');
  expect(() => db.prepare('select zeroblob(70000000) z').get()).toThrowError(noRoom);
  expect(engine().memory.u8.length).toBeLessThanOrEqual(MOST);
  usable(db);
  db.close();
});

/** Writes so many megabytes, without a cache of as many. */
function fill(db: DatabaseSync, megabytes: number): void {
  db.exec('pragma cache_size=-500; create table t(a)');
  const insert = db.prepare('insert into t values(zeroblob(1000000))');
  for (let i = 0; i < megabytes; i++) insert.run();
}

describe('when there is no room', () => {
  test('for a row, the statement fails, and the rows before it come', () => {
    const db = new DatabaseSync(':memory:');
    const rows = db
      .prepare("select 1 n, 'é' t union all select 2, 'x' union all select 3, hex(zeroblob(30000000))")
      .iterate();
    const seen: unknown[] = [];
    const read = () => {
      for (const { n } of rows) seen.push(n);
    };
    expect(read).toThrowError(noRoom);
    expect(seen).toEqual([1, 2]);
    expect(() => db.prepare('select hex(zeroblob(30000000)) t').all()).toThrowError(noRoom);
    expect(db.prepare('select 1 n').get()).toEqual({ n: 1 });
    usable(db);
    db.close();
  });

  test('for a parameter, the call fails, and the statement goes on', () => {
    const db = new DatabaseSync(':memory:');
    const length = db.prepare('select length(?) n');
    for (const value of [new Uint8Array(70_000_000), 'x'.repeat(70_000_000), 'é'.repeat(35_000_000)]) {
      expect(() => length.get(value)).toThrowError(noRoom);
      expect(length.get('abc')).toEqual({ n: 3 });
    }
    usable(db);
    db.close();
  });

  test('for SQL, the call fails, and the database goes on', () => {
    const db = new DatabaseSync(':memory:');
    const sql = `select '${'x'.repeat(70_000_000)}'`;
    expect(() => db.exec(sql)).toThrowError(noRoom);
    expect(() => db.prepare(sql)).toThrowError(noRoom);
    usable(db);
    db.close();
  });

  test.each(['delete', 'truncate', 'persist', 'memory', 'wal'])(
    'for a file, the transaction can be undone, and what was there is: journal_mode=%s',
    (mode) => {
      const name = fresh();
      const db = new DatabaseSync(name);
      db.exec(`pragma journal_mode=${mode}; create table t(a, b); insert into t values(1, zeroblob(100000))`);
      const insert = db.prepare('insert into t values(2, zeroblob(1000000))');
      db.exec('begin');
      const write = () => {
        for (let i = 0; i < 100; i++) insert.run();
      };
      expect(write).toThrowError(noRoom);
      if (db.isTransaction) db.exec('rollback');
      expect(db.prepare('select a, length(b) n from t').all()).toEqual([{ a: 1, n: 100_000 }]);
      usable(db);
      db.close();
      const again = new DatabaseSync(name);
      expect(again.prepare('select count(*) n from t').get()).toEqual({ n: 1 });
      usable(again);
      again.close();
      getVFS().delete(name);
      getVFS().delete(`${name}-journal`);
    },
  );

  test('for a file, one statement after another, each that was told done is there', () => {
    const name = fresh();
    const db = new DatabaseSync(name);
    db.exec('create table t(a integer primary key, b)');
    const insert = db.prepare('insert into t values(?, randomblob(300000))');
    let done = 0;
    const write = () => {
      for (; ; done++) insert.run(done);
    };
    expect(write).toThrowError(noRoom);
    expect(done).toBeGreaterThan(10);
    expect(db.prepare('select count(*) n, sum(length(b)) s from t').get()).toEqual({
      n: done,
      s: done * 300_000,
    });
    usable(db);
    db.exec('delete from t; vacuum');
    done = 0;
    expect(write).toThrowError(noRoom);
    expect(done).toBeGreaterThan(10);
    db.close();
    expect(getVFS().delete(name)).toBe(true);
  });

  test('for an export, it fails, and the file is there', () => {
    const name = fresh();
    const db = new DatabaseSync(name);
    fill(db, 36);
    db.close();
    expect(() => getVFS().export(name)).toThrowError(noRoom);
    const again = new DatabaseSync(name);
    expect(again.prepare('select sum(length(a)) n from t').get()).toEqual({ n: 36_000_000 });
    usable(again);
    again.close();
    getVFS().delete(name);
  });

  test('for an import, it fails, and what was there stays', async () => {
    const name = fresh();
    const db = new DatabaseSync(name);
    db.exec('create table t(a); insert into t values(1)');
    db.close();
    const large = getVFS().export(name);
    const huge = new Uint8Array(70_000_000 - (70_000_000 % 4096));
    huge.set(large);
    const before = getVFS().list();
    expect(() => getVFS().import(name, huge)).toThrowError(noRoom);
    await expect(getVFS().importStream(name, [huge.subarray(0, 4096 * 2000), huge])).rejects.toEqual(noRoom);
    expect(getVFS().list()).toEqual(before);
    const again = new DatabaseSync(name);
    expect(again.prepare('select a from t').all()).toEqual([{ a: 1 }]);
    again.close();
  });

  test('for a copy in serialize or deserialize, they fail', () => {
    const db = new DatabaseSync(':memory:');
    expect(() => db.deserialize(new Uint8Array(70_000_000))).toThrowError(noRoom);
    expect(db.prepare('select 1 n').get()).toEqual({ n: 1 });
    fill(db, 36);
    expect(() => db.serialize()).toThrowError(noRoom);
    usable(db);
    db.close();
  });
});

test.each<[string, (db: DatabaseSync) => unknown]>([
  ['SQL', (db) => db.exec(`/* ${'x'.repeat(40_000_000)} */`)],
  ['SQL that is no ASCII', (db) => db.exec(`/* ${'é'.repeat(20_000_000)} */`)],
  ['bytes', (db) => db.prepare('select length(?) n').get(new Uint8Array(40_000_000))],
  [
    'a text, of which SQLite makes a copy',
    (db) => db.prepare('select length(?) n').get('x'.repeat(28_000_000)),
  ],
  ['a text for all', (db) => db.prepare('select length(?) n').all('x'.repeat(14_000_000))],
  ['a file put in', (db) => thrownAway(db)],
])('what a large call took is there for the next: %s', (_, call) => {
  const db = new DatabaseSync(fresh());
  call(db);
  fill(db, 36);
  expect(db.prepare('select sum(length(a)) n from t').get()).toEqual({ n: 36_000_000 });
  const name = db.location() as string;
  db.close();
  getVFS().delete(name);
});

/** A file of 20 MB, which is twice in memory on its way in. */
function thrownAway(db: DatabaseSync): void {
  const bytes = new Uint8Array(20_000_000 - (20_000_000 % 4096));
  db.exec('create table header(a)');
  bytes.set(db.serialize().subarray(0, 100));
  getVFS().import('thrown-away.db', bytes);
  getVFS().delete('thrown-away.db');
}

test('after all this, memory is as large as it may be, and as free as it was', () => {
  expect(engine().memory.u8.length).toBeLessThanOrEqual(MOST);
  const db = new DatabaseSync(fresh());
  fill(db, 30);
  expect(db.prepare('select sum(length(a)) n from t').get()).toEqual({ n: 30_000_000 });
  usable(db);
  db.close();
});
