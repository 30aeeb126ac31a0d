import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, expect, test } from 'vitest';
import { DatabaseSync, getVFS, init } from '../src/index.js';
import { engine } from '../src/init.js';

beforeAll(() => init());

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects until something is so. What is collected is told in a later task. */
async function collect(until: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !until(); i++) {
    gc();
    await setImmediate();
  }
}

const quietly = (call: () => unknown) => {
  try {
    call();
    return true;
  } catch {
    return false;
  }
};

test('a database that nobody has any more is closed', async () => {
  (() => new DatabaseSync('forgotten.db').exec('create table t(a)'))();
  // Open, it could not be deleted.
  await collect(() => quietly(() => getVFS().delete('forgotten.db')));
  expect(getVFS().list()).toEqual([]);
});

test('a statement keeps its database', async () => {
  const count = (() => {
    const db = new DatabaseSync('kept.db');
    db.exec('create table t(a); insert into t values(1)');
    return db.prepare('select count(*) n from t');
  })();
  // Whatever there is to collect is collected with this one.
  (() => new DatabaseSync('other.db').exec('create table t(a)'))();
  await collect(() => quietly(() => getVFS().delete('other.db')));
  expect(count.get()).toEqual({ n: 1 });
});

test('an iterator keeps its statement', async () => {
  const rows = new DatabaseSync('iterated.db')
    .prepare('with recursive c(i) as (select 1 union all select i + 1 from c limit 5000) select i from c')
    .iterate();
  expect(rows.next().value).toEqual({ i: 1 });
  (() => new DatabaseSync('another.db').exec('create table t(a)'))();
  await collect(() => quietly(() => getVFS().delete('another.db')));
  expect([...rows]).toHaveLength(4999);
});

test('a statement that nobody has any more lets go of its table', async () => {
  const db = new DatabaseSync(':memory:');
  db.exec(
    'create table t as with recursive c(i) as (select 1 union all select i + 1 from c limit 5000) select i from c',
  );
  (() => db.prepare('select i from t').iterate().next())();
  expect(() => db.exec('drop table t')).toThrowError('database table is locked');
  await collect(() => quietly(() => db.exec('drop table t')));
  expect(db.prepare('select count(*) n from sqlite_schema').get()).toEqual({ n: 0 });
});

/** Counts what is collected. An engine may keep a last one for itself. */
let collected = 0;
const counted = new FinalizationRegistry(() => collected++);

test('statements that nobody has any more free their memory', async () => {
  const db = new DatabaseSync(':memory:');
  const sql = `select ${Array.from({ length: 200 }, (_, i) => `${i} + ?`).join()}`;
  const round = async () => {
    collected = 0;
    (() => {
      for (let i = 0; i < 100; i++) counted.register(db.prepare(sql), undefined);
    })();
    await collect(() => collected >= 90);
    expect(collected).toBeGreaterThanOrEqual(90);
    // What was collected in the last turn may be told in the next.
    await setImmediate();
  };
  await round();
  const before = engine().memory.u8.length;
  for (let i = 0; i < 4; i++) await round();
  expect(engine().memory.u8.length).toBe(before);
});

test('what was closed is not closed again when it is collected', async () => {
  const db = new DatabaseSync(':memory:');
  collected = 0;
  (() => {
    for (let i = 0; i < 50; i++) {
      const statement = db.prepare('select 1 a');
      statement.close();
      counted.register(statement, undefined);
    }
  })();
  // These have the addresses of those.
  const statements = Array.from({ length: 50 }, (_, i) => db.prepare(`select ${i} a`));
  await collect(() => collected >= 45);
  expect(collected).toBeGreaterThanOrEqual(45);
  await setImmediate();
  expect(statements.map((statement) => statement.get()?.a)).toEqual(statements.map((_, i) => i));
});
