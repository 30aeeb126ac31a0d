// Functions that SQLite calls while other calls are suspended. Real JSPI only.

import { beforeAll, expect, test } from 'vitest';
import { AsyncDatabase, init, MemoryAsyncVFS, registerVFS } from '../../src/jspi.js';
import { rejected, sqlError, state } from '../api/errors.js';

beforeAll(async () => {
  await init();
  registerVFS(new MemoryAsyncVFS('slow'));
});

const open = (name: string) => AsyncDatabase.open(name, { vfs: 'slow' });

async function numbers(name: string) {
  const db = await open(name);
  // More pages than the cache is allowed: each is waited for.
  await db.exec(`pragma cache_size = 2; create table t(i integer, s text);
    insert into t with recursive c(i) as (select 1 union all select i + 1 from c limit 2000)
    select i, printf('%0100d', i) from c`);
  return db;
}

test('a function is called between reads that are waited for', async () => {
  const db = await numbers('read.db');
  const seen: unknown[] = [];
  await db.function('f', (i, s) => {
    seen.push(i);
    return Number(i) + (s as string).length;
  });
  const row = await (await db.prepare('select sum(f(i, s)) n from t')).get();
  expect(row).toEqual({ n: (2000 * 2001) / 2 + 2000 * 100 });
  expect(seen).toEqual(Array.from({ length: 2000 }, (_, i) => i + 1));
  await db.close();
});

test('a function may begin a call of another database, which waits', async () => {
  const db = await numbers('one.db');
  const other = await numbers('two.db');
  const insert = await other.prepare('insert into t values (?, ?)');
  const begun: Promise<unknown>[] = [];
  await db.function('f', (i) => {
    // On a stack of its own, which it leaves with the call in its middle; and the next one waits for that.
    begun.push(insert.run(i as number, 'from the other'));
    begun.push(other.exec('select count(*) from t'));
    return i;
  });
  const all = await (
    await db.prepare("select f(i) i, s, printf('%0100d', f(i)) = s same from t where i < 50")
  ).all();
  expect(all).toHaveLength(49);
  expect(all.every(({ same }) => same === 1)).toBe(true);
  await Promise.all(begun);
  const count = await other.prepare("select count(*) n from t where s = 'from the other'");
  expect(await count.get()).toEqual({ n: 98 });
  for (const each of [db, other]) {
    expect(await (await each.prepare('pragma integrity_check')).get()).toEqual({ integrity_check: 'ok' });
    await each.close();
  }
});

test('a call of its own database has its turn afterwards', async () => {
  const db = await numbers('own.db');
  let later: Promise<unknown> | undefined;
  await db.function('f', () => {
    later ??= db.exec('delete from t');
    return db.isTransaction ? 1 : 0;
  });
  expect(await (await db.prepare('select count(*) n, sum(f()) f from t')).get()).toEqual({ n: 2000, f: 0 });
  await later;
  expect(await (await db.prepare('select count(*) n from t')).get()).toEqual({ n: 0 });
  await db.close();
});

test('what a function throws rejects the call, and nothing else', async () => {
  const db = await numbers('throws.db');
  const error = new RangeError('no');
  await db.function('f', (i) => {
    if (i === 1500) throw error;
    return i;
  });
  const sum = await db.prepare('select sum(f(i)) n from t');
  const count = await db.prepare('select count(*) n from t');
  const [failed, counted] = await Promise.allSettled([sum.get(), count.get()]);
  expect(failed).toEqual({ status: 'rejected', reason: error });
  expect(counted).toEqual({ status: 'fulfilled', value: { n: 2000 } });
  await db.close();
});

test('a promise is no value, and arguments are checked in their turn', async () => {
  const db = await open('promise.db');
  await db.function('f', async () => 1);
  expect(await rejected(db.exec('select f()'))).toEqual(
    sqlError('Asynchronous user-defined functions are not supported'),
  );
  const wrong = db.function('f', 1 as never);
  expect((await rejected(wrong)).message).toBe('The "function" argument must be a function.');
  await db.close();
  expect(await rejected(db.function('f', () => 1))).toEqual(state('database is not open'));
});
