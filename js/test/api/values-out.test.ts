import { describe, expect, test } from 'vitest';
import { thrown, tooLarge } from './errors.js';
import { DatabaseSync } from './subject.js';

const db = new DatabaseSync(':memory:');
const get = (sql: string) => (db.prepare(`select ${sql} v`).get() as { v: unknown }).v;

function big(sql: string): unknown {
  const statement = db.prepare(`select ${sql} v`, { readBigInts: true });
  return (statement.get() as { v: unknown }).v;
}

const safe = [
  0,
  1,
  -1,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  -(2 ** 53) + 1,
];
const unsafe = [2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n), -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)];
/** SQLite reads the smallest as a float where it is written with its sign. */
const literal = (value: bigint) => (value === -(2n ** 63n) ? '-9223372036854775807 - 1' : String(value));

describe('integers', () => {
  test.each(safe)('%d is a number', (value) => {
    expect(get(String(value))).toBe(value);
    expect(big(String(value))).toBe(BigInt(value));
  });

  test.each(unsafe)('%d is an error as a number, and exact as a BigInt', (value) => {
    expect(thrown(() => get(literal(value)))).toEqual(tooLarge(value));
    expect(big(literal(value))).toBe(value);
  });

  test('that are too large are an error in get, all and iterate, wherever they are', () => {
    const sql = 'select 1 a, 2 b union all select 3, 9007199254740993';
    const refused = tooLarge(9007199254740993n);
    expect(thrown(() => db.prepare(sql).all())).toEqual(refused);
    expect(thrown(() => db.prepare(sql, { returnArrays: true }).all())).toEqual(refused);
    expect(thrown(() => db.prepare(`${sql} limit 1 offset 1`).get())).toEqual(refused);
    const seen: unknown[] = [];
    const read = () => {
      for (const row of db.prepare(sql).iterate()) seen.push(row);
    };
    expect(thrown(read)).toEqual(refused);
    expect(seen).toEqual([{ a: 1, b: 2 }]);
  });

  test('that are too large do no harm to the statement', () => {
    const statement = db.prepare('select 1 a union all select 9007199254740993');
    expect(thrown(() => statement.all())).toEqual(tooLarge(9007199254740993n));
    expect(statement.get()).toEqual({ a: 1 });
    statement.setReadBigInts(true);
    expect(statement.all()).toEqual([{ a: 1n }, { a: 9007199254740993n }]);
  });

  test('a rowid that is too large is an error, and the row is in', () => {
    db.exec('create table if not exists ids(a integer primary key); delete from ids');
    const insert = db.prepare('insert into ids values(?)');
    expect(insert.run(9007199254740991n)).toEqual({ changes: 1, lastInsertRowid: 9007199254740991 });
    expect(insert.run(-9007199254740991n)).toEqual({ changes: 1, lastInsertRowid: -9007199254740991 });
    expect(insert.run(-5n)).toEqual({ changes: 1, lastInsertRowid: -5 });
    for (const id of [9007199254740992n, -9007199254740992n, 9223372036854775807n]) {
      expect(thrown(() => insert.run(id))).toEqual(tooLarge(id));
    }
    expect(db.prepare('select count(*) n from ids').get()).toEqual({ n: 6 });
  });
});

test('floats are numbers, whole ones too, and stay numbers with readBigInts', () => {
  const floats: [string, number][] = [
    ['1.0', 1],
    ['1.5', 1.5],
    ['-0.0', -0],
    ['1e308 * 10', Infinity],
    ['-1e308 * 10', -Infinity],
    ['9007199254740993.0', 9007199254740992],
    ['5e-324', 5e-324],
    ['9223372036854775808', 2 ** 63],
    ['-9223372036854775808.0', -(2 ** 63)],
  ];
  for (const [sql, value] of floats) {
    expect(get(sql)).toBe(value);
    expect(big(sql)).toBe(value);
  }
});

test('NULL is null, what is no number too', () => {
  expect(get('null')).toBe(null);
  expect(get('1e999 - 1e999')).toBe(null);
  expect(get('1 / 0')).toBe(null);
});

describe('text', () => {
  test.each([
    ["''", ''],
    ["'a'", 'a'],
    ['char(0)', '\0'],
    ["'a' || char(0) || 'b'", 'a\0b'],
    ["'é'", 'é'],
    ["'ÿ€表😀'", 'ÿ€表😀'],
    ["char(0xfeff) || 'x'", '\ufeffx'],
    ['char(0xffff)', '\uffff'],
    ["cast(x'' as text)", ''],
    ['5 || 6', '56'],
  ])('%s', (sql, value) => {
    expect(get(sql)).toBe(value);
  });

  test.each([
    ['ff41', '\ufffdA'],
    ['41ff', 'A\ufffd'],
    ['e282', '\ufffd'],
    ['e28241', '\ufffdA'],
    ['eda080', '\ufffd\ufffd\ufffd'],
    ['c080', '\ufffd\ufffd'],
    ['f8888080', '\ufffd\ufffd\ufffd\ufffd'],
    ['f4908080', '\ufffd\ufffd\ufffd\ufffd'],
    ['8080', '\ufffd\ufffd'],
  ])('of the bytes %s, which are not UTF-8, has U+FFFD for them', (bytes, value) => {
    expect(get(`cast(x'${bytes}' as text)`)).toBe(value);
  });

  test('is itself in a row with any other', () => {
    const row = db
      .prepare("select 'ascii' a, 'é' b, '' c, 'more' d, '😀' e, x'ff' f, 'z' g", { returnArrays: true })
      .get();
    expect(row).toEqual(['ascii', 'é', '', 'more', '😀', new Uint8Array([255]), 'z']);
  });
});

describe('blobs', () => {
  test('are Uint8Arrays of their own', () => {
    const { a, b } = db.prepare("select x'0102' a, x'03' b").get() as { a: Uint8Array; b: Uint8Array };
    expect(a.constructor).toBe(Uint8Array);
    expect(a).toEqual(new Uint8Array([1, 2]));
    expect([a.byteOffset, a.buffer.byteLength]).toEqual([0, 2]);
    expect(a.buffer).toBeInstanceOf(ArrayBuffer);
    a.fill(9);
    expect(b).toEqual(new Uint8Array([3]));
  });

  test('of no length are empty, not null', () => {
    expect(get("x''")).toEqual(new Uint8Array(0));
    expect(get('zeroblob(0)')).toEqual(new Uint8Array(0));
  });

  test('stay what they are, whatever the database does next', () => {
    const blob = get("x'0102030405'") as Uint8Array;
    db.prepare("select zeroblob(5000000), hex(zeroblob(1000000)), x'ffffffffff'").all();
    expect(blob).toEqual(new Uint8Array([1, 2, 3, 4, 5]));
  });

  test('may be large', () => {
    const blob = get('zeroblob(30000000)') as Uint8Array;
    expect(blob.length).toBe(30_000_000);
    expect(blob.every((byte) => byte === 0)).toBe(true);
  });
});
