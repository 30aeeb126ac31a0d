import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';

let db: DatabaseSync;

beforeAll(() => init());

beforeEach(() => {
  db = new DatabaseSync(':memory:');
  db.exec('create table t(a integer primary key)');
});

const all = () =>
  db
    .prepare<{ a: number }>('select a from t order by a')
    .all()
    .map(({ a }) => a);
const insert = (a: number) => db.prepare('insert into t values(?)').run(a);
const fails = (message: string) => {
  throw new Error(message);
};

test('what it answers comes back, and its work stays', () => {
  const insertAll = db.transaction((...values: number[]) => {
    values.forEach(insert);
    expect(db.isTransaction).toBe(true);
    return values.length;
  });
  expect(insertAll(1, 2, 3)).toBe(3);
  expect(db.isTransaction).toBe(false);
  expect(all()).toEqual([1, 2, 3]);
});

test('what it throws is thrown, and its work is undone', () => {
  const run = db.transaction(() => {
    insert(1);
    fails('no more');
  });
  expect(run).toThrowError('no more');
  expect(db.isTransaction).toBe(false);
  expect(all()).toEqual([]);
});

test('`this` is passed on', () => {
  const object = {
    value: 7,
    run: db.transaction(function (this: { value: number }) {
      return this.value;
    }),
  };
  expect(object.run()).toBe(7);
});

test('within another it is a part of that one', () => {
  const part = db.transaction((a: number, message?: string) => {
    insert(a);
    // Once more: savepoints of one name are nested.
    db.transaction(() => insert(a + 100))();
    if (message) fails(message);
  });
  db.transaction(() => {
    part(1);
    expect(() => part(2, 'not this one')).toThrowError('not this one');
    expect(db.isTransaction).toBe(true);
    part(3);
  })();
  expect(all()).toEqual([1, 3, 101, 103]);
  const outer = db.transaction(() => {
    part(4);
    fails('all of it');
  });
  expect(outer).toThrowError('all of it');
  expect(all()).toEqual([1, 3, 101, 103]);
});

test('an error that has undone the transaction already is the one that is thrown', () => {
  db.exec(
    'create trigger no before insert on t when new.a = 9 begin select raise(rollback, "not nine"); end',
  );
  const run = db.transaction(() => {
    insert(1);
    db.transaction(() => insert(9))();
  });
  expect(run).toThrowError('not nine');
  expect(db.isTransaction).toBe(false);
  expect(all()).toEqual([]);
});

test('a commit that fails is undone', () => {
  db.exec('create table child(a references t deferrable initially deferred)');
  const run = db.transaction(() => db.exec('insert into child values(5)'));
  expect(run).toThrowError('FOREIGN KEY constraint failed');
  expect(db.isTransaction).toBe(false);
});

test('a function that answers a promise is refused and undone', () => {
  const run = db.transaction(async () => insert(1));
  expect(run).toThrowError(
    expect.objectContaining({
      code: 'ERR_INVALID_STATE',
      message: expect.stringContaining('answered a promise'),
    }),
  );
  expect(all()).toEqual([]);
});

test('a function that closes the database gets the error of the commit', () => {
  const run = db.transaction(() => db.close());
  expect(run).toThrowError('database is not open');
});

describe('its variants lock the file', () => {
  const begins = [
    ['deferred', true, true],
    ['immediate', true, false],
    ['exclusive', false, false],
  ] as const;

  test.each(begins)('%s', (variant, canRead, canWrite) => {
    const [one, two] = [new DatabaseSync('/locks.db'), new DatabaseSync('/locks.db')];
    one.exec('create table if not exists t(a)');
    const works = (sql: string) => {
      try {
        two.exec(sql);
        return true;
      } catch {
        return false;
      }
    };
    one
      .transaction(() => {
        expect(works('select * from t')).toBe(canRead);
        expect(works('insert into t values(1)')).toBe(canWrite);
      })
      [variant]();
    one.close();
    two.close();
  });
});

test('wrong arguments and a closed database are named', () => {
  expect(() => db.transaction(5 as never)).toThrowError('The "fn" argument must be a function.');
  const run = db.transaction(() => 1);
  db.close();
  expect(run).toThrowError('database is not open');
  expect(() => db.transaction(() => 1)).toThrowError('database is not open');
});
