// The encodings of rows and parameters from this end: what `src/engine/rows.rs` and `params.rs` say, written and read here by
// hand. The other end has the same tests in Rust.
import { expect, test } from 'vitest';
import type { BatchPlace, Context } from '../src/context.js';
import { Memory } from '../src/memory.js';
import { type SQLInputValue, writeParams } from '../src/params.js';
import { decodeArrays, decodeObjects, type SQLOutputValue } from '../src/rows.js';

const [NULL, INT32, NUMBER, INT64, TOO_LARGE, PLAIN, TEXT, BLOB] = [0, 1, 2, 3, 4, 5, 6, 7];

const encoder = new TextEncoder();

/** A memory with one batch in it, of values of which each says its tag. */
class Written {
  readonly memory = new Memory(new WebAssembly.Memory({ initial: 64 }));
  readonly place: BatchPlace;

  constructor(columns: number, values: readonly (readonly [tag: number | undefined, value: unknown])[]) {
    const { memory } = this;
    const cells = 1024;
    const tags = cells + values.length * 8;
    const heap = 2 ** 21;
    let next = heap;
    const plain: string[] = [];
    values.forEach(([tag, value], i) => {
      memory.u8[tags + i] = tag as number;
      const cell = (cells >>> 2) + 2 * i;
      if (tag === INT32) memory.i32[cell] = value as number;
      else if (tag === NUMBER) memory.f64[cell >>> 1] = value as number;
      else if (tag === INT64 || tag === TOO_LARGE) memory.i64[cell >>> 1] = value as bigint;
      else if (tag === PLAIN) plain.push(value as string);
      else if (tag === TEXT || tag === BLOB) {
        const bytes = tag === TEXT ? encoder.encode(value as string) : (value as Uint8Array);
        memory.u32[cell] = next - heap;
        memory.u32[cell + 1] = bytes.length;
        memory.u8.set(bytes, next);
        next += bytes.length;
      }
    });
    const list = encoder.encode(plain.length === 0 ? '' : JSON.stringify(plain));
    memory.u8.set(list, next);
    const rows = values.length / columns;
    this.place = { rows, columns, cells, tags, list: next, listLength: list.length, heap, reprepared: 0 };
  }

  get context(): Context {
    return { memory: this.memory } as unknown as Context;
  }
}

/** mulberry32: the same values in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const LENGTHS = [0, 1, 7, 8, 12, 13, 63, 64, 65, 100, 1024, 5000];

function generated(random: () => number): readonly [number | undefined, SQLOutputValue] {
  const below = (n: number) => Math.floor(random() * n);
  const length = LENGTHS[below(LENGTHS.length)] as number;
  const plain = () => 'plain text of an app '.repeat(length).slice(0, length);
  const tag = [NULL, INT32, NUMBER, INT64, PLAIN, TEXT, BLOB][below(7)];
  switch (tag) {
    case INT32:
      return [tag, below(2 ** 32) - 2 ** 31];
    case NUMBER:
      return [tag, (random() - 0.5) * 10 ** below(300)];
    case INT64:
      return [tag, BigInt.asIntN(64, (BigInt(below(2 ** 32)) << 32n) | BigInt(below(2 ** 32)))];
    case PLAIN:
      return [tag, plain()];
    case TEXT:
      return [tag, Array.from({ length }, () => String.fromCodePoint(below(0xd800))).join('')];
    case BLOB:
      return [tag, Uint8Array.from({ length }, () => below(256))];
    default:
      return [NULL, null];
  }
}

test('batches of generated values are decoded to what they were', () => {
  const random = generator(0x5eed);
  for (let round = 0; round < 200; round++) {
    const columns = 1 + Math.floor(random() * 8);
    const rows = 1 + Math.floor(random() * 20);
    const values = Array.from({ length: columns * rows }, () => generated(random));
    const { context, place } = new Written(columns, values);
    const expected = Array.from({ length: rows }, (_, row) =>
      values.slice(row * columns, (row + 1) * columns).map(([, value]) => value),
    );
    expect(decodeArrays(context, place)).toEqual({ rows: expected, error: undefined });
    const names = Array.from({ length: columns }, (_, column) => `c${column}`);
    expect(decodeObjects(context, place, names).rows.map(Object.values)).toEqual(expected);
  }
});

test('an integer that is too large ends a batch with the rows before it', () => {
  const { context, place } = new Written(2, [
    [INT32, 1],
    [PLAIN, 'a'],
    [INT32, 2],
    [TOO_LARGE, 2n ** 53n],
    [INT32, 3],
    [PLAIN, 'c'],
  ]);
  const { rows, error } = decodeArrays(context, place);
  expect(rows).toEqual([[1, 'a']]);
  expect(error).toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
  expect(String(error)).toContain('9007199254740992');
});

test('blobs are copies, with a buffer of their own', () => {
  const { context, place, memory } = new Written(1, [[BLOB, Uint8Array.of(1, 2, 3)]]);
  const [[blob]] = decodeArrays(context, place).rows as [[Uint8Array]];
  memory.u8.fill(9, place.heap, place.heap + 3);
  expect(blob).toEqual(Uint8Array.of(1, 2, 3));
  expect([blob.constructor, blob.byteOffset, blob.buffer.byteLength]).toEqual([Uint8Array, 0, 3]);
});

/** A context that is nothing but a memory with an inbox of exactly the size that was asked for. */
function inboxOf(memory: Memory) {
  const asked: number[] = [];
  const inbox = (size: number) => {
    asked.push(size);
    return 4096;
  };
  return { asked, context: { memory, inbox } as unknown as Context };
}

test('generated parameters are written as the format says, within the room that was asked for', () => {
  const random = generator(0xfeed);
  for (let round = 0; round < 300; round++) {
    const memory = new Memory(new WebAssembly.Memory({ initial: 64 }));
    const values = Array.from({ length: 1 + Math.floor(random() * 9) }, () => generated(random)[1]);
    const { context, asked } = inboxOf(memory);
    const place = writeParams(context, values as SQLInputValue[]);
    const size = asked[0] as number;
    expect(asked.length).toBe(1);
    expect(memory.u8.subarray(place + size, place + size + 64).every((byte) => byte === 0)).toBe(true);

    values.forEach((value, i) => {
      const cell = (place >>> 2) + 2 * i;
      const tag = memory.u8[place + values.length * 8 + i];
      const bytes = () => memory.copy(place + (memory.u32[cell] as number), memory.u32[cell + 1] as number);
      if (value === null) expect(tag).toBe(NULL);
      else if (typeof value === 'number') expect([tag, memory.f64[cell >>> 1]]).toEqual([NUMBER, value]);
      else if (typeof value === 'bigint') expect([tag, memory.i64[cell >>> 1]]).toEqual([INT64, value]);
      else if (typeof value === 'string')
        expect([tag, new TextDecoder().decode(bytes())]).toEqual([TEXT, value]);
      else expect([tag, bytes()]).toEqual([BLOB, value]);
    });
  }
});
