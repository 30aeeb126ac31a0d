// Checkpoints and counters, on both builds: what node:sqlite does not have.
import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';
import { rejected } from './api/errors.js';
import { AsyncDatabase } from './async/subject.js';

beforeAll(() => init());

// Each of them is called with what the types of the other would not allow.
// biome-ignore lint/suspicious/noExplicitAny: both at once.
type Any = any;

describe.each([
  ['DatabaseSync', (path: string): Any => new DatabaseSync(path)],
  ['AsyncDatabase', (path: string): Any => new AsyncDatabase(path)],
])('%s', (name, open) => {
  const fails = (use: () => unknown) => rejected(Promise.resolve().then(use));

  test('checkpoint brings the log to the database', async () => {
    const db = open(`checkpoint-${name}.db`);
    expect(await db.checkpoint()).toEqual({ busy: false, log: -1, checkpointed: -1 });
    await db.pragma('journal_mode = wal');
    await db.exec('create table t(a); insert into t values (1)');
    const { log, ...rest } = await db.checkpoint({ mode: 'noop' });
    expect(log).toBeGreaterThan(0);
    expect(rest).toEqual({ busy: false, checkpointed: 0 });
    expect(await db.checkpoint({ schema: 'main' })).toEqual({ busy: false, log, checkpointed: log });
    await db.exec('insert into t values (2)');

    const reader = open(`checkpoint-${name}.db`);
    await reader.exec('begin; select * from t');
    await db.exec('insert into t values (3)');
    const busy = await db.checkpoint({ mode: 'truncate' });
    expect(busy.busy).toBe(true);
    expect(busy.checkpointed).toBeLessThan(busy.log);
    await reader.close();
    expect(await db.checkpoint({ mode: 'truncate' })).toEqual({ busy: false, log: 0, checkpointed: 0 });

    expect(await fails(() => db.checkpoint({ mode: 'all' }))).toMatchObject({
      code: 'ERR_INVALID_ARG_VALUE',
    });
    expect(await fails(() => db.checkpoint({ schema: 'x"y' }))).toMatchObject({
      message: 'unknown database "x""y"',
    });
    expect(await fails(() => db.checkpoint(1))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' });
    await db.close();
  });

  test('status counts what the cache does', async () => {
    const db = open(`status-${name}.db`);
    await db.exec('create table t(a); insert into t values (1)');
    const select = await db.prepare('select * from t');
    const before = db.status({ reset: true });
    expect(before.cacheWrites).toBeGreaterThan(0);
    expect(before.cacheUsed).toBeGreaterThan(4096);
    expect(before.schemaUsed).toBeGreaterThan(0);
    expect(before.statementsUsed).toBeGreaterThan(0);
    expect(db.status()).toMatchObject({ cacheHits: 0, cacheMisses: 0, cacheWrites: 0, cacheSpills: 0 });
    await select.all();
    expect(db.status().cacheHits).toBeGreaterThan(0);
    expect(await fails(() => db.status({ reset: 1 }))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' });
    await db.close();
    expect(await fails(() => db.status())).toMatchObject({ code: 'ERR_INVALID_STATE' });
  });
});
