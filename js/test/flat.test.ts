// That a large result stays small: nothing of it is kept but what the program keeps.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';
import { engine } from '../src/init.js';

beforeAll(() => init());

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

const MIB = 2 ** 20;
const FULL = process.env.SQLITE_VFS_KIT_FULL === '1';
const ROWS = FULL ? 10_000_000 : 500_000;

const COUNT = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${ROWS})`;

function heap(): number {
  gc();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

test(
  `iterating ${ROWS} rows takes no memory, here or in wasm`,
  () => {
    const db = new DatabaseSync(':memory:');
    const rows = db
      .prepare(`${COUNT} SELECT i, 'row number ' || i AS text, randomblob(16) AS blob FROM n`)
      .iterate();
    let count = 0;
    let [heapAtFirst, wasmAtFirst] = [0, 0];
    for (const { i } of rows) {
      count++;
      if (i !== count) throw new Error(`row ${count} is ${i}`);
      if (count === 100_000) [heapAtFirst, wasmAtFirst] = [heap(), engine().memory.u8.length];
    }
    expect(count).toBe(ROWS);
    expect(engine().memory.u8.length).toBe(wasmAtFirst);
    expect(heap() - heapAtFirst).toBeLessThan(4 * MIB);
    db.close();
  },
  FULL ? 300_000 : 30_000,
);

test('a string that is kept keeps nothing else of its batch', () => {
  const db = new DatabaseSync(':memory:');
  const before = heap();
  const kept: string[] = [];
  const texts = db.prepare(`${COUNT} SELECT printf('%0200d', i) AS text FROM n LIMIT 200000`).iterate();
  let row = 0;
  // Some of every batch: if each kept its batch alive, that would be all 40 MB of text.
  for (const { text } of texts) if (row++ % 500 === 0) kept.push(text as string);
  expect(heap() - before).toBeLessThan(4 * MIB);
  expect(kept.length).toBe(400);
  expect(kept.at(-1)).toBe(String(199_501).padStart(200, '0'));
  db.close();
});
