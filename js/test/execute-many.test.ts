// One statement for many rows, on both builds: what node:sqlite does not have.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';
import { AsyncDatabase } from './async/subject.js';

beforeAll(() => init());

// Each of them is called with what the types of the other would not allow.
// biome-ignore lint/suspicious/noExplicitAny: both at once.
type Any = any;

/** The very thing that a call throws, at once or later. */
const fails = (use: () => unknown): Promise<Any> =>
  Promise.resolve()
    .then(use)
    .then(
      () => expect.fail('nothing was thrown'),
      (error: unknown) => error,
    );

const INSERT = 'insert into t values (?, ?)';

describe.each([
  ['DatabaseSync', (options: object = {}) => new DatabaseSync(':memory:', options)],
  ['AsyncDatabase', (options: object = {}) => new AsyncDatabase(':memory:', options)],
])('%s', (_, open) => {
  let db: Any;
  const all = async (sql = 'select id, name from t order by id') =>
    (await (await db.prepare(sql)).all()).map(Object.values);

  beforeEach(async () => {
    db = open();
    await db.exec('create table t(id integer primary key, name)');
  });

  test('runs it for each row, by order or by name, and sums up', async () => {
    expect(await db.executeMany(INSERT, [[1, 'a'], [2], [3, 'c']])).toEqual({
      changes: 3,
      lastInsertRowid: 3,
      rows: 3,
    });
    const named = [{ id: 4, $name: 'd' }, [{ id: 5 }], { $id: 6, name: 'f' }];
    await db.executeMany('insert into t values ($id, $name)', new Set(named));
    expect(await all()).toEqual([
      [1, 'a'],
      [2, null],
      [3, 'c'],
      [4, 'd'],
      [5, null],
      [6, 'f'],
    ]);
    expect((await db.executeMany('delete from t where id > ?', [[4], [2]])).changes).toBe(4);
    expect(db.isTransaction).toBe(false);
  });

  test('no rows change nothing', async () => {
    expect(await db.executeMany(INSERT, [])).toEqual({ changes: 0, lastInsertRowid: undefined, rows: 0 });
  });

  test('answers BigInts where the database is to', async () => {
    db = open({ readBigInts: true });
    await db.exec('create table t(id integer primary key, name)');
    expect(await db.executeMany(INSERT, [[1], [2]])).toEqual({ changes: 2n, lastInsertRowid: 2n, rows: 2 });
    expect((await db.executeMany(INSERT, [])).changes).toBe(0n);
  });

  test('an error tells the row, and nothing stays', async () => {
    const error = await fails(() => db.executeMany(INSERT, [[1], [2], [1], [4]]));
    expect(error).toMatchObject({ code: 'ERR_SQLITE_ERROR', errcode: 1555, row: 2 });
    expect(db.isTransaction).toBe(false);
    expect(await all()).toEqual([]);
    expect(await fails(() => db.executeMany(INSERT, [[1], [Symbol()]]))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      row: 1,
    });
    expect(await fails(() => db.executeMany(INSERT, [[1], [2, 'b', 3]]))).toMatchObject({ row: 1 });
    expect(await all()).toEqual([]);
  });

  test('within a transaction it is a part of it', async () => {
    await db.exec('begin');
    await db.executeMany(INSERT, [[1], [2]]);
    expect(await fails(() => db.executeMany(INSERT, [[3], [1]]))).toMatchObject({ row: 1 });
    expect(db.isTransaction).toBe(true);
    await db.exec('commit');
    expect(await all()).toEqual([
      [1, null],
      [2, null],
    ]);
  });

  test('an error that has undone the transaction already is the one that is thrown', async () => {
    await db.exec(
      "create trigger no before insert on t when new.id = 9 begin select raise(rollback, 'not nine'); end",
    );
    await db.exec('begin');
    expect(await fails(() => db.executeMany(INSERT, [[1], [9]]))).toMatchObject({
      message: 'not nine',
      row: 1,
    });
    expect(db.isTransaction).toBe(false);
  });

  test('a commit that fails is undone', async () => {
    await db.exec('create table child(a references t deferrable initially deferred)');
    const error = await fails(() => db.executeMany('insert into child values (?)', [[5]]));
    expect(error.message).toBe('FOREIGN KEY constraint failed');
    expect(error).not.toHaveProperty('row');
    expect(db.isTransaction).toBe(false);
  });

  test('a signal is honoured before it begins, and between rows', async () => {
    const reason = new Error('enough');
    const aborted = AbortSignal.abort(reason);
    expect(await fails(() => db.executeMany(INSERT, [[1]], { signal: aborted }))).toBe(reason);
    const control = new AbortController();
    const seen: unknown[] = [];
    await db.function('see', (id: number) => {
      seen.push(id);
      if (id === 2) control.abort();
      return id;
    });
    const { signal } = control;
    const error = await fails(() =>
      db.executeMany('insert into t(id) values (see(?))', [[1], [2], [3]], { signal }),
    );
    expect(error).toBe(signal.reason);
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual([1, 2]);
    expect(await all()).toEqual([]);
    expect(db.isTransaction).toBe(false);
  });

  test('what an iterable throws undoes all of it', async () => {
    const rows = function* () {
      yield [1];
      throw new RangeError('no more');
    };
    expect((await fails(() => db.executeMany(INSERT, rows()))).message).toBe('no more');
    expect(await all()).toEqual([]);
    expect(db.isTransaction).toBe(false);
  });

  test.each([
    ['sql', () => [5, []], 'The "sql" argument must be a string.'],
    ['rows', () => [INSERT, 5], 'The "rows" argument must be an iterable.'],
    ['no rows', () => [INSERT], 'The "rows" argument must be an iterable.'],
    ['a row', () => [INSERT, [[1], 2]], 'Row 1 of the "rows" argument must be an array or an object.'],
    [
      'bytes as a row',
      () => [INSERT, [new Uint8Array(2)]],
      'Row 0 of the "rows" argument must be an array or an object.',
    ],
    ['options', () => [INSERT, [], 5], 'The "options" argument must be an object.'],
    ['a signal', () => [INSERT, [], { signal: {} }], 'The "options.signal" argument must be an AbortSignal.'],
  ])('wrong arguments are named: %s', async (_, args, message) => {
    expect(await fails(() => db.executeMany(...args()))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message,
    });
  });

  test('a closed database is named', async () => {
    await db.close();
    expect((await fails(() => db.executeMany(INSERT, []))).message).toBe('database is not open');
  });
});

test('DatabaseSync asks for rows as it runs them', () => {
  const db = new DatabaseSync(':memory:');
  db.exec('create table t(id integer primary key, name)');
  const count = db.prepare('select count(*) n from t');
  const seen: unknown[] = [];
  db.executeMany(
    INSERT,
    (function* () {
      for (const id of [1, 2]) {
        seen.push(count.get()?.n);
        yield [id];
      }
    })(),
  );
  expect(seen).toEqual([0, 1]);
  // One that closes the database gets the error of what comes next.
  const closing = function* () {
    yield [3];
    db.close();
    yield [4];
  };
  expect(() => db.executeMany(INSERT, closing())).toThrowError('statement has been finalized');
});

test('AsyncDatabase reads rows when it is called, and lets no other call in between', async () => {
  const db = new AsyncDatabase(':memory:');
  await db.exec('create table t(id integer primary key, name)');
  const row = [1, new Uint8Array([7])] as [number, Uint8Array];
  const many = fails(() => db.executeMany(INSERT, [row, [2], [1]]));
  await Promise.resolve();
  const other = db.exec('insert into t(id) values (3)');
  row[1][0] = 8;
  expect(await many).toMatchObject({ row: 2 });
  await other;
  const ids = (await db.prepare('select id from t')).all();
  expect(await ids).toEqual([{ id: 3 }]);
  const good = db.executeMany(INSERT, [row]);
  row[1][0] = 9;
  row[0] = 10;
  await good;
  expect(await (await db.prepare('select name from t where id = 1')).get()).toEqual({
    name: new Uint8Array([8]),
  });
});
