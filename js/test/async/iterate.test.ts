// Iterating over rows that are read in batches, each in its turn.
import { beforeEach, describe, expect, test } from 'vitest';
import { finalized, invalidated, rejected } from '../api/errors.js';
import { wrong } from '../api/subject.js';
import { AsyncDatabase, type AsyncStatement, answers, holdAnswers, isSettled } from './subject.js';

let db: AsyncDatabase;
let count: AsyncStatement;

beforeEach(async () => {
  db = new AsyncDatabase(':memory:');
  count = await db.prepare(
    'with recursive c(i) as (select 1 union all select i + 1 from c limit ?) select i from c',
  );
});

const end = { done: true, value: null };
const item = (i: number) => ({ done: false, value: { i } });
/** Rows of the first batch. */
const FIRST = 16;

test('hands out row after row, then its end for ever', async () => {
  const rows = count.iterate(2);
  expect([await rows.next(), await rows.next(), await rows.next(), await rows.next()]).toEqual([
    item(1),
    item(2),
    end,
    end,
  ]);
});

test('hands them out in the order of the calls, awaited or not', async () => {
  const rows = count.iterate(100);
  const all = await Promise.all(Array.from({ length: 101 }, () => rows.next()));
  expect(all).toEqual([...Array.from({ length: 100 }, (_, i) => item(i + 1)), end]);
});

test('keeps the order when some rows are at hand and some are asked for', async () => {
  const rows = count.iterate(100);
  await rows.next();
  const seen: unknown[] = [];
  const asked: Promise<void>[] = [];
  for (let i = 0; i < 40; i++) {
    asked.push(rows.next().then(({ value }) => void seen.push(value.i)));
    if (i % 3 === 0) await asked[i];
  }
  await Promise.all(asked);
  expect(seen).toEqual(Array.from({ length: 40 }, (_, i) => i + 2));
});

test('is an async iterator to the language', async () => {
  const rows = count.iterate(1000);
  expect(rows[Symbol.asyncIterator]()).toBe(rows);
  const AsyncIteratorPrototype = Object.getPrototypeOf(
    Object.getPrototypeOf(async function* () {}.prototype),
  );
  expect(Object.getPrototypeOf(Object.getPrototypeOf(rows))).toBe(AsyncIteratorPrototype);
  let sum = 0;
  for await (const { i } of rows) sum += i as number;
  expect(sum).toBe(500_500);
});

test('leaves turns to others between its batches, and hands out what is at hand meanwhile', async () => {
  const rows = count.iterate(1000);
  await rows.next();
  const { wait } = answers;
  const release = holdAnswers();
  const other = db.exec('select 1');
  for (let i = 2; i <= FIRST; i++) expect(await rows.next()).toEqual(item(i));
  const next = rows.next();
  expect(await isSettled(next)).toBe(false);
  answers.wait = wait;
  release();
  await other;
  expect(await next).toEqual(item(FIRST + 1));
});

test('ends with return, which gives back its locks', async () => {
  await db.exec("create table t as select value i from json_each('[1, 2, 3]')");
  const all = await db.prepare('select i from t');
  const rows = all.iterate();
  expect(await rows.next()).toEqual(item(1));
  const many = await db.prepare('select a.i from t a, t b, t c, t d');
  for await (const _ of many.iterate()) break;
  expect(await rows.return?.()).toEqual(end);
  expect(await rows.next()).toEqual(end);
  await db.exec('drop table t');
});

describe('it ends', () => {
  test('by another use of the statement', async () => {
    const rows = count.iterate(100);
    await rows.next();
    await count.get(1);
    expect(await rejected(rows.next())).toEqual(invalidated);
    expect(await rejected(rows.next())).toEqual(invalidated);
    expect(await rows.return?.()).toEqual(end);
  });

  test('by another use that was called before', async () => {
    const rows = count.iterate(100);
    await rows.next();
    const [used, next] = await Promise.allSettled([count.get(1), rows.next()]);
    expect(used).toMatchObject({ value: { i: 1 } });
    expect(next).toMatchObject({ reason: invalidated });
  });

  test('not by one that is called after', async () => {
    const rows = count.iterate(100);
    const [next, used] = await Promise.all([rows.next(), count.get(1)]);
    expect([next, used]).toEqual([item(1), { i: 1 }]);
  });

  test('by a use with wrong parameters, too', async () => {
    const rows = count.iterate(100);
    await rows.next();
    expect(await rejected(count.get(wrong({ a: 1 })))).toMatchObject({ code: 'ERR_INVALID_STATE' });
    expect(await rejected(rows.next())).toEqual(invalidated);
  });

  test.each(['database', 'statement'])('by the close of its %s', async (what) => {
    const rows = count.iterate(100);
    await rows.next();
    await (what === 'database' ? db : count).close();
    expect(await rejected(rows.next())).toEqual(finalized);
    expect(await rejected(rows.return?.() as Promise<unknown>)).toEqual(finalized);
  });
});

test('what is wrong with parameters rejects the first row, and nobody who asks for none', async () => {
  const rows = count.iterate(wrong(Symbol('x')));
  // A rejection that nobody handles fails the run.
  count.iterate(wrong(Symbol('x')));
  expect(await rejected(rows.next())).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' });
});

test('an error comes after the rows before it', async () => {
  const failing = await db.prepare(
    "with recursive c(i) as (select 1 union all select i + 1 from c limit 30) select i, iif(i = 20, json('{'), 0) from c",
  );
  const seen: unknown[] = [];
  const read = async () => {
    for await (const { i } of failing.iterate()) seen.push(i);
  };
  expect(await rejected(read())).toMatchObject({ message: 'malformed JSON' });
  expect(seen).toEqual(Array.from({ length: 19 }, (_, i) => i + 1));
});
