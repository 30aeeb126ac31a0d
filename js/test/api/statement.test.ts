import { beforeEach, describe, expect, test } from 'vitest';
import { argType, finalized, state, thrown } from './errors.js';
import { type Database, DatabaseSync, type Statement, StatementSync, wrong } from './subject.js';

let db: Database;

beforeEach(() => {
  db = new DatabaseSync(':memory:');
  db.exec("create table t(a integer primary key, b); insert into t values(1, 'x'), (2, 'y')");
});

describe('get', () => {
  test('answers the first row', () => {
    expect(db.prepare('select * from t').get()).toEqual({ a: 1, b: 'x' });
  });

  test('answers undefined where there is none', () => {
    expect(db.prepare('select 1 where 0').get()).toBe(undefined);
    expect(db.prepare('select 1 where 0', { returnArrays: true }).get()).toBe(undefined);
    expect(db.prepare('insert into t(b) values(1)').get()).toBe(undefined);
    expect(db.prepare('begin').get()).toBe(undefined);
  });

  test('lets go of the table afterwards', () => {
    expect(db.prepare('select * from t').get()).toBeDefined();
    db.exec('drop table t');
  });
});

describe('all', () => {
  test('answers all rows in order', () => {
    expect(db.prepare('select * from t order by a desc').all()).toEqual([
      { a: 2, b: 'y' },
      { a: 1, b: 'x' },
    ]);
  });

  test('answers no rows as an array', () => {
    expect(db.prepare('select 1 where 0').all()).toEqual([]);
    expect(db.prepare('insert into t(b) values(1)').all()).toEqual([]);
  });

  test('answers anew each time', () => {
    const all = db.prepare('select * from t');
    const first = all.all();
    db.exec('delete from t where a = 1');
    expect(all.all()).toEqual([{ a: 2, b: 'y' }]);
    expect(first).toHaveLength(2);
  });
});

describe('run', () => {
  test('answers the changes and the last rowid, as an ordinary object', () => {
    const answer = db.prepare('insert into t(b) values(1), (2)').run();
    expect(answer).toEqual({ changes: 2, lastInsertRowid: 4 });
    expect(Object.getPrototypeOf(answer)).toBe(Object.prototype);
    expect(Object.keys(answer)).toEqual(['changes', 'lastInsertRowid']);
  });

  test('counts updates and deletions', () => {
    expect(db.prepare('update t set b = 5').run().changes).toBe(2);
    expect(db.prepare('update t set b = 5 where a = 99').run().changes).toBe(0);
    expect(db.prepare('delete from t').run().changes).toBe(2);
  });

  test('keeps the last answer for a statement that changes nothing', () => {
    db.exec('insert into t values(7, 7)');
    expect(db.prepare('select * from t').run()).toEqual({ changes: 1, lastInsertRowid: 7 });
    expect(db.prepare('begin').run()).toEqual({ changes: 1, lastInsertRowid: 7 });
    expect(db.prepare('commit').run()).toEqual({ changes: 1, lastInsertRowid: 7 });
  });

  test('leaves out what triggers change', () => {
    db.exec(
      'create table log(x); create trigger r after insert on t begin insert into log values(1), (2); end',
    );
    expect(db.prepare('insert into t(b) values(1)').run()).toEqual({ changes: 1, lastInsertRowid: 3 });
    expect(db.prepare('select count(*) n from log').get()).toEqual({ n: 2 });
  });

  test('runs a statement to its end and passes over its rows', () => {
    expect(db.prepare('insert into t(b) values(1), (2) returning a').run()).toEqual({
      changes: 2,
      lastInsertRowid: 4,
    });
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 4 });
  });

  test('answers BigInts where they are asked for', () => {
    const insert = db.prepare('insert into t values(?, 1)');
    insert.setReadBigInts(true);
    expect(insert.run(9223372036854775807n)).toEqual({ changes: 1n, lastInsertRowid: 9223372036854775807n });
    expect(insert.run(-9223372036854775808n)).toEqual({
      changes: 1n,
      lastInsertRowid: -9223372036854775808n,
    });
  });
});

describe('returning', () => {
  test('answers rows to get, all and iterate, and all rows are changed', () => {
    expect(db.prepare('insert into t(b) values(1), (2) returning a').get()).toEqual({ a: 3 });
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 4 });
    expect(db.prepare('update t set b = a * 2 returning a, b').all()).toHaveLength(4);
    const deleted = [...db.prepare('delete from t returning a').iterate()];
    expect(deleted.map(({ a }) => a)).toEqual([1, 2, 3, 4]);
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 0 });
  });

  test('changes nothing before the first row is asked for', () => {
    const rows = db.prepare("insert into t(b) values('z') returning a").iterate();
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 2 });
    expect(rows.next().value).toEqual({ a: 3 });
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 3 });
    expect(rows.next().done).toBe(true);
  });
});

describe('columns', () => {
  test('says where each column comes from', () => {
    expect(db.prepare('select a, b as x, a + 1, rowid, count(*) over () as n from t').columns()).toEqual([
      { column: 'a', database: 'main', name: 'a', table: 't', type: 'INTEGER' },
      { column: 'b', database: 'main', name: 'x', table: 't', type: null },
      { column: null, database: null, name: 'a + 1', table: null, type: null },
      { column: 'a', database: 'main', name: 'a', table: 't', type: 'INTEGER' },
      { column: null, database: null, name: 'n', table: null, type: null },
    ]);
  });

  test('sees through views, to other databases and to the temporary one', () => {
    db.exec(
      "create view v as select a as va from t; create temp table u(x varchar(10)); attach ':memory:' as o",
    );
    db.exec('create table o.w(y int)');
    const origin = (sql: string) =>
      db
        .prepare(sql)
        .columns()
        .map((c) => [c.database, c.table, c.column, c.type]);
    expect(origin('select * from v')).toEqual([['main', 't', 'a', 'INTEGER']]);
    expect(origin('select * from u')).toEqual([['temp', 'u', 'x', 'varchar(10)']]);
    expect(origin('select * from w')).toEqual([['o', 'w', 'y', 'INT']]);
    expect(origin('select (select b from t) from u')).toEqual([['main', 't', 'b', null]]);
  });

  test('has objects without a prototype, with their keys in order', () => {
    const [column] = db.prepare('select 1').columns();
    expect(Object.getPrototypeOf(column)).toBe(null);
    expect(Object.keys(column ?? {})).toEqual(['column', 'database', 'name', 'table', 'type']);
  });

  test('is empty for a statement without rows', () => {
    expect(db.prepare('insert into t(b) values(1)').columns()).toEqual([]);
    expect(db.prepare('create table u(a)').columns()).toEqual([]);
    expect(db.prepare('insert into t(b) values(1) returning a').columns()).toHaveLength(1);
  });

  test('keeps names that are the same, or in any script', () => {
    const names = db
      .prepare('select 1 a, 2 a, 3 as "é😀", 4 as ""')
      .columns()
      .map(({ name }) => name);
    expect(names).toEqual(['a', 'a', 'é😀', '']);
  });
});

describe('sourceSQL', () => {
  test('is the statement, from the beginning of the text to its semicolon', () => {
    const sources = ['  select 1 ; select 2', 'select 1 -- x', '/*a*/select 1;-- x', "select 'é😀'"];
    expect(sources.map((sql) => db.prepare(sql).sourceSQL)).toEqual([
      '  select 1 ;',
      'select 1 -- x',
      '/*a*/select 1;',
      "select 'é😀'",
    ]);
  });

  test('keeps parameters', () => {
    const statement = db.prepare('select ?, $a');
    statement.get({ a: 1 }, 2);
    expect(statement.sourceSQL).toBe('select ?, $a');
  });
});

describe('expandedSQL', () => {
  test('has values in the place of parameters', () => {
    const statement = db.prepare('select ?, ?, ?, ?, ?, $x');
    expect(statement.expandedSQL).toBe('select NULL, NULL, NULL, NULL, NULL, NULL');
    statement.get({ x: 1 }, 1.5, "é'x", null, new Uint8Array([1, 255]), 7n);
    expect(statement.expandedSQL).toBe("select 1.5, 'é''x', NULL, x'01ff', 7, 1.0");
    statement.get({ x: true });
    expect(statement.expandedSQL).toBe('select NULL, NULL, NULL, NULL, NULL, 1');
  });
});

describe('its switches', () => {
  const switches = [
    ['setReadBigInts', 'readBigInts'],
    ['setReturnArrays', 'returnArrays'],
    ['setAllowBareNamedParameters', 'allowBareNamedParameters'],
    ['setAllowUnknownNamedParameters', 'enabled'],
  ] as const;

  test.each(switches)('%s takes a boolean alone, and answers nothing', (method, argument) => {
    const statement = db.prepare('select 1');
    for (const value of [undefined, null, 0, 1, 'x', {}]) {
      expect(thrown(() => statement[method](wrong(value)))).toEqual(
        argType(`The "${argument}" argument must be a boolean.`),
      );
    }
    expect(statement[method](true)).toBe(undefined);
    expect(statement[method](false)).toBe(undefined);
  });

  test('setReadBigInts makes all integers BigInts, and floats stay', () => {
    const statement = db.prepare("select 1 a, 2.5 b, null c, 'x' d, 9223372036854775807 e");
    statement.setReadBigInts(true);
    expect(statement.get()).toEqual({ a: 1n, b: 2.5, c: null, d: 'x', e: 9223372036854775807n });
    expect(statement.all()).toEqual([{ a: 1n, b: 2.5, c: null, d: 'x', e: 9223372036854775807n }]);
  });

  test('setReturnArrays makes rows arrays, and back', () => {
    const statement = db.prepare('select * from t');
    statement.setReturnArrays(true);
    expect(statement.get()).toEqual([1, 'x']);
    expect([...statement.iterate()]).toEqual(statement.all());
    expect(Array.isArray(statement.all()[0])).toBe(true);
    statement.setReturnArrays(false);
    expect(statement.get()).toEqual({ a: 1, b: 'x' });
  });

  test('are each its own: those of another statement stay', () => {
    const one = db.prepare('select 1 a');
    const other = db.prepare('select 1 a');
    one.setReturnArrays(true);
    expect([one.get(), other.get()]).toEqual([[1], { a: 1 }]);
  });
});

describe('closed', () => {
  const uses = (statement: Statement) => [
    () => statement.run(),
    () => statement.get(),
    () => statement.all(),
    () => statement.iterate(),
    () => statement.columns(),
    () => statement.sourceSQL,
    () => statement.expandedSQL,
    () => statement.setReadBigInts(true),
    () => statement.setReturnArrays(true),
    () => statement.setAllowBareNamedParameters(true),
    () => statement.setAllowUnknownNamedParameters(true),
    () => statement.close(),
  ];

  test('by close, it refuses every use', () => {
    const statement = db.prepare('select 1');
    expect(statement.close()).toBe(undefined);
    for (const use of uses(statement)) expect(thrown(use)).toEqual(finalized);
  });

  test('by its database, it refuses every use', () => {
    const statement = db.prepare('select 1');
    db.close();
    for (const use of uses(statement)) expect(thrown(use)).toEqual(finalized);
  });

  test('by Symbol.dispose, once or twice, it refuses every use', () => {
    const statement = db.prepare('select 1');
    statement[Symbol.dispose]();
    statement[Symbol.dispose]();
    for (const use of uses(statement)) expect(thrown(use)).toEqual(finalized);
  });

  test('can be disposed of, before and after its database is closed', () => {
    const [before, after] = [db.prepare('select 1'), db.prepare('select 1')];
    before.close();
    db.close();
    before[Symbol.dispose]();
    after[Symbol.dispose]();
  });

  test('says so before it says that an argument is wrong', () => {
    const statement = db.prepare('select 1');
    statement.close();
    expect(thrown(() => statement.setReadBigInts(wrong(5)))).toEqual(finalized);
    expect(thrown(() => statement.get(wrong(Symbol('x'))))).toEqual(finalized);
  });

  test('in the middle of its rows, it lets go of the table', () => {
    const statement = db.prepare(
      'with recursive c(i) as (select 1 union all select i + 1 from c, t) select i from c',
    );
    statement.iterate().next();
    statement.close();
    db.exec('drop table t');
  });
});

test('nobody but prepare makes statements', () => {
  const illegal = { name: 'Error', code: 'ERR_ILLEGAL_CONSTRUCTOR', message: 'Illegal constructor' };
  expect(thrown(() => new (StatementSync as unknown as new () => unknown)())).toEqual(illegal);
  expect(db.prepare('select 1')).toBeInstanceOf(StatementSync);
});

test('a closed database is not in use: a new one of the same name is another', () => {
  db.close();
  expect(thrown(() => db.prepare('select 1'))).toEqual(state('database is not open'));
  expect(new DatabaseSync(':memory:').prepare('select count(*) n from sqlite_schema').get()).toEqual({
    n: 0,
  });
});
