import { describe, expect, test } from 'vitest';
import { argType, argValue, invalidated, notOpen, sqlError, state, thrown } from './errors.js';
import { DatabaseSync, wrong } from './subject.js';

function open() {
  const db = new DatabaseSync(':memory:');
  db.exec("create table t(a integer primary key, b); insert into t values (1, 'x'), (2, 'y')");
  return db;
}

const METHODS = ['get', 'all', 'iterate', 'run'] as const;

describe('createTagStore', () => {
  const message = 'The "maxSize" argument must be a positive integer.';
  const range = { name: 'RangeError', code: 'ERR_OUT_OF_RANGE', message };

  test.each([null, '5', {}, 5n, true])('takes a number: %s', (size) => {
    expect(thrown(() => open().createTagStore(wrong(size)))).toEqual(argType(message));
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 31])('that is a size: %s', (size) => {
    expect(thrown(() => open().createTagStore(size))).toEqual(range);
  });

  test('makes a store of 1000 statements, or as many as are asked for', () => {
    const db = open();
    const store = db.createTagStore();
    expect([store.size, store.capacity, store.db === db]).toEqual([0, 1000, true]);
    expect(db.createTagStore(undefined).capacity).toBe(1000);
    expect(db.createTagStore(10).capacity).toBe(10);
    expect(store.constructor.name).toBe('SQLTagStore');
  });

  test('a database that is not open', () => {
    const db = open();
    db.close();
    expect(thrown(() => db.createTagStore())).toEqual(notOpen);
  });

  test('nobody else makes stores', () => {
    const Store = open().createTagStore().constructor as new () => object;
    expect(thrown(() => new Store())).toMatchObject({
      code: 'ERR_ILLEGAL_CONSTRUCTOR',
      message: 'Illegal constructor',
    });
  });
});

describe('a store', () => {
  test('runs template literals', () => {
    const store = open().createTagStore();
    expect(store.run`insert into t values (${3}, ${'z'})`).toEqual({ changes: 1, lastInsertRowid: 3 });
    expect(store.get`select * from t where a = ${3}`).toEqual({ a: 3, b: 'z' });
    expect(store.get`select * from t where a = ${9}`).toBeUndefined();
    expect(store.all`select a from t where a > ${1}`).toEqual([{ a: 2 }, { a: 3 }]);
    expect([...store.iterate`select a from t where a > ${2}`]).toEqual([{ a: 3 }]);
    expect(store.get`select ${undefined} u, ${true} b, ${null} n, ${5n} i`).toEqual({
      u: null,
      b: 1,
      n: null,
      i: 5,
    });
    expect(store.get`select '\n' a`).toEqual({ a: '\n' });
  });

  test('has the options of its database', () => {
    const db = new DatabaseSync(':memory:', { returnArrays: true, readBigInts: true });
    expect(db.createTagStore().get`select 1 a`).toEqual([1n]);
  });

  test('compiles each SQL once, and keeps those used last', () => {
    const store = open().createTagStore(2);
    store.get`select 1`;
    store.get`select 2`;
    store.get`select 2`;
    expect(store.size).toBe(2);
    store.get`select 3`;
    expect(store.size).toBe(2);
    expect(store.clear()).toBeUndefined();
    expect(store.size).toBe(0);
    expect(store.get`select 3 a`).toEqual({ a: 3 });
  });

  test('ends an iteration when its SQL is used again', () => {
    const store = open().createTagStore();
    const over = () => store.iterate`select a from t`;
    const first = over();
    first.next();
    over().next();
    expect(thrown(() => first.next())).toEqual(invalidated);
  });

  test('does not end one when it is cleared', () => {
    const store = open().createTagStore();
    const rows = store.iterate`select a from t`;
    rows.next();
    store.clear();
    expect(rows.next()).toEqual({ done: false, value: { a: 2 } });
  });

  test('is of no use without its database, until it is opened again', () => {
    const db = open();
    const store = db.createTagStore();
    store.get`select 1 a`;
    db.close();
    for (const method of METHODS) expect(thrown(() => store[method]`select 1 a`)).toEqual(notOpen);
    expect([store.size, store.capacity, store.db === db]).toEqual([1, 1000, true]);
    db.open();
    expect(store.get`select 1 a`).toEqual({ a: 1 });
    expect(store.size).toBe(1);
    db.close();
    store.clear();
    expect(store.size).toBe(0);
  });

  test('can be used in functions', () => {
    const db = open();
    const store = db.createTagStore(1);
    db.function('other', () => store.get`select 'other' r`?.r ?? null);
    db.function('same', () => store.get`select same() r`?.r ?? null);
    db.function('clear', () => store.clear() as undefined);
    expect(store.get`select other() r`).toEqual({ r: 'other' });
    expect(store.get`select clear() r`).toEqual({ r: null });
    expect(thrown(() => store.get`select same() r`)).toEqual(state('statement is already being executed'));
    db.setAuthorizer(() => (store.get`select 1` ? 0 : 0));
    expect(thrown(() => db.prepare('select 2'))).toEqual(
      state('database cannot be accessed from an authorizer callback'),
    );
  });
});

describe.each(METHODS)('arguments of %s', (method) => {
  const store = open().createTagStore();
  const noArray = argType('First argument must be an array of strings (template literal).');
  const incomplete = sqlError('incomplete input');
  test.each([
    [[], noArray],
    [[1], noArray],
    [['select 1'], noArray],
    [[null], noArray],
    [[{}], noArray],
    [[[1]], argType('Template literal parts must be strings.')],
    [[['select 1', undefined]], argType('Template literal parts must be strings.')],
    [[[]], argValue('The SQL query contains no statements.')],
    [[['-- nothing']], argValue('The SQL query contains no statements.')],
    [[['select ', '']], incomplete],
    [[['select ?'], 5], sqlError('near "?": syntax error')],
    [
      [['select ? a, ', ' b'], 5],
      argValue('SQLite parameters must be bound using template literal placeholders.'),
    ],
    [
      [['select :a a, ', ' b'], 5],
      argValue('SQLite parameters must be bound using template literal placeholders.'),
    ],
    [[['select ', ''], {}], argType('Provided value cannot be bound to SQLite parameter 1.')],
    [[['select ', ''], [1]], argType('Provided value cannot be bound to SQLite parameter 1.')],
    [[['select ', ''], Symbol('x')], argType('Provided value cannot be bound to SQLite parameter 1.')],
  ])('%j', (args, error) => {
    expect(thrown(() => store[method](...(args as [TemplateStringsArray])))).toEqual(error);
  });
});
