// Sessions with promises, and an aggregate and an authorizer: their arguments are read when a call is made.
import { expect, test } from 'vitest';
import { argType, notOpen, rejected, sqlError, state } from '../api/errors.js';
import { AsyncDatabase } from './subject.js';

async function open() {
  const db = await AsyncDatabase.open(':memory:');
  await db.exec('create table t(a integer primary key, b)');
  return db;
}

const content = async (db: AsyncDatabase) => (await db.prepare('select * from t')).all();

test('changes are recorded, and made elsewhere', async () => {
  const [db, other] = await Promise.all([open(), open()]);
  const session = await db.createSession();
  const done = db.exec("insert into t values (1, 'x')");
  const changes = await session.changeset();
  await done;
  const copy = new Uint8Array(changes);
  const applied = other.applyChangeset(changes);
  changes.fill(0);
  expect(await applied).toBe(true);
  expect(await content(other)).toEqual([{ a: 1, b: 'x' }]);
  expect(await other.applyChangeset(copy)).toBe(false);
  const onConflict = () => {
    throw new RangeError('mine');
  };
  expect(await rejected(other.applyChangeset(copy, { onConflict }))).toEqual({
    name: 'RangeError',
    message: 'mine',
  });
  expect((await session.patchset()).length).toBe(copy.length);
});

test('a session is closed, and ends with its database', async () => {
  const db = await open();
  const session = await db.createSession();
  await session.close();
  expect(await rejected(session.changeset())).toEqual(state('session is not open'));
  await session[Symbol.asyncDispose]();
  const another = await db.createSession();
  await db.close();
  expect(await rejected(another.patchset())).toEqual(notOpen);
});

test('arguments are checked when the call has its turn', async () => {
  const db = await open();
  expect(await rejected(db.createSession({ table: 1 as never }))).toEqual(
    argType('The "options.table" argument must be a string.'),
  );
  expect(await rejected(db.applyChangeset('x' as never))).toEqual(
    argType('The "changeset" argument must be a Uint8Array.'),
  );
  expect(await rejected(db.setAuthorizer(1 as never))).toEqual(
    argType('The "callback" argument must be a function or null.'),
  );
});

test('an aggregate, and an authorizer that stays', async () => {
  const db = await open();
  await db.aggregate('total2', { start: 0, step: (sum: number, v: number) => sum + 2 * v });
  expect(await (await db.prepare('select total2(value) r from json_each(?)')).get('[1, 2]')).toEqual({
    r: 6,
  });
  await db.setAuthorizer(() => 1);
  const denied = sqlError('not authorized', 23, 'authorization denied');
  expect(await rejected(db.prepare('select 1'))).toEqual(denied);
  await db.close();
  await db.open();
  expect(await rejected(db.exec('select 1'))).toEqual(denied);
  await db.setAuthorizer(null);
  await db.exec('select 1');
});
