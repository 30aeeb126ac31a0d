// Template literals whose rows are promised.
import { expect, test } from 'vitest';
import { argType, argValue, notOpen, rejected, state } from '../api/errors.js';
import { AsyncDatabase } from './subject.js';

async function open(options = {}) {
  const db = await AsyncDatabase.open(':memory:', options);
  await db.exec('create table t(a integer primary key, b)');
  return db;
}

test('they are run in the order in which they were made', async () => {
  const store = (await open()).createTagStore();
  const bytes = new Uint8Array([1]);
  const done = store.run`insert into t values (${1}, ${bytes})`;
  bytes[0] = 9;
  const first = store.get`select * from t where a = ${1}`;
  const second = store.db.exec('update t set b = 2');
  const all = store.all`select b from t`;
  expect(await done).toEqual({ changes: 1, lastInsertRowid: 1 });
  expect(await first).toEqual({ a: 1, b: new Uint8Array([1]) });
  await second;
  expect(await all).toEqual([{ b: 2 }]);
  expect(store.size).toBe(3);
});

test('rows come one after another, until the same SQL is used again', async () => {
  const store = (await open()).createTagStore(2);
  const sql = () => store.iterate`select value v from json_each(${'[1, 2, 3]'})`;
  const values = [];
  for await (const { v } of sql()) values.push(v);
  expect(values).toEqual([1, 2, 3]);
  const rows = sql();
  await rows.next();
  await sql().next();
  expect(await rejected(rows.next())).toEqual(state('iterator was invalidated'));
});

test('what is wrong rejects', async () => {
  const db = await open();
  const store = db.createTagStore();
  expect(await rejected(store.get('select 1' as never))).toEqual(
    argType('First argument must be an array of strings (template literal).'),
  );
  expect(await rejected(store.run`select ?, ${1}`)).toEqual(
    argValue('SQLite parameters must be bound using template literal placeholders.'),
  );
  expect(await rejected(store.all`select ${{} as never}`)).toEqual(
    argType('Provided value cannot be bound to SQLite parameter 1.'),
  );
  expect(() => db.createTagStore(0)).toThrow('The "maxSize" argument must be a positive integer.');
  expect(await store.get`select 1 a`).toEqual({ a: 1 });
  await db.close();
  expect(await rejected(store.get`select 1 a`)).toEqual(notOpen);
  await db.open();
  expect(await store.get`select 1 a`).toEqual({ a: 1 });
  store.clear();
  expect([store.size, store.capacity]).toEqual([0, 1000]);
});

test('extensions are refused', async () => {
  const db = await open();
  expect(await rejected(db.loadExtension('x'))).toEqual(state('extension loading is not allowed'));
  expect(await rejected(db.enableLoadExtension(true))).toEqual(
    state('Cannot enable extension loading because it was disabled at database creation.'),
  );
  const allowed = await open({ allowExtension: true });
  expect((await rejected(allowed.loadExtension('x'))).code).toBe('ERR_LOAD_SQLITE_EXTENSION');
});
