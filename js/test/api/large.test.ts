import { describe, expect, test } from 'vitest';
import { DatabaseSync } from './subject.js';

const ROWS = 100_000;

/** The row of a number: each kind of value, in sizes that move about. */
function model(i: number) {
  return {
    id: i,
    real: i / 3,
    wide: i * 2 ** 22,
    ascii: `row ${i}`.repeat(i % 5),
    text: `${'ß表😀'.slice(0, i % 5)}${i}`.replace(/[\ud800-\udbff](?![\udc00-\udfff])/g, ''),
    blob: new Uint8Array(i % 7).fill(i),
    none: i % 3 ? null : i % 2,
  };
}

const db = new DatabaseSync(':memory:');
db.exec('create table t(id integer primary key, real, wide integer, ascii, text, blob, none); begin');
const insert = db.prepare('insert into t values($id, $real, $wide, $ascii, $text, $blob, $none)');
for (let i = 1; i <= ROWS; i++) insert.run(model(i));
db.exec('commit');

/** Compares without the cost of a matcher, of which a hundred thousand would take long. */
function same(row: Record<string, unknown> | undefined, i: number): void {
  const expected = model(i);
  for (const [name, value] of Object.entries(expected)) {
    const found = row?.[name];
    const equal =
      value instanceof Uint8Array
        ? found instanceof Uint8Array && Buffer.compare(found, value) === 0
        : Object.is(found, value);
    if (!equal) throw new Error(`row ${i}: ${name} is ${String(found)}, not ${String(value)}`);
  }
}

describe(`${ROWS} rows`, () => {
  test('by all are each what was put in', () => {
    const rows = db.prepare('select * from t order by id').all();
    expect(rows).toHaveLength(ROWS);
    for (const [i, row] of rows.entries()) same(row, i + 1);
  });

  test('by all, as arrays', () => {
    const rows = db.prepare('select * from t order by id', { returnArrays: true }).all();
    expect(rows).toHaveLength(ROWS);
    for (const [i, row] of rows.entries()) {
      const [id, real, wide, ascii, text, blob, none] = row as unknown as unknown[];
      same({ id, real, wide, ascii, text, blob, none }, i + 1);
    }
  });

  test('by iterate', () => {
    let i = 0;
    for (const row of db.prepare('select * from t order by id').iterate()) same(row, ++i);
    expect(i).toBe(ROWS);
  });

  test('by get, each by its key', () => {
    const get = db.prepare('select * from t where id = ?');
    for (let i = 1; i <= ROWS; i += 7) same(get.get(i), i);
    expect(get.get(ROWS + 1)).toBe(undefined);
  });

  test('as BigInts where they are integers', () => {
    const rows = db.prepare('select id, real from t order by id', { readBigInts: true }).all();
    const wrong = rows.findIndex(({ id, real }, i) => id !== BigInt(i + 1) || real !== (i + 1) / 3);
    expect(wrong).toBe(-1);
  });

  test('read while the same table is read otherwise', () => {
    const get = db.prepare('select id, ascii from t where id = ?');
    let i = 0;
    for (const { id, ascii } of db.prepare('select id, ascii from t order by id').iterate()) {
      i++;
      if (i % 50 === 0 && get.get(ROWS - i + 1)?.id !== ROWS - i + 1)
        throw new Error(`the other row of ${i}`);
      if (id !== i || ascii !== model(i).ascii) throw new Error(`row ${i} is ${id}`);
    }
    expect(i).toBe(ROWS);
  });
});

test('rows of very different sizes are each whole', () => {
  const sizes = [0, 1, 255, 256, 65_535, 65_536, 262_143, 262_144, 262_145, 1_048_575, 1_048_577, 5_000_000];
  db.exec('create table sizes(n, t text, b blob)');
  const put = db.prepare('insert into sizes values(?, ?, ?)');
  for (const n of sizes) put.run(n, 'é'.repeat(n), new Uint8Array(n).fill(n));
  const seen: unknown[] = [];
  for (const { n, t, b } of db.prepare('select * from sizes').iterate() as Iterable<{
    n: number;
    t: string;
    b: Uint8Array;
  }>) {
    seen.push(n);
    expect([t.length, b.length]).toEqual([n, n]);
    expect(t === 'é'.repeat(n)).toBe(true);
    expect(b.every((byte) => byte === (n & 255))).toBe(true);
  }
  expect(seen).toEqual(sizes);
});
