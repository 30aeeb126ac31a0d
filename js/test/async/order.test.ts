// Calls that are not awaited one by one: their order, whose answers they get, and what becomes of failures.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { argType, finalized, notOpen, rejected, sqlError } from '../api/errors.js';
import { wrong } from '../api/subject.js';
import { AsyncDatabase, answers, holdAnswers, isSettled } from './subject.js';

const { wait } = answers;
let db: AsyncDatabase;

beforeEach(async () => {
  db = await AsyncDatabase.open(':memory:');
  await db.exec('create table t(id integer primary key, a)');
});
afterEach(async () => {
  answers.wait = wait;
  // Left to the garbage collector, it would be freed in the middle of another test.
  await db[Symbol.asyncDispose]();
});

const count = async () => (await (await db.prepare('select count(*) n from t')).get())?.n;

describe('calls of one connection', () => {
  test('run in the order in which they were made', async () => {
    const insert = await db.prepare('insert into t(a) values (?)');
    const read = await db.prepare('select count(*) n, max(a) a from t');
    const all = [
      insert.run('a'),
      read.get(),
      db.exec("insert into t(a) values ('b')"),
      read.get(),
      insert.run('c'),
      read.all(),
    ];
    expect(await Promise.all(all)).toEqual([
      { changes: 1, lastInsertRowid: 1 },
      { n: 1, a: 'a' },
      undefined,
      { n: 2, a: 'b' },
      { changes: 1, lastInsertRowid: 3 },
      [{ n: 3, a: 'c' }],
    ]);
  });

  test('wait for the one before, however long its answer takes', async () => {
    const release = holdAnswers();
    const { asked } = answers;
    const first = db.exec('insert into t(a) values (1)');
    const second = db.exec('insert into t(a) values (2)');
    expect(await isSettled(Promise.race([first, second]))).toBe(false);
    expect(answers.asked).toBe(asked + 1);
    release();
    await Promise.all([first, second]);
    expect(await count()).toBe(2);
  });

  test('take no harm from the failure of one', async () => {
    const insert = await db.prepare('insert into t(id) values (?)');
    const all = await Promise.allSettled([
      insert.run(1),
      insert.run(1),
      db.exec('nonsense'),
      insert.run(2),
      insert.run(wrong(Symbol('x'))),
      db.prepare('select missing'),
      insert.run(3),
    ]);
    expect(all.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    const messages = all.map((one) => (one.status === 'rejected' ? one.reason.message : ''));
    expect(messages).toEqual([
      '',
      'UNIQUE constraint failed: t.id',
      'near "nonsense": syntax error',
      '',
      'Provided value cannot be bound to SQLite parameter 1.',
      'no such column: missing',
      '',
    ]);
    expect(await count()).toBe(3);
  });

  test('fail in their order, wrong arguments among them', async () => {
    const failed: string[] = [];
    const note = (name: string) => () => void failed.push(name);
    await Promise.all([
      db.exec('nonsense').catch(note('SQL')),
      db.exec(wrong(1)).catch(note('argument')),
      db.exec('nonsense').catch(note('SQL')),
    ]);
    expect(failed).toEqual(['SQL', 'argument', 'SQL']);
  });
});

describe('what was passed', () => {
  test('is read at the time of the call: blobs', async () => {
    const read = await db.prepare('select ? a, ? b, ? c');
    const [short, long, buffer] = [Uint8Array.of(1, 2), new Uint8Array(1000).fill(1), Buffer.from('abc')];
    const answer = read.get(short, long, buffer);
    for (const bytes of [short, long, buffer]) bytes.fill(9);
    expect(await answer).toEqual({
      a: Uint8Array.of(1, 2),
      b: new Uint8Array(1000).fill(1),
      c: new TextEncoder().encode('abc'),
    });
  });

  test('is read at the time of the call: buffers that are given away', async () => {
    const read = await db.prepare('select length(?) n');
    const buffer = new ArrayBuffer(100);
    const answer = read.get(buffer);
    structuredClone(buffer, { transfer: [buffer] });
    expect(await answer).toEqual({ n: 100 });
  });

  test('is read at the time of the call: objects, whose getters run then', async () => {
    const read = await db.prepare('select $a a');
    const named = { a: 1 };
    const answer = read.get(named);
    named.a = 2;
    expect(await answer).toEqual({ a: 1 });
    let ran = false;
    const later = read.get({
      get a() {
        ran = true;
        return 3;
      },
    });
    expect(ran).toBe(true);
    expect(await later).toEqual({ a: 3 });
  });

  test('is read at the time of the call: a database file', async () => {
    const file = await db.serialize();
    await db.exec('drop table t');
    const done = db.deserialize(file);
    file.fill(0);
    await done;
    expect(await count()).toBe(0);
  });

  test('is bound with the options of that time', async () => {
    const read = await db.prepare('select 1 a');
    const first = read.get();
    read.setReturnArrays(true);
    const second = read.all();
    read.setReadBigInts(true);
    const third = read.get();
    read.setReturnArrays(false);
    expect(await Promise.all([first, second, third])).toEqual([{ a: 1 }, [[1]], [1n]]);
  });
});

describe('two connections', () => {
  test('have their answers each for itself while their calls run at the same time', async () => {
    const other = await AsyncDatabase.open(':memory:');
    const [mine, yours] = [db, other].map((db) =>
      db.prepare(
        "with recursive c(i) as (select 1 union all select i + 1 from c limit ?) select i, ? || i t, x'01' b from c",
      ),
    ) as [ReturnType<AsyncDatabase['prepare']>, ReturnType<AsyncDatabase['prepare']>];
    const expected = (n: number, text: string) =>
      Array.from({ length: n }, (_, i) => ({ i: i + 1, t: text + (i + 1), b: Uint8Array.of(1) }));
    const [a, b] = [await mine, await yours];
    const answers = await Promise.all([
      a.all(3, 'mine'),
      b.all(5, 'yours'),
      // More than one batch.
      a.all(20_000, 'mine'),
      b.all(30_000, 'yours'),
      a.get(1, 'ich'),
      b.get(1, 'du'),
      a.expandedSQL,
      b.expandedSQL,
    ]);
    expect(answers[0]).toEqual(expected(3, 'mine'));
    expect(answers[1]).toEqual(expected(5, 'yours'));
    expect(answers[2]).toEqual(expected(20_000, 'mine'));
    expect(answers[3]).toEqual(expected(30_000, 'yours'));
    expect([answers[4], answers[5]]).toEqual([expected(1, 'ich')[0], expected(1, 'du')[0]]);
    expect(answers[6]).toContain("'ich'");
    expect(answers[7]).toContain("'du'");
  });

  test('have their errors, numbers and bytes each for itself', async () => {
    const other = await AsyncDatabase.open(':memory:');
    await other.exec('create table u(id integer primary key); insert into u values (41)');
    const [mine, yours] = await Promise.all([
      db.prepare('insert into t(a) values (?)'),
      other.prepare('insert into u values (?)'),
    ]);
    const all = await Promise.allSettled([
      db.exec('nonsense'),
      other.exec('select * from missing'),
      mine.run('x'),
      yours.run(41),
      mine.run('y'),
      yours.run(42),
      db.prepare('select missing'),
      other.prepare('elect 1'),
      db.serialize(),
      other.serialize(),
      db.location(),
      other.location(),
    ]);
    const told = all.map((one) => (one.status === 'rejected' ? one.reason.message : one.value));
    expect(told.slice(0, 8)).toEqual([
      'near "nonsense": syntax error',
      'no such table: missing',
      { changes: 1, lastInsertRowid: 1 },
      'UNIQUE constraint failed: u.id',
      { changes: 1, lastInsertRowid: 2 },
      { changes: 1, lastInsertRowid: 42 },
      'no such column: missing',
      'near "elect": syntax error',
    ]);
    const text = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes);
    expect(text(told[8])).toContain('CREATE TABLE t');
    expect(text(told[9])).toContain('CREATE TABLE u');
  });

  test('do not wait for each other', async () => {
    const other = await AsyncDatabase.open(':memory:');
    const release = holdAnswers();
    const held = db.exec('select 1');
    // It has begun, so that what follows is not held.
    expect(await isSettled(held)).toBe(false);
    answers.wait = wait;
    await other.exec('select 1');
    expect(await isSettled(held)).toBe(false);
    release();
    await held;
  });

  test('can be asked for what is known at once while a call is under way', async () => {
    const other = await AsyncDatabase.open(':memory:');
    await other.exec('begin');
    const release = holdAnswers();
    const failing = db.exec('nonsense');
    expect(await isSettled(failing)).toBe(false);
    expect([db.store, db.isTransaction, db.limits.column, other.isTransaction]).toEqual([
      'memory',
      false,
      2000,
      true,
    ]);
    release();
    // Its error is where it was.
    expect(await rejected(failing)).toEqual(sqlError('near "nonsense": syntax error'));
  });

  test('are asked without harm to an answer that is on its way', async () => {
    const release = holdAnswers();
    const bytes = db.serialize();
    expect(await isSettled(bytes)).toBe(false);
    expect(db.store).toBe('memory');
    release();
    expect((await bytes).length).toBe(8192);
  });
});

describe('open', () => {
  test('is awaited by every call', async () => {
    const db = new AsyncDatabase(':memory:');
    expect(db.isOpen).toBe(false);
    const statement = db.prepare('select 1 a');
    expect(await (await statement).get()).toEqual({ a: 1 });
    expect(db.isOpen).toBe(true);
  });

  test('of one that the constructor opens waits for that', async () => {
    const db = new AsyncDatabase(':memory:');
    await Promise.all([db.open(), db.open()]);
    expect(db.isOpen).toBe(true);
    await db.exec('create table t(a)');
    await db.open();
    // Opened again it would be another, without the table.
    await db.exec('select * from t');
  });

  test('of one that was made closed', async () => {
    const db = new AsyncDatabase(':memory:', { open: false });
    expect(await rejected(db.exec('select 1'))).toEqual(notOpen);
    await db.open();
    await db.exec('select 1');
    expect((await AsyncDatabase.open(':memory:', { open: false })).isOpen).toBe(true);
  });

  test('that fails rejects the calls that were made, and nobody else', async () => {
    // A rejection that nobody handles fails the run.
    new AsyncDatabase('missing.db', { readOnly: true });
    const db = new AsyncDatabase('missing.db', { readOnly: true });
    const unable = sqlError(
      "unable to open database file: there is no file 'missing.db'",
      14,
      'unable to open database file',
    );
    expect(await Promise.all([rejected(db.exec('select 1')), rejected(db.prepare('select 1'))])).toEqual([
      unable,
      unable,
    ]);
    expect(await rejected(db.close())).toEqual(unable);
    await db[Symbol.asyncDispose]();
    expect(db.isOpen).toBe(false);
    expect(await rejected(db.open())).toEqual(unable);
    expect(await rejected(AsyncDatabase.open('missing.db', { readOnly: true }))).toEqual(unable);
  });

  test('that failed can be tried again', async () => {
    const db = new AsyncDatabase('later.db', { readOnly: true });
    expect(await rejected(db.exec('select 1'))).toMatchObject({ errcode: 14 });
    const writer = await AsyncDatabase.open('later.db');
    await writer.exec('create table t(a)');
    await db.open();
    await db.exec('select * from t');
  });
});

describe('close', () => {
  test('waits for what was called before it, and what is called after it is told', async () => {
    const statement = await db.prepare('insert into t(a) values (1)');
    const all = await Promise.allSettled([
      statement.run(),
      db.close(),
      statement.run(),
      db.exec('select 1'),
      db.prepare('select 1'),
      db.close(),
    ]);
    expect(all[0]).toMatchObject({ value: { changes: 1 } });
    expect(all[1]).toEqual({ status: 'fulfilled', value: undefined });
    expect(all.slice(2)).toMatchObject([
      { reason: finalized },
      { reason: notOpen },
      { reason: notOpen },
      { reason: notOpen },
    ]);
    expect(db.isOpen).toBe(false);
  });

  test('is not done before its answer is there', async () => {
    const release = holdAnswers();
    const closed = db.close();
    expect(await isSettled(closed)).toBe(false);
    expect(db.isOpen).toBe(true);
    release();
    await closed;
    expect(db.isOpen).toBe(false);
  });

  test('and open, in any number, have their order too', async () => {
    const db = new AsyncDatabase('again.db');
    const all = [
      db.exec('create table t(a)'),
      db.close(),
      db.open(),
      db.exec('select * from t'),
      db.close(),
      db.exec(''),
    ];
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
  });

  test('frees statements, of which there may be many', async () => {
    const statements = await Promise.all(
      Array.from({ length: 20 }, (_, i) => db.prepare(`select ${i} a from t`)),
    );
    await db.close();
    for (const statement of statements) expect(await rejected(statement.get())).toEqual(finalized);
    expect(statements[3]?.sourceSQL).toBe('select 3 a from t');
  });

  test('of a statement waits as well', async () => {
    const statement = await db.prepare('select 1 a');
    const all = await Promise.allSettled([statement.get(), statement.close(), statement.get()]);
    expect(all).toMatchObject([{ value: { a: 1 } }, { status: 'fulfilled' }, { reason: finalized }]);
    expect(() => statement.setReadBigInts(true)).toThrowError(finalized.message);
  });
});

test('both are disposed of when their calls are over, once or twice', async () => {
  const statement = await db.prepare('insert into t(a) values (1)');
  const ran = statement.run();
  await statement[Symbol.asyncDispose]();
  await statement[Symbol.asyncDispose]();
  expect(await ran).toMatchObject({ changes: 1 });
  expect(await rejected(statement.run())).toEqual(finalized);
  await db[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
  expect(db.isOpen).toBe(false);
});

test('a wrong argument of a closed database: it says that it is closed', async () => {
  expect(await rejected(db.exec(wrong(1)))).toEqual(argType('The "sql" argument must be a string.'));
  await db.close();
  expect(await rejected(db.exec(wrong(1)))).toEqual(notOpen);
});
