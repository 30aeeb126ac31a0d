import { describe, expect, test } from 'vitest';
import { argType, argValue, thrown } from './errors.js';
import { DatabaseSync, wrong } from './subject.js';

const db = new DatabaseSync(':memory:');
const statement = db.prepare('select typeof(?1) type, hex(?1) hex, cast(?1 as text) text', {
  returnArrays: true,
});

/** What SQLite has for a value that was bound: its type, and its bytes or its text. */
const bound = (value: unknown) => statement.get(wrong(value)) as unknown as [string, string, string | null];
const type = (value: unknown) => bound(value)[0];
const hex = (value: unknown) => bound(value)[1];
const text = (value: unknown) => bound(value)[2];

describe('numbers', () => {
  test('are floats, whole ones too', () => {
    for (const value of [0, 1, -1, 1.5, 2 ** 31, -(2 ** 31), 2 ** 53, 2 ** 63, 1e300, 5e-324]) {
      expect(type(value)).toBe('real');
    }
    expect(text(1)).toBe('1.0');
    expect(text(-1.5)).toBe('-1.5');
    expect(text(2 ** 53)).toBe('9007199254740992.0');
  });

  test('keep their value to the last bit', () => {
    const back = db.prepare('select ? v');
    const values = [-0, 0.1, Number.MAX_VALUE, Number.MIN_VALUE, Number.EPSILON, -1 / 3, Infinity, -Infinity];
    for (const value of values) expect(back.get(value)).toEqual({ v: value });
  });

  test('that are not, are NULL', () => {
    expect(type(Number.NaN)).toBe('null');
  });

  test('become integers in a column of integers', () => {
    db.exec('create table if not exists ints(a integer)');
    const insert = db.prepare('insert into ints values(?) returning typeof(a) t');
    expect(insert.get(5)).toEqual({ t: 'integer' });
    expect(insert.get(5.5)).toEqual({ t: 'real' });
  });
});

describe('BigInts', () => {
  test('are integers of 64 bits', () => {
    const values = [0n, 1n, -1n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
    for (const value of values) expect(bound(value)).toEqual(['integer', expect.anything(), String(value)]);
  });

  test('of more bits are refused', () => {
    const refused = argValue('BigInt value is too large to bind.');
    for (const value of [2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n, 2n ** 200n]) {
      expect(thrown(() => type(value))).toEqual(refused);
    }
  });
});

test('booleans are integers', () => {
  expect(bound(true)).toEqual(['integer', '31', '1']);
  expect(bound(false)).toEqual(['integer', '30', '0']);
});

test('null and undefined are NULL', () => {
  expect(type(null)).toBe('null');
  expect(type(undefined)).toBe('null');
});

describe('text', () => {
  test.each([
    ['', ''],
    ['a', '61'],
    ['\0', '00'],
    ['a\0b\0', '61006200'],
    ['é', 'C3A9'],
    ['ÿ', 'C3BF'],
    ['€', 'E282AC'],
    ['😀', 'F09F9880'],
    ['\ufeff', 'EFBBBF'],
    ['\uffff', 'EFBFBF'],
    ['a\u0301', '61CC81'],
  ])('%j is text with the bytes of its UTF-8', (value, bytes) => {
    expect(type(value)).toBe('text');
    expect(hex(value)).toBe(bytes);
  });

  test('has U+FFFD in the place of a lone surrogate', () => {
    expect(hex('\ud800')).toBe('EFBFBD');
    expect(hex('a\udc00b')).toBe('61EFBFBD62');
    expect(hex('\udc00\ud800')).toBe('EFBFBDEFBFBD');
    expect(hex('\ud83d\ude00')).toBe('F09F9880');
  });

  test('of every length around 16384 and 65536 is whole, whatever it is made of', () => {
    const length = db.prepare('select length(?1) chars, length(cast(?1 as blob)) bytes, ?1 value');
    for (const [unit, bytes] of [
      ['x', 1],
      ['é', 2],
      ['表', 3],
    ] as const) {
      for (const base of [16_384, 65_536, Math.floor(65_536 / bytes)]) {
        for (let n = base - 3; n <= base + 3; n++) {
          const value = unit.repeat(n);
          expect(length.get(value)).toEqual({ chars: n, bytes: n * bytes, value });
        }
      }
    }
  });
});

describe('bytes', () => {
  const four = new Uint8Array([1, 2, 3, 4]);

  test.each<[string, unknown, string]>([
    ['Uint8Array', four, '01020304'],
    ['part of a Uint8Array', four.subarray(1, 3), '0203'],
    ['Uint8Array of no length', new Uint8Array(0), ''],
    ['end of a Uint8Array', four.subarray(4), ''],
    ['Buffer', Buffer.from('xy'), '7879'],
    ['derived Uint8Array', new (class extends Uint8Array {})([7]), '07'],
    ['Int8Array', new Int8Array([-1]), 'FF'],
    ['Uint8ClampedArray', new Uint8ClampedArray([300]), 'FF'],
    ['Uint16Array', new Uint16Array([1, 256]), '01000001'],
    ['Int16Array', new Int16Array([-2]), 'FEFF'],
    ['Uint32Array', new Uint32Array([1]), '01000000'],
    ['Int32Array', new Int32Array([-1]), 'FFFFFFFF'],
    ['Float32Array', new Float32Array([1]), '0000803F'],
    ['Float64Array', new Float64Array([1]), '000000000000F03F'],
    ['Float64Array of no length', new Float64Array(0), ''],
    ['BigInt64Array', new BigInt64Array([-1n]), 'FFFFFFFFFFFFFFFF'],
    ['BigUint64Array', new BigUint64Array([1n]), '0100000000000000'],
    ['DataView', new DataView(four.buffer, 1, 2), '0203'],
    ['ArrayBuffer', four.buffer, '01020304'],
    ['SharedArrayBuffer', new SharedArrayBuffer(2), '0000'],
    ['Uint8Array over a SharedArrayBuffer', new Uint8Array(new SharedArrayBuffer(2)), '0000'],
  ])('of a %s are a blob', (_, value, bytes) => {
    expect([type(value), hex(value)]).toEqual(['blob', bytes]);
  });

  test('that change after the call do not change what was bound', () => {
    db.exec('create table if not exists blobs(a)');
    const bytes = new Uint8Array([1, 2, 3]);
    db.prepare('insert into blobs values(?)').run(bytes);
    bytes.fill(9);
    expect(db.prepare('select hex(a) h from blobs').get()).toEqual({ h: '010203' });
  });

  test('of many megabytes are whole', () => {
    const bytes = new Uint8Array(20_000_000).map((_, i) => i * 7);
    const back = db.prepare('select ? v').get(bytes) as { v: Uint8Array };
    expect(Buffer.compare(back.v, bytes)).toBe(0);
  });
});

describe('what is nothing of all this', () => {
  const refused = (n: number) => argType(`Provided value cannot be bound to SQLite parameter ${n}.`);
  const others: [string, unknown][] = [
    ['symbol', Symbol('x')],
    ['function', () => 1],
    ['class', class {}],
    ['object', {}],
    ['array', [1]],
    ['Date', new Date(0)],
    ['Map', new Map()],
    ['RegExp', /x/],
    ['String object', new String('x')],
    ['Number object', new Number(1)],
    ['BigInt object', Object(1n)],
    ['Promise', Promise.resolve()],
    ['Error', new Error('x')],
    ['object without a prototype', Object.create(null)],
    ['Proxy of bytes', new Proxy(new Uint8Array(1), {})],
    ['object named like bytes', { [Symbol.toStringTag]: 'Uint8Array', length: 1 }],
    ['object named like a buffer', { [Symbol.toStringTag]: 'ArrayBuffer', byteLength: 1 }],
  ];

  test.each(others)('%s is refused, and which parameter it was for is said', (_, value) => {
    expect(thrown(() => db.prepare('select ?, ?').get(1, wrong(value)))).toEqual(refused(2));
    expect(thrown(() => db.prepare('select $a, $b').get({ a: 1, b: wrong(value) }))).toEqual(refused(2));
    expect(thrown(() => db.prepare('select $a').all({ a: wrong(value) }))).toEqual(refused(1));
  });

  test('the first one is told', () => {
    expect(thrown(() => db.prepare('select ?, ?, ?').get(1, 2n ** 64n, wrong(Symbol('x'))))).toMatchObject({
      message: 'BigInt value is too large to bind.',
    });
    expect(thrown(() => db.prepare('select ?, ?, ?').get(1, wrong([]), 2n ** 64n))).toEqual(refused(2));
  });
});
