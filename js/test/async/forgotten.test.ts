// What nobody has any more is freed, in its turn.
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { AsyncDatabase } from './subject.js';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects until something succeeds. What is collected is told in a later task, and freed in further ones. */
async function collect(until: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    gc();
    await setImmediate();
    if (
      await until().then(
        () => true,
        () => false,
      )
    )
      return;
  }
  await until();
}

/** Makes a database that is locked until it is closed, and forgets it. */
async function forgetLocked(name: string): Promise<void> {
  const db = await AsyncDatabase.open(name);
  await db.exec('create table if not exists t(a); begin immediate');
}

test('a database that nobody has any more is closed', async () => {
  await forgetLocked('forgotten.db');
  const other = await AsyncDatabase.open('forgotten.db');
  await expect(other.exec('insert into t values (1)')).rejects.toThrowError('locked');
  await collect(() => other.exec('insert into t values (1)'));
});

test('a statement, and an iterator, keep their database', async () => {
  const statement = await (async () => {
    const db = await AsyncDatabase.open('kept.db');
    await db.exec('create table t(a); insert into t values (1), (2)');
    return db.prepare('select a from t');
  })();
  const rows = await (async () => {
    const db = await AsyncDatabase.open('kept.db');
    return (await db.prepare('select a from t')).iterate();
  })();
  // Whatever there is to collect is collected with this one.
  await forgetLocked('other.db');
  const other = await AsyncDatabase.open('other.db');
  await collect(() => other.exec('insert into t values (1)'));
  expect(await statement.get()).toEqual({ a: 1 });
  expect(await rows.next()).toEqual({ done: false, value: { a: 1 } });
});

test('a statement that nobody has any more lets go of its table', async () => {
  const db = await AsyncDatabase.open(':memory:');
  await db.exec(
    'create table t as with recursive c(i) as (select 1 union all select i + 1 from c limit 5000) select i from c',
  );
  await (async () => {
    await (await db.prepare('select i from t')).iterate().next();
  })();
  await expect(db.exec('drop table t')).rejects.toThrowError('database table is locked');
  await collect(() => db.exec('drop table t'));
});
