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
 * Room is made for all of them first: nothing here calls into wasm while it writes, so one set of views serves.
 */
export function writeParams(engine: Engine, values: readonly SQLInputValue[]): number {
  const count = values.length;
  let heap = 0;
  for (const value of values) {
    // UTF-8 has at most three bytes for a UTF-16 unit. For a long text the exact number is worth finding out.
    if (typeof value === 'string') heap += value.length < 16_384 ? value.length * 3 : encode(value).length;
    else if (typeof value === 'object' && value !== null) heap += byteLength(value);
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
        if (BigInt.asIntN(64, value) !== value) throw invalidArgValue('BigInt value is too large to bind.');
        tag = Tag.Int64;
        i64[cell >>> 3] = value;
        break;
      case 'boolean':
        tag = Tag.Number;
        f64[cell >>> 3] = value ? 1 : 0;
        break;
      case 'object':
        if (value !== null) {
          const bytes = asBytes(value);
          if (!bytes) throw cannotBind(i);
          tag = Tag.Blob;
          length = bytes.length;
          u8.set(bytes, place + offset);
        }
        break;
      case 'undefined':
        break;
      default:
        throw cannotBind(i);
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

const byteLength = (value: object): number => asBytes(value)?.length ?? 0;

/** The bytes of any view or buffer; undefined for another object. */
function asBytes(value: object): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  // By name: the buffer may come from another realm, or be shared.
  const kind = Object.prototype.toString.call(value);
  if (kind === '[object ArrayBuffer]' || kind === '[object SharedArrayBuffer]') {
    return new Uint8Array(value as ArrayBuffer);
  }
  return undefined;
}
