// A trap at every entry of the module, and in the middle of every call: all that is made of it says so, and a fresh `init` works.
import { beforeAll, expect, test } from 'vitest';
import { DatabaseSync, getVFS, init } from '../../src/index.js';
import { engine } from '../../src/init.js';
import { calls, Place, quietly } from './calls.js';
import { entryNames, failRequest, faultyWasm, haveFailed, trapAt } from './faulty-wasm.js';

let wasm: WebAssembly.Module;

beforeAll(async () => {
  wasm = await WebAssembly.compile((await faultyWasm()) as BufferSource);
  await init({ wasm });
});

/** What they reach, by their names. */
async function reached(): Promise<Map<string, string>> {
  const callOf = new Map<string, string>();
  const table = engine().exports as unknown as Record<string, (...numbers: number[]) => unknown>;
  const own = { ...table };
  let now = '';
  for (const name of entryNames(engine())) {
    table[name] = (...numbers) => {
      if (now !== '' && !callOf.has(name)) callOf.set(name, now);
      return (own[name] as (...numbers: number[]) => unknown)(...numbers);
    };
  }
  for (const [name, call] of Object.entries(calls)) {
    const place = new Place();
    now = name;
    await call(place);
    now = '';
    place.end();
  }
  Object.assign(table, own);
  return callOf;
}

/** The engine has stopped: everything says so, and why. Then there is a fresh one. */
async function stoppedAndStartedAnew(error: unknown, { db }: Place): Promise<void> {
  const said = {
    code: 'ERR_INVALID_STATE',
    message: expect.stringContaining('SQLite was stopped in the middle of a call'),
    cause: expect.any(WebAssembly.RuntimeError),
  };
  expect(error).toMatchObject(said);
  for (const use of [
    () => db.exec('SELECT 1'),
    () => db.close(),
    () => new DatabaseSync(':memory:'),
    () => getVFS(),
  ]) {
    expect(use).toThrowError(expect.objectContaining(said));
  }
  await init({ wasm });
  expect(() => db.exec('SELECT 1')).toThrowError(expect.objectContaining(said));
  expect(getVFS().list()).toEqual([]);
  const fresh = new DatabaseSync('fresh.db');
  fresh.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
  expect(fresh.prepare('SELECT * FROM t').all()).toEqual([{ a: 1 }]);
  fresh.close();
  getVFS().delete('fresh.db');
}

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('at every entry', async () => {
  const callOf = await reached();
  // Those of other builds, of WAL indexes, and what `init` calls itself.
  const others = entryNames(engine()).filter((name) => !callOf.has(name));
  expect(
    others.filter((name) => !/^kit_(foreign|wal_index|os)_|^kit_(start|version|outbox)$/.test(name)),
  ).toEqual([]);
  for (const [name, call] of callOf) {
    const place = new Place();
    trapAt(engine(), name);
    const error = await thrownBy(() => (calls[call] as (typeof calls)[string])(place));
    await stoppedAndStartedAnew(error, place);
  }
}, 300_000);

test.each(Object.entries(calls))('in the middle of %s', async (_, call) => {
  for (const n of [1, 3, 10]) {
    const place = new Place();
    failRequest(engine(), n, { fatal: true });
    const error = await thrownBy(() => call(place));
    if (haveFailed(engine())) await stoppedAndStartedAnew(error, place);
    else quietly(() => place.end());
  }
});
