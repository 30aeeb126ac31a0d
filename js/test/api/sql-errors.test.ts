import { beforeEach, describe, expect, test } from 'vitest';
import { constraint, sqlError, thrown } from './errors.js';
import { type Database, DatabaseSync } from './subject.js';

let db: Database;

beforeEach(() => {
  db = new DatabaseSync(':memory:');
  db.exec(`create table k(a integer primary key, b text unique, c not null default 1, d check(d > 0),
      e int references k(a));
    create table typed(a int, b text) strict;
    create table keyed(a primary key) without rowid;
    insert into k(a, b) values(1, 'x')`);
});

/** The same by exec and by a prepared statement. */
const ways = [
  ['exec', (sql: string) => db.exec(sql)],
  ['run', (sql: string) => db.prepare(sql).run()],
  ['all', (sql: string) => db.prepare(sql).all()],
  ['get', (sql: string) => db.prepare(sql).get()],
  ['iterate', (sql: string) => db.prepare(sql).iterate().next()],
] as const;

describe.each(ways)('a constraint, by %s:', (_, run) => {
  test.each([
    ['primary key', 'insert into k(a) values(1)', 'UNIQUE constraint failed: k.a', 1555],
    ['unique', "insert into k(b) values('x')", 'UNIQUE constraint failed: k.b', 2067],
    ['not null', 'insert into k(c) values(null)', 'NOT NULL constraint failed: k.c', 1299],
    ['check', 'insert into k(d) values(-1)', 'CHECK constraint failed: d > 0', 275],
    ['foreign key', 'insert into k(e) values(99)', 'FOREIGN KEY constraint failed', 787],
    ['type', "insert into typed values('x', 1)", 'cannot store TEXT value in INT column typed.a', 3091],
    ['key without rowid', 'insert into keyed values(1), (1)', 'UNIQUE constraint failed: keyed.a', 1555],
    ['null key without rowid', 'insert into keyed values(null)', 'NOT NULL constraint failed: keyed.a', 1299],
  ])('%s', (_, sql, message, errcode) => {
    expect(thrown(() => run(sql))).toEqual(constraint(message, errcode));
    expect(db.prepare('select (select count(*) from k) + (select count(*) from keyed) n').get()).toEqual({
      n: 1,
    });
  });

  test('of a trigger, in its own words', () => {
    db.exec("create trigger r before insert on k begin select raise(abort, 'my words'); end");
    expect(thrown(() => run('insert into k(a) values(7)'))).toEqual(constraint('my words', 1811));
  });
});

describe.each(ways)('other errors, by %s:', (_, run) => {
  test.each([
    ['selec', 'near "selec": syntax error'],
    ['select 1 +', 'incomplete input'],
    ['select nope', 'no such column: nope'],
    ['select * from nope', 'no such table: nope'],
    ['select nope(1)', 'no such function: nope'],
    ['select substr()', 'wrong number of arguments to function substr()'],
    ['select "x"', 'no such column: "x" - should this be a string literal in single-quotes?'],
    ["select json('{')", 'malformed JSON'],
    ['select abs(-9223372036854775807 - 1)', 'integer overflow'],
    ['select sum(9223372036854775807) from (values(1), (1))', 'integer overflow'],
    ["select like('a', 'b', 'cc')", 'ESCAPE expression must be a single character'],
    ["select 'a' match 'b'", 'unable to use function MATCH in the requested context'],
    ['commit', 'cannot commit - no transaction is active'],
    ['rollback', 'cannot rollback - no transaction is active'],
    ['release nope', 'no such savepoint: nope'],
    ['detach nope', 'no such database: nope'],
    ["attach ':memory:' as main", 'database main is already in use'],
    ['create table k(a)', 'table k already exists'],
    ['drop table sqlite_schema', 'table sqlite_master may not be dropped'],
    ['insert into sqlite_schema values(1, 2, 3, 4, 5)', 'table sqlite_master may not be modified'],
    ['alter table k add column z not null', 'Cannot add a NOT NULL column with default value NULL'],
    ['select é', 'no such column: é'],
  ])('%s', (sql, message) => {
    expect(thrown(() => run(sql))).toEqual(sqlError(message));
  });

  test('of other kinds', () => {
    const mismatch = sqlError('datatype mismatch', 20, 'datatype mismatch');
    expect(thrown(() => run("insert into k(a) values('abc')"))).toEqual(mismatch);
    expect(thrown(() => run("select * from k limit 'x'"))).toEqual(mismatch);
    const tooBig = sqlError('string or blob too big', 18, 'string or blob too big');
    expect(thrown(() => run('select zeroblob(2000000000)'))).toEqual(tooBig);
    expect(thrown(() => run("select printf('%*d', 2000000000, 1)"))).toEqual(tooBig);
  });
});

test('an error is an Error with a stack, whose code, errcode and errstr are enumerable', () => {
  try {
    db.exec('selec');
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    expect(Object.keys(error as Error)).toEqual(['code', 'errcode', 'errstr']);
    expect(String(error)).toBe('Error: near "selec": syntax error');
    expect((error as Error).stack).toContain('sql-errors.test');
  }
});

test('an error of an argument has only a code', () => {
  try {
    db.exec(5 as never);
    expect.unreachable();
  } catch (error) {
    expect(Object.keys(error as Error)).toEqual(['code']);
    expect(String(error)).toBe('TypeError: The "sql" argument must be a string.');
  }
});

test('an error is that of its own call, never one of before', () => {
  expect(thrown(() => db.exec('selec'))).toMatchObject({ message: 'near "selec": syntax error' });
  expect(thrown(() => db.prepare('select ?').get(1, 2))).toMatchObject({ errcode: 25 });
  expect(thrown(() => db.exec('insert into k(a) values(1)'))).toMatchObject({ errcode: 1555 });
  expect(thrown(() => db.exec('rollback'))).toMatchObject({
    message: 'cannot rollback - no transaction is active',
  });
});

test('a database of which nothing is there cannot be opened for reading', () => {
  const missing = () => new DatabaseSync('/a/folder/that/is/not/there/x.db', { readOnly: true });
  expect(thrown(missing)).toMatchObject({
    name: 'Error',
    code: 'ERR_SQLITE_ERROR',
    message: expect.stringMatching(/^unable to open database file/),
    errcode: 14,
    errstr: 'unable to open database file',
  });
});
