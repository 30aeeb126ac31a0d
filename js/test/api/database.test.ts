import { describe, expect, test } from 'vitest';
import { argType, notOpen, sqlError, state, thrown } from './errors.js';
import { DatabaseSync, wrong } from './subject.js';

describe('open and close', () => {
  test('isOpen says which', () => {
    const db = new DatabaseSync(':memory:');
    expect(db.isOpen).toBe(true);
    expect(db.close()).toBe(undefined);
    expect(db.isOpen).toBe(false);
    expect(db.open()).toBe(undefined);
    expect(db.isOpen).toBe(true);
  });

  test('a closed database refuses everything', () => {
    const db = new DatabaseSync(':memory:');
    db.close();
    const calls = [
      () => db.close(),
      () => db.exec('select 1'),
      () => db.prepare('select 1'),
      () => db.location(),
      () => db.serialize(),
      () => db.enableDefensive(true),
      () => db.isTransaction,
    ];
    for (const call of calls) expect(thrown(call)).toEqual(notOpen);
  });

  test('that it is closed is said before a wrong argument is', () => {
    const db = new DatabaseSync(':memory:');
    db.close();
    for (const call of [() => db.exec(wrong(5)), () => db.prepare(wrong(5)), () => db.location(wrong(5))]) {
      expect(thrown(call)).toEqual(notOpen);
    }
  });

  test('a database in memory is empty when it is opened again', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a)');
    db.close();
    db.open();
    expect(db.prepare('select count(*) n from sqlite_schema').get()).toEqual({ n: 0 });
  });

  test('closing in a transaction rolls it back and works', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('begin; create table t(a); insert into t values(1)');
    db.close();
    expect(db.isOpen).toBe(false);
  });

  test('closing in the middle of rows works', () => {
    const db = new DatabaseSync(':memory:');
    const rows = db.prepare('select value from json_each(?)').iterate(JSON.stringify(Array(1000).fill(1)));
    rows.next();
    db.close();
    expect(db.isOpen).toBe(false);
  });

  test('Symbol.dispose closes, once or twice', () => {
    const db = new DatabaseSync(':memory:');
    db[Symbol.dispose]();
    expect(db.isOpen).toBe(false);
    db[Symbol.dispose]();
    expect(db.isOpen).toBe(false);
  });

  test('it can be derived from', () => {
    class Mine extends DatabaseSync {
      one() {
        return this.prepare('select 1 a').get();
      }
    }
    expect(new Mine(':memory:').one()).toEqual({ a: 1 });
  });
});

describe('exec', () => {
  test('takes text alone', () => {
    const db = new DatabaseSync(':memory:');
    for (const sql of [undefined, null, 5, {}, 1n, Symbol('x')]) {
      expect(thrown(() => db.exec(wrong(sql)))).toEqual(argType('The "sql" argument must be a string.'));
    }
  });

  test('answers nothing, whatever the statements answer', () => {
    const db = new DatabaseSync(':memory:');
    expect(db.exec('create table t(a); insert into t values(1); select * from t')).toBe(undefined);
  });

  test('text without a statement does nothing', () => {
    const db = new DatabaseSync(':memory:');
    for (const sql of ['', ' ', '\n\t', ';', ';;;', '-- comment', '/* comment */', '-- a\n;/* b */;']) {
      expect(db.exec(sql)).toBe(undefined);
    }
  });

  test('runs statement after statement up to the one that fails', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a unique)');
    expect(
      thrown(() => db.exec('insert into t values(1); insert into t values(1); insert into t values(2)')),
    ).toMatchObject({ message: 'UNIQUE constraint failed: t.a' });
    expect(db.prepare('select a from t').all()).toEqual([{ a: 1 }]);
    expect(thrown(() => db.exec('insert into t values(3); selec'))).toEqual(
      sqlError('near "selec": syntax error'),
    );
    expect(db.prepare('select a from t').all()).toEqual([{ a: 1 }, { a: 3 }]);
  });

  test('text ends at NUL', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a);\0 garbage');
    expect(db.prepare('select name from sqlite_schema').all()).toEqual([{ name: 't' }]);
  });

  test('text in every script goes through', () => {
    const db = new DatabaseSync(':memory:');
    db.exec(`create table "täble 表 🗂"(a); insert into "täble 表 🗂" values('ÿ€😀')`);
    expect(db.prepare('select * from "täble 表 🗂"').get()).toEqual({ a: 'ÿ€😀' });
  });
});

describe('prepare', () => {
  test('takes text alone', () => {
    const db = new DatabaseSync(':memory:');
    for (const sql of [undefined, null, 5, {}, 1n, Symbol('x')]) {
      expect(thrown(() => db.prepare(wrong(sql)))).toEqual(argType('The "sql" argument must be a string.'));
    }
  });

  test('refuses text without a statement', () => {
    const db = new DatabaseSync(':memory:');
    for (const sql of ['', ' ', ';', '-- comment', '/* comment */', '\0select 1']) {
      expect(thrown(() => db.prepare(sql))).toEqual({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_VALUE',
        message: 'The SQL query contains no statements.',
      });
    }
  });

  test('takes the first statement and leaves the rest unread', () => {
    const db = new DatabaseSync(':memory:');
    expect(db.prepare('select 1 a; select 2 b').all()).toEqual([{ a: 1 }]);
    expect(db.prepare('select 1 a; garbage').all()).toEqual([{ a: 1 }]);
    expect(db.prepare('select 1 a;\0 garbage').all()).toEqual([{ a: 1 }]);
  });

  test('takes a byte order mark for white space', () => {
    expect(new DatabaseSync(':memory:').prepare('\ufeffselect 1 a').get()).toEqual({ a: 1 });
  });

  test('options must be an object, or undefined', () => {
    const db = new DatabaseSync(':memory:');
    for (const options of [null, 5, 'x', true]) {
      expect(thrown(() => db.prepare('select 1', wrong(options)))).toEqual(
        argType('The "options" argument must be an object.'),
      );
    }
    for (const options of [undefined, {}, [], new Date(), () => 1]) {
      expect(db.prepare('select 1 a', wrong(options)).get()).toEqual({ a: 1 });
    }
  });

  test.each(['readBigInts', 'returnArrays', 'allowBareNamedParameters', 'allowUnknownNamedParameters'])(
    'its %s must be a boolean, or undefined',
    (name) => {
      const db = new DatabaseSync(':memory:');
      for (const value of [0, 1, '', null, {}]) {
        expect(thrown(() => db.prepare('select 1', wrong({ [name]: value })))).toEqual(
          argType(`The "options.${name}" argument must be a boolean.`),
        );
      }
      for (const value of [true, false, undefined]) {
        expect(db.prepare('select 1 a', wrong({ [name]: value })).all()).toHaveLength(1);
      }
    },
  );
});

describe('location', () => {
  test('is null for a database without a file, and for none', () => {
    const db = new DatabaseSync(':memory:');
    for (const name of ['main', 'MAIN', 'temp', 'nonsense', '']) expect(db.location(name)).toBe(null);
    expect(db.location()).toBe(null);
  });

  test('takes a name alone', () => {
    const db = new DatabaseSync(':memory:');
    for (const name of [null, 5, {}]) {
      expect(thrown(() => db.location(wrong(name)))).toEqual(
        argType('The "dbName" argument must be a string.'),
      );
    }
  });
});

describe('isTransaction', () => {
  test('is true from begin to commit or rollback, and in a savepoint', () => {
    const db = new DatabaseSync(':memory:');
    expect(db.isTransaction).toBe(false);
    for (const [begin, end] of [
      ['begin', 'commit'],
      ['begin immediate', 'rollback'],
      ['savepoint s', 'release s'],
    ] as const) {
      db.exec(begin);
      expect(db.isTransaction).toBe(true);
      db.exec(end);
      expect(db.isTransaction).toBe(false);
    }
  });

  test('is false after a rollback that an error made', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a primary key); insert into t values(1); begin');
    expect(thrown(() => db.exec('insert or rollback into t values(1)'))).toMatchObject({ errcode: 1555 });
    expect(db.isTransaction).toBe(false);
  });

  test('is read-only', () => {
    const db = new DatabaseSync(':memory:');
    for (const name of ['isOpen', 'isTransaction']) {
      expect(thrown(() => Object.assign(db, { [name]: 5 }))).toMatchObject({ name: 'TypeError' });
    }
  });
});

describe('enableDefensive', () => {
  test('takes a boolean alone', () => {
    const db = new DatabaseSync(':memory:');
    for (const active of [undefined, null, 0, 1, 'x', {}]) {
      expect(thrown(() => db.enableDefensive(wrong(active)))).toEqual(
        argType('The "active" argument must be a boolean.'),
      );
    }
  });

  test('turns the protection off and on', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a)');
    const damage = () =>
      db.exec("pragma writable_schema=on; update sqlite_schema set sql='create table t(a,b)'");
    expect(thrown(damage)).toEqual(sqlError('table sqlite_master may not be modified'));
    expect(db.enableDefensive(false)).toBe(undefined);
    damage();
    db.enableDefensive(true);
    expect(thrown(damage)).toEqual(sqlError('table sqlite_master may not be modified'));
  });
});

describe('serialize', () => {
  const text = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes.subarray(0, 15));

  test('answers the database as the bytes of a file', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a); insert into t values(1)');
    const bytes = db.serialize();
    expect(bytes.constructor).toBe(Uint8Array);
    expect(bytes.length).toBe(8192);
    expect(bytes.buffer.byteLength).toBe(8192);
    expect(text(bytes)).toBe('SQLite format 3');
  });

  test('answers a copy', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a)');
    const before = db.serialize();
    const kept = before.slice();
    db.exec('insert into t values(zeroblob(100000)); drop table t; vacuum');
    expect(before).toEqual(kept);
  });

  test('of an attached database, by its name', () => {
    const db = new DatabaseSync(':memory:');
    db.exec("attach ':memory:' as x; create table x.t(a); create table x.u(a)");
    expect(db.serialize('x').length).toBe(3 * 4096);
    expect(thrown(() => db.serialize('nonsense')).name).toBe('Error');
  });

  test('takes a name alone', () => {
    const db = new DatabaseSync(':memory:');
    for (const name of [null, 5, {}]) {
      expect(thrown(() => db.serialize(wrong(name)))).toEqual(
        argType('The "dbName" argument must be a string.'),
      );
    }
  });
});

test('a statement of a database that was closed and opened again stays closed', () => {
  const db = new DatabaseSync(':memory:');
  const statement = db.prepare('select 1');
  db.close();
  db.open();
  expect(thrown(() => statement.get())).toEqual(state('statement has been finalized'));
});
