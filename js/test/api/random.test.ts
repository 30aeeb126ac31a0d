import { describe, expect, test } from 'vitest';
import { DatabaseSync } from './subject.js';

/** Marsaglia's xorshift: the same numbers in every run from one seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return Math.floor(((state >>> 0) / 2 ** 32) * below);
  };
}

type Value = null | number | bigint | string | Uint8Array;

/** A value of any type; small ones often, and some of hundreds of kilobytes. */
function valueFrom(random: (below: number) => number): Value {
  const size = random(50) === 0 ? random(300_000) : random(10) === 0 ? random(3000) : random(20);
  switch (random(8)) {
    case 0:
      return null;
    case 1:
      return new Float64Array(new Uint32Array([random(2 ** 32), random(2 ** 32)]).buffer)[0] as number;
    case 2:
      return (random(2 ** 32) - 2 ** 31) / 8;
    case 3:
      return BigInt.asIntN(64, (BigInt(random(2 ** 32)) << 32n) | BigInt(random(2 ** 32)));
    case 4:
      return BigInt.asIntN(64, (1n << BigInt(random(64))) - BigInt(random(3)));
    case 5:
      return String.fromCharCode(...Array.from({ length: Math.min(size, 3000) }, () => random(128)));
    case 6: {
      const points = Array.from({ length: Math.min(size, 3000) }, () => {
        const point = random(4) ? random(0x800) : random(0x110000);
        return point >= 0xd800 && point < 0xe000 ? 0xfffd : point;
      });
      return String.fromCodePoint(...points).repeat(1 + random(size > 3000 ? 100 : 2));
    }
    default: {
      const bytes = new Uint8Array(size);
      for (let i = 0; i < size; i += 97) bytes[i] = random(256);
      return bytes;
    }
  }
}

const described = (value: Value) =>
  value instanceof Uint8Array
    ? `bytes ${Buffer.from(value).toString('base64')}`
    : `${typeof value} ${String(value)}`;

/** What comes back: what is no number is NULL to SQLite, and integers come as BigInts. */
const expectedOf = (value: Value) => (Number.isNaN(value) ? null : value);

const full = Boolean(process.env.SQLITE_VFS_KIT_FULL);

describe.each(Array.from({ length: full ? 200 : 12 }, (_, i) => i * 7919 + 1))('from seed %d', (seed) => {
  test('values of every type and size come back as they were', () => {
    const random = randomFrom(seed);
    const db = new DatabaseSync(':memory:');
    const columns = 1 + random(8);
    const names = Array.from({ length: columns }, (_, i) => `c${i}`);
    db.exec(`create table t(id integer primary key, ${names.join()})`);
    const insert = db.prepare(`insert into t values(?, ${names.map(() => '?').join()})`);
    const rows = Array.from({ length: 150 }, () => names.map(() => valueFrom(random)));
    for (const [i, row] of rows.entries()) insert.run(i, ...row);

    const all = db.prepare(`select ${names.join()} from t order by id`, {
      readBigInts: true,
      returnArrays: true,
    });
    const expected = rows.map((row) => row.map(expectedOf).map(described));
    const found = (all.all() as unknown as Value[][]).map((row) => row.map(described));
    expect(found.findIndex((row, i) => row.join() !== expected[i]?.join())).toBe(-1);
    const iterated = [...all.iterate()] as unknown as Value[][];
    expect(iterated.findIndex((row, i) => row.map(described).join() !== expected[i]?.join())).toBe(-1);
    expect(iterated).toHaveLength(rows.length);

    const get = db.prepare(`select ${names.join()} from t where id = ?`, { readBigInts: true });
    for (let i = 0; i < rows.length; i += 1 + random(10)) {
      const row = get.get(i) as Record<string, Value>;
      expect(names.map((name) => described(row[name] as Value)).join()).toBe(expected[i]?.join());
    }
  });
});
