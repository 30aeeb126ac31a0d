/** Writes parameters into the inbox, format 1: `src/engine/params.rs` says how they are laid out. */
import type { Engine } from './engine.js';
import { invalidArgType, invalidArgValue } from './errors.js';
import { encode, encodeInto } from './text.js';

/** What can be bound to a parameter. `undefined` is NULL; a boolean is 1 or 0. */
export type SQLInputValue =
  | null
  | undefined
  | number
  | bigint
  | boolean
  | string
  | ArrayBuffer
  | ArrayBufferView;

enum Tag {
  Null = 0,
  Number = 2,
  Int64 = 3,
  Text = 6,
  Blob = 7,
}

/**
 * Writes values for the parameters 1, 2, … and answers where.
 *
 * All that can fail or run somebody else's code comes first, then room is made for all of them: nothing calls into wasm
 * while it is written, so one set of views serves.
 */
export function writeParams(engine: Engine, values: readonly SQLInputValue[]): number {
  const count = values.length;
  if (count === 0) return 0;
  let heap = 0;
  let blobs: Uint8Array[] | undefined;
  for (let i = 0; i < count; i++) {
    const value = values[i];
    // UTF-8 has at most three bytes for a UTF-16 unit. For a long text the exact number is worth finding out.
    if (typeof value === 'string') heap += value.length < 16_384 ? value.length * 3 : encode(value).length;
    else if (typeof value === 'object' && value !== null) {
      const bytes = asBytes(value, i);
      blobs ??= [];
      blobs[i] = bytes;
      heap += bytes.length;
    } else if (typeof value === 'bigint') {
      if (BigInt.asIntN(64, value) !== value) throw invalidArgValue('BigInt value is too large to bind.');
    } else if (typeof value === 'symbol' || typeof value === 'function') throw cannotBind(i);
  }
  const place = engine.inbox(count * 9 + heap);
  const { u8, u32, f64, i64 } = engine.memory;
  let offset = count * 9;
  for (let i = 0; i < count; i++) {
    const value = values[i];
    const cell = place + i * 8;
    let tag = Tag.Null;
    let length = -1;
    switch (typeof value) {
      case 'number':
        tag = Tag.Number;
        f64[cell >>> 3] = value;
        break;
      case 'string':
        tag = Tag.Text;
        length = encodeInto(value, u8.subarray(place + offset, place + count * 9 + heap)).written;
        break;
      case 'bigint':
        tag = Tag.Int64;
        i64[cell >>> 3] = value;
        break;
      case 'boolean':
        tag = Tag.Int64;
        i64[cell >>> 3] = value ? 1n : 0n;
        break;
      case 'object':
        if (value !== null) {
          const bytes = (blobs as Uint8Array[])[i] as Uint8Array;
          tag = Tag.Blob;
          length = bytes.length;
          u8.set(bytes, place + offset);
        }
        break;
    }
    u8[place + count * 8 + i] = tag;
    if (length >= 0) {
      u32[cell >>> 2] = offset;
      u32[(cell >>> 2) + 1] = length;
      offset += length;
    }
  }
  return place;
}

const cannotBind = (index: number) =>
  invalidArgType(`Provided value cannot be bound to SQLite parameter ${index + 1}.`);

/** The bytes of any view or buffer, as an array whose length neither a subclass nor another thread can change. */
function asBytes(value: object, index: number): Uint8Array {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  const length = bufferLength(value);
  if (length === undefined) throw cannotBind(index);
  return new Uint8Array(value as ArrayBuffer, 0, length);
}

/** What is bound as a blob: any view or buffer. */
export const isBytes = (value: object): boolean =>
  ArrayBuffer.isView(value) || bufferLength(value) !== undefined;

/** Asks the buffers' own getters: the value may come from another realm, be shared, or only look like a buffer. */
function bufferLength(value: object): number | undefined {
  for (const Buffer of [ArrayBuffer, globalThis.SharedArrayBuffer]) {
    try {
      const { get } = Object.getOwnPropertyDescriptor(Buffer.prototype, 'byteLength') as PropertyDescriptor;
      return (get as () => number).call(value);
    } catch {
      // Not this kind.
    }
  }
  return undefined;
}
