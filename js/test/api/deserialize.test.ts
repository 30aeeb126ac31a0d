import { describe, expect, test } from 'vitest';
import { argType, argValue, finalized, notOpen, sqlError, thrown } from './errors.js';
import { DatabaseSync, wrong } from './subject.js';

const source = new DatabaseSync(':memory:');
source.exec('create table t(a); insert into t values(1), (2)');
const bytes = source.serialize();

const rows = { n: 2 };
const count = 'select count(*) n from t';

describe('deserialize', () => {
  test('puts the bytes in the place of the database', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table old(a)');
    expect(db.deserialize(bytes)).toBe(undefined);
    expect(db.prepare('select name from sqlite_schema').all()).toEqual([{ name: 't' }]);
    expect(db.prepare('select a from t').all()).toEqual([{ a: 1 }, { a: 2 }]);
    expect(db.serialize()).toEqual(bytes);
  });

  test('makes a database that can be written, and grows', () => {
    const db = new DatabaseSync(':memory:');
    db.deserialize(bytes);
    db.exec('insert into t values(zeroblob(1000000)); create table u(a)');
    expect(db.prepare(count).get()).toEqual({ n: 3 });
    expect(db.serialize().length).toBeGreaterThan(1_000_000);
    expect(db.location()).toBe(null);
  });

  test('takes a copy', () => {
    const db = new DatabaseSync(':memory:');
    const mine = bytes.slice();
    db.deserialize(mine);
    mine.fill(0);
    expect(db.prepare(count).get()).toEqual(rows);
  });

  test('of an attached database leaves the others', () => {
    const db = new DatabaseSync(':memory:');
    db.exec("attach ':memory:' as x");
    db.deserialize(bytes, { dbName: 'x' });
    expect(db.prepare('select count(*) n from x.t').get()).toEqual(rows);
    expect(db.prepare('select count(*) n from main.sqlite_schema').get()).toEqual({ n: 0 });
  });

  test('closes all statements', () => {
    const db = new DatabaseSync(':memory:');
    const statement = db.prepare('select 1');
    const iterator = statement.iterate();
    db.deserialize(bytes);
    const uses = [() => statement.get(), () => iterator.next(), () => statement.close()];
    for (const use of uses) expect(thrown(use)).toEqual(finalized);
    expect(db.prepare(count).get()).toEqual(rows);
  });

  test('is refused while something is written, and what is there stays', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table old(a); begin; insert into old values(1)');
    expect(thrown(() => db.deserialize(bytes))).toEqual(
      sqlError('database is locked', 5, 'database is locked'),
    );
    db.exec('commit');
    expect(db.prepare('select a from old').all()).toEqual([{ a: 1 }]);
  });

  test('of what is no database fails when that is read', () => {
    const notADatabase = sqlError('file is not a database', 26, 'file is not a database');
    for (const garbage of [new Uint8Array(10), new Uint8Array(8192), new Uint8Array(8192).fill(7)]) {
      const db = new DatabaseSync(':memory:');
      const read = () => {
        db.deserialize(garbage);
        db.prepare('select * from sqlite_schema').all();
      };
      expect(thrown(read)).toEqual(notADatabase);
    }
  });

  test('takes a Uint8Array alone, which is not empty', () => {
    const db = new DatabaseSync(':memory:');
    for (const buffer of [undefined, null, 5, 'x', [], {}, new ArrayBuffer(8), new Uint16Array(4)]) {
      expect(thrown(() => db.deserialize(wrong(buffer)))).toEqual(
        argType('The "buffer" argument must be a Uint8Array.'),
      );
    }
    expect(thrown(() => db.deserialize(new Uint8Array(0)))).toEqual(
      argValue('The "buffer" argument must not be empty.'),
    );
    db.deserialize(Buffer.from(bytes));
    expect(db.prepare(count).get()).toEqual(rows);
  });

  test('takes an object of options, in which dbName is a string', () => {
    const db = new DatabaseSync(':memory:');
    for (const options of [null, 5, 'x']) {
      expect(thrown(() => db.deserialize(bytes, wrong(options)))).toEqual(
        argType('The "options" argument must be an object.'),
      );
    }
    for (const dbName of [5, null, {}]) {
      expect(thrown(() => db.deserialize(bytes, wrong({ dbName })))).toEqual(
        argType('The "options.dbName" argument must be a string.'),
      );
    }
    for (const options of [undefined, {}, { dbName: undefined }, { dbName: 'main' }]) {
      db.deserialize(bytes, wrong(options));
      expect(db.prepare(count).get()).toEqual(rows);
    }
    expect(thrown(() => db.deserialize(bytes, { dbName: 'nonsense' })).name).toBe('Error');
  });

  test('needs an open database', () => {
    const db = new DatabaseSync(':memory:', { open: false });
    expect(thrown(() => db.deserialize(bytes))).toEqual(notOpen);
    expect(thrown(() => db.deserialize(wrong(5)))).toEqual(notOpen);
  });
});
