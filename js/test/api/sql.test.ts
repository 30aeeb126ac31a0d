import { beforeEach, describe, expect, test } from 'vitest';
import { sqlError, thrown } from './errors.js';
import { type Database, DatabaseSync } from './subject.js';

let db: Database;

beforeEach(() => {
  db = new DatabaseSync(':memory:');
});

const numbers = (sql: string) => db.prepare(sql, { returnArrays: true }).all().flat();

describe('a transaction', () => {
  beforeEach(() => db.exec('create table t(a unique); insert into t values(1)'));

  test('is kept by commit and undone by rollback', () => {
    db.exec('begin; insert into t values(2); rollback');
    expect(numbers('select a from t')).toEqual([1]);
    db.exec('begin; insert into t values(2); commit');
    expect(numbers('select a from t')).toEqual([1, 2]);
  });

  test('goes on after the error of a statement, which alone is undone', () => {
    db.exec('begin; insert into t values(2)');
    expect(thrown(() => db.exec('insert into t values(3), (4), (1)'))).toMatchObject({ errcode: 2067 });
    expect(db.isTransaction).toBe(true);
    db.exec('commit');
    expect(numbers('select a from t')).toEqual([1, 2]);
  });

  test('has savepoints', () => {
    db.exec('begin; savepoint s; insert into t values(2); savepoint r; insert into t values(3)');
    db.exec('rollback to r; release s; commit');
    expect(numbers('select a from t')).toEqual([1, 2]);
  });

  test('is not begun twice', () => {
    db.exec('begin');
    expect(thrown(() => db.exec('begin'))).toEqual(
      sqlError('cannot start a transaction within a transaction'),
    );
    db.exec('rollback');
  });

  test('is not committed while a statement that writes has rows left', () => {
    db.exec('begin');
    const rows = db
      .prepare('insert into t select value from json_each(?) returning a')
      .iterate(JSON.stringify(Array.from({ length: 500 }, (_, i) => i + 10)));
    rows.next();
    expect(thrown(() => db.exec('commit'))).toMatchObject({ errcode: 5 });
    rows.return?.();
    db.exec('commit');
    expect(numbers('select count(*) from t')).toEqual([501]);
  });

  test('that is rolled back with a change of the schema ends what is being read', () => {
    db.exec(
      'insert into t with recursive c(i) as (select 10 union all select i + 1 from c limit 1000) select i from c',
    );
    db.exec('begin; create table u(a)');
    const rows = db.prepare('select a from t').iterate();
    rows.next();
    db.exec('rollback');
    expect(thrown(() => [...rows])).toEqual(sqlError('abort due to ROLLBACK', 516, 'abort due to ROLLBACK'));
    expect(numbers("select count(*) from sqlite_schema where name = 'u'")).toEqual([0]);
  });
});

describe('a schema that changes under a prepared statement', () => {
  beforeEach(() => db.exec('create table s(a, b); insert into s values(1, 2), (3, 4)'));

  test('shows in its next rows: a column more, one less, another name', () => {
    const all = db.prepare('select * from s');
    expect([all.get(), all.all()[1]]).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    db.exec('alter table s add column c default 3');
    expect([all.get(), all.all()[1], [...all.iterate()][1]]).toEqual([
      { a: 1, b: 2, c: 3 },
      { a: 3, b: 4, c: 3 },
      { a: 3, b: 4, c: 3 },
    ]);
    db.exec('alter table s drop column a');
    expect(all.all()).toEqual([
      { b: 2, c: 3 },
      { b: 4, c: 3 },
    ]);
    db.exec('alter table s rename column b to d');
    expect(all.get()).toEqual({ d: 2, c: 3 });
    expect(all.columns().map(({ name }) => name)).toEqual(['d', 'c']);
  });

  test('shows in a table made anew', () => {
    const get = db.prepare('select * from s');
    expect(get.get()).toEqual({ a: 1, b: 2 });
    db.exec('drop table s; create table s(x, y, z); insert into s values(5, 6, 7)');
    expect(get.get()).toEqual({ x: 5, y: 6, z: 7 });
  });

  test('shows in rows as arrays', () => {
    const all = db.prepare('select * from s', { returnArrays: true });
    expect(all.all()).toEqual([
      [1, 2],
      [3, 4],
    ]);
    db.exec('alter table s add column c default 3');
    expect(all.all()).toEqual([
      [1, 2, 3],
      [3, 4, 3],
    ]);
  });

  test('is an error if its table is gone, until there is one again', () => {
    const get = db.prepare('select * from s');
    expect(get.get()).toEqual({ a: 1, b: 2 });
    db.exec('drop table s');
    expect(thrown(() => get.get())).toEqual(sqlError('no such table: s'));
    expect(thrown(() => get.all())).toEqual(sqlError('no such table: s'));
    db.exec('create table s(q); insert into s values(9)');
    expect(get.get()).toEqual({ q: 9 });
  });

  test('keeps bound parameters', () => {
    const get = db.prepare('select ?1 p, * from s where a = ?2');
    expect(get.get('x', 1)).toEqual({ p: 'x', a: 1, b: 2 });
    db.exec('alter table s add column c');
    expect(get.get('y', 3)).toEqual({ p: 'y', a: 3, b: 4, c: null });
  });
});

describe('what SQLite was built with', () => {
  test('full text search, R-Tree, Geopoly, JSON and mathematics', () => {
    db.exec('create virtual table f using fts5(body)');
    db.prepare('insert into f values(?)').run('the quick brown fox');
    expect(numbers("select count(*) from f where f match 'quick AND fox'")).toEqual([1]);
    db.exec('create virtual table r using rtree(id, x0, x1); insert into r values(1, 0, 5)');
    expect(numbers('select id from r where x0 < 3 and x1 > 3')).toEqual([1]);
    db.exec('create virtual table g using geopoly(name)');
    expect(numbers("select geopoly_area('[[0,0],[2,0],[2,2],[0,2],[0,0]]')")).toEqual([4]);
    expect(numbers(`select '{"a":[1,2]}' ->> '$.a[1]', json_array(1)`)).toEqual([2, '[1]']);
    expect(numbers('select sqrt(16), log2(8), mod(7, 4), pi()')).toEqual([4, 3, 3, Math.PI]);
  });

  test('window functions, recursion, upsert, generated columns and percentiles', () => {
    db.exec('create table t(a primary key, b as (a * 2) stored); insert into t(a) values(1), (2), (3), (4)');
    expect(numbers('select sum(b) over (order by a) from t')).toEqual([2, 6, 12, 20]);
    db.exec('insert into t(a) values(1) on conflict(a) do update set a = 10');
    expect(numbers('select a, b from t where a = 10')).toEqual([10, 20]);
    expect(numbers('select percentile(a, 50), median(a) from t')).toEqual([3.5, 3.5]);
  });

  test('pages of 4096 bytes, UTF-8 and full synchronization', () => {
    expect(numbers('pragma page_size')).toEqual([4096]);
    expect(numbers('pragma encoding')).toEqual(['UTF-8']);
    expect(numbers('pragma synchronous')).toEqual([2]);
    expect(numbers('pragma recursive_triggers')).toEqual([0]);
  });

  test('in UTF-16 databases text is the same', () => {
    for (const encoding of ['UTF-16le', 'UTF-16be']) {
      const db = new DatabaseSync(':memory:');
      db.exec(`pragma encoding='${encoding}'; create table t(a)`);
      const insert = db.prepare('insert into t values(?)');
      const texts = ['', 'a', 'é', '表', '😀', 'a\0b', '\ufeffx', 'x'.repeat(70_000), '表'.repeat(70_000)];
      for (const text of texts) insert.run(text);
      expect(
        db
          .prepare('select a from t')
          .all()
          .map(({ a }) => a),
      ).toEqual(texts);
    }
  });
});
