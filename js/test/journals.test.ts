import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, getVFS, init } from '../src/index.js';

beforeAll(() => init());

let made = 0;
const fresh = () => `journals-${++made}.db`;
const mode = (db: DatabaseSync) => db.prepare('pragma journal_mode').get()?.journal_mode;
const check = (db: DatabaseSync) =>
  expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });

const modes = ['delete', 'truncate', 'persist', 'memory', 'wal', 'off'] as const;

describe.each(modes)('journal_mode=%s', (wanted) => {
  const open = (name = fresh()) => {
    const db = new DatabaseSync(name, { defensive: false });
    expect(db.prepare(`pragma journal_mode=${wanted}`).get()).toEqual({ journal_mode: wanted });
    expect(mode(db)).toBe(wanted);
    return db;
  };

  test('keeps what is committed, for the next connection too', () => {
    const name = fresh();
    const db = open(name);
    db.exec("create table t(a); begin; insert into t values(1), (2); commit; insert into t values('é')");
    db.close();
    const again = new DatabaseSync(name);
    expect(again.prepare('select a from t').all()).toEqual([{ a: 1 }, { a: 2 }, { a: 'é' }]);
    check(again);
    again.close();
  });

  if (wanted !== 'off')
    test('undoes what is rolled back, in the cache and beyond it', () => {
      const db = open();
      db.exec('pragma cache_size=5; create table t(a); insert into t values(1)');
      for (const rows of [2, 2000]) {
        db.exec('begin');
        db.exec(
          `insert into t with recursive c(i) as (select 1 union all select i + 1 from c limit ${rows}) select zeroblob(500) from c`,
        );
        db.exec('update t set a = 5 where a = 1; rollback');
        expect(db.prepare('select a from t').all()).toEqual([{ a: 1 }]);
        check(db);
      }
      db.close();
    });

  if (wanted !== 'off')
    test('undoes a statement that fails', () => {
      const db = open();
      db.exec('create table t(a unique); insert into t values(5)');
      expect(() => db.exec('insert into t values(1), (2), (5)')).toThrowError('UNIQUE');
      expect(db.prepare('select a from t').all()).toEqual([{ a: 5 }]);
      db.close();
    });

  test('leaves nothing behind when it is closed, but the database', () => {
    const name = fresh();
    const db = open(name);
    db.exec('create table t(a); insert into t values(1)');
    db.close();
    const left = getVFS()
      .list()
      .filter((file) => file.name.startsWith(name) && file.size > 0);
    // A persistent journal stays, which is what it is for.
    expect(left.map((file) => file.name.slice(name.length))).toEqual(
      wanted === 'persist' ? ['', '-journal'] : [''],
    );
  });

  test('grows, shrinks and is vacuumed', () => {
    const name = fresh();
    const db = open(name);
    db.exec('create table t(a); insert into t values(zeroblob(3000000))');
    db.exec('delete from t; vacuum');
    check(db);
    db.close();
    expect(
      getVFS()
        .list()
        .find((file) => file.name === name)?.size,
    ).toBeLessThan(20_000);
  });
});

test('journal_mode=off needs defensive: false, as in Node', () => {
  const db = new DatabaseSync(fresh());
  expect(db.prepare('pragma journal_mode=off').get()).toEqual({ journal_mode: 'delete' });
});

test('the mode of a file in WAL mode is found by the next connection', () => {
  const name = fresh();
  const db = new DatabaseSync(name);
  db.exec('pragma journal_mode=wal; create table t(a)');
  const other = new DatabaseSync(name);
  expect(mode(other)).toBe('wal');
  db.close();
  other.close();
  const later = new DatabaseSync(name);
  expect(mode(later)).toBe('wal');
  expect(later.prepare('pragma journal_mode=delete').get()).toEqual({ journal_mode: 'delete' });
  later.close();
});

test('every mode leads to every other', () => {
  const name = fresh();
  const db = new DatabaseSync(name, { defensive: false });
  db.exec('create table t(a)');
  let n = 0;
  for (const from of modes) {
    for (const to of modes) {
      for (const wanted of [from, to]) {
        expect(db.prepare(`pragma journal_mode=${wanted}`).get()).toEqual({ journal_mode: wanted });
        db.exec('insert into t values(1)');
        n++;
      }
    }
  }
  expect(db.prepare('select count(*) n from t').get()).toEqual({ n });
  check(db);
  db.close();
});

test('a write-ahead log is bounded: it is begun again after a checkpoint', () => {
  const name = fresh();
  const db = new DatabaseSync(name);
  db.exec('pragma journal_mode=wal; create table t(a)');
  const insert = db.prepare('insert into t values(zeroblob(10000))');
  for (let i = 0; i < 3000; i++) insert.run();
  // 1000 pages, and what a transaction has.
  expect(
    getVFS()
      .list()
      .find((file) => file.name === `${name}-wal`)?.size,
  ).toBeLessThan(6_000_000);
  db.close();
});
