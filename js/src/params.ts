/** Writes parameters into the inbox, format 1: `src/engine/params.rs` says how they are laid out. */
import type { Context } from './context.js';
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

/** Texts and blobs up to this length are copied by a loop here: asking the engine to do it costs as much as 100 bytes do. */
const SHORT = 64;

/**
 * Writes values for the parameters 1, 2, … and answers where.
 *
 * All that can fail or run somebody else's code comes first, then room is made for all of them: nothing calls into wasm
 * while it is written, so one set of views serves.
 */
export function writeParams(
  context: Pick<Context, 'inbox' | 'memory'>,
  values: readonly SQLInputValue[],
): number {
  const count = values.length;
  if (count === 0) return 0;
  let heap = 0;
  let blobs: Uint8Array[] | undefined;
  for (let i = 0; i < count; i++) {
    const value = values[i];
    switch (typeof value) {
      case 'string':
        // UTF-8 has at most three bytes for a UTF-16 unit. For a long text the exact number is worth finding out.
        heap += value.length < 16_384 ? value.length * 3 : encode(value).length;
        break;
      case 'object':
        if (value !== null) {
          const bytes = asBytes(value, i);
          blobs ??= [];
          blobs[i] = bytes;
          heap += byteLengthOf.call(bytes);
        }
        break;
      case 'bigint':
        if (BigInt.asIntN(64, value) !== value) throw invalidArgValue('BigInt value is too large to bind.');
        break;
      case 'symbol':
      case 'function':
        throw cannotBind(i);
    }
  }
  const place = context.inbox(count * 9 + heap);
  const { u8, u32, f64, i64 } = context.memory;
  const end = place + count * 9 + heap;
  let tags = place + count * 8;
  let next = place + count * 9;
  // In units of four bytes.
  let cell = place >>> 2;
  for (let i = 0; i < count; i++, cell += 2) {
    const value = values[i];
    let tag = Tag.Null;
    let length = -1;
    switch (typeof value) {
      case 'number':
        tag = Tag.Number;
        f64[cell >>> 1] = value;
        break;
      case 'string':
        tag = Tag.Text;
        length = writeShortAscii(u8, next, value);
        if (length < 0) length = encodeInto(value, u8.subarray(next, end)).written;
        break;
      case 'bigint':
        tag = Tag.Int64;
        i64[cell >>> 1] = value;
        break;
      case 'boolean':
        tag = Tag.Int64;
        i64[cell >>> 1] = value ? 1n : 0n;
        break;
      case 'object':
        if (value !== null) {
          const bytes = (blobs as Uint8Array[])[i] as Uint8Array;
          tag = Tag.Blob;
          length = byteLengthOf.call(bytes);
          if (length > SHORT) u8.set(bytes, next);
          else for (let k = 0; k < length; k++) u8[next + k] = bytes[k] as number;
        }
        break;
    }
    u8[tags++] = tag;
    if (length >= 0) {
      u32[cell] = next - place;
      u32[cell + 1] = length;
      next += length;
    }
  }
  return place;
}

/** Answers -1 for a text that is long or not ASCII; what it has written by then does not matter. */
export function writeShortAscii(u8: Uint8Array, at: number, text: string): number {
  const { length } = text;
  if (length > SHORT) return -1;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return -1;
    u8[at + i] = code;
  }
  return length;
}

const cannotBind = (index: number) =>
  invalidArgType(`Provided value cannot be bound to SQLite parameter ${index + 1}.`);

/** The true length, which an object's own property or a subclass cannot hide. */
const byteLengthOf = (
  Object.getOwnPropertyDescriptor(
    Object.getPrototypeOf(Uint8Array.prototype),
    'byteLength',
  ) as PropertyDescriptor
).get as () => number;

/** The bytes of any view or buffer. If they are many, the array is one that another thread cannot make longer meanwhile. */
function asBytes(value: object, index: number): Uint8Array {
  const bytes = bytesOf(value);
  if (bytes === undefined) throw cannotBind(index);
  return bytes;
}

/** As `asBytes`; undefined for what has none. */
export function bytesOf(value: object): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) {
    // The usual blob. Asking it for its buffer would make the engine give it one.
    if (value instanceof Uint8Array && byteLengthOf.call(value) <= SHORT) return value;
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  const length = bufferLength(value);
  return length === undefined ? undefined : new Uint8Array(value as ArrayBuffer, 0, length);
}

/** The same values, with blobs that are nobody else's. */
export const withOwnBlobs = (values: readonly SQLInputValue[]): readonly SQLInputValue[] =>
  values.some(isObject)
    ? values.map((value, i) => (isObject(value) ? new Uint8Array(asBytes(value, i)) : value))
    : values;

const isObject = (value: SQLInputValue): value is ArrayBuffer | ArrayBufferView =>
  typeof value === 'object' && value !== null;

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
