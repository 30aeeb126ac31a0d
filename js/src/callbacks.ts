/**
 * Answers SQLite's calls of functions that are written in JavaScript. The other side is `src/engine/functions.rs`.
 *
 * What a function throws gets no further than this: an exception that crossed wasm frames would leave SQLite in the middle of a call.
 * The connection keeps it, and throws it when the call that it is in has failed.
 */
import type { Connection } from './connection.js';
import type { Engine } from './engine.js';
import { invalidState } from './errors.js';
import { bytesOf, writeShortAscii } from './params.js';
import { decodeArguments, type SQLOutputValue } from './rows.js';
import { encode, encodeInto } from './text.js';

/** Bytes of an answer that need no memory of their own: `ROOM` of `functions.rs`. */
const ROOM = 192;

/** A text of so many UTF-16 units fits there, since UTF-8 has at most three bytes for each. */
const SHORT_TEXT = ROOM / 3;

/**
 * So many calls inside of each other, on all connections: each has frames on two stacks, of which the one in memory is 1 MiB. Whoever
 * comes this far calls himself.
 */
const DEEPEST = 100;

/** Tags of answers, and why there is none. */
enum Code {
  Null = 0,
  Number = 2,
  Int64 = 3,
  Text = 6,
  Blob = 7,
  Threw = -1,
  NoValue = -2,
  Promise = -3,
  TooLarge = -4,
  TooBig = -5,
}

/** What SQL functions are called with. */
export type SQLFunction = (...values: SQLOutputValue[]) => unknown;

/** Which connection a function belongs to, of whatever build. */
export type Owner = Pick<Connection, 'callback' | 'threw'>;

interface Entry {
  readonly owner: Owner;
  readonly call: SQLFunction;
}

type Import = (...numbers: number[]) => unknown;

export class Callbacks {
  /** Set when the module is instantiated: it is asked for its functions before. */
  engine!: Engine;
  readonly #entries: (Entry | undefined)[] = [];
  readonly #free: number[] = [];
  #depth = 0;

  /** Answers a number for a function, until SQLite has no more use for it. */
  add(entry: Entry): number {
    const number = this.#free.pop() ?? this.#entries.length;
    this.#entries[number] = entry;
    return number;
  }

  /** The functions that the module imports. */
  imports(): Record<string, Import> {
    return {
      js_function: (number, count, cells, tags, answer) => {
        const { owner, call } = this.#entries[number] as Entry;
        return this.#called(owner, () => {
          const values = decodeArguments(this.engine.memory, count, cells >>> 0, tags >>> 0);
          return this.#answer(call.apply(undefined, values), answer >>> 0);
        });
      },
      js_forget: (number) => {
        this.#entries[number] = undefined;
        this.#free.push(number);
      },
    };
  }

  /** Calls what may throw. */
  #called(owner: Owner, call: () => number): number {
    if (this.#depth >= DEEPEST) {
      owner.threw(invalidState(`More than ${DEEPEST} calls of functions inside of each other.`));
      return Code.Threw;
    }
    this.#depth++;
    owner.callback(1);
    try {
      return call();
    } catch (error) {
      // Then there is nothing to go back to.
      if (this.engine.hasStopped) throw error;
      owner.threw(error);
      return Code.Threw;
    } finally {
      this.#depth--;
      owner.callback(-1);
    }
  }

  /** Writes what a function has answered, for SQLite. */
  #answer(value: unknown, place: number): number {
    const { memory } = this.engine;
    switch (typeof value) {
      case 'number':
        memory.f64[place >>> 3] = value;
        return Code.Number;
      case 'string':
        return this.#text(value, place);
      case 'undefined':
        return Code.Null;
      case 'bigint':
        if (BigInt.asIntN(64, value) !== value) return Code.TooLarge;
        memory.i64[place >>> 3] = value;
        return Code.Int64;
      case 'object': {
        if (value === null) return Code.Null;
        const bytes = bytesOf(value);
        if (bytes !== undefined) return this.#bytes(bytes, place, Code.Blob);
        return value instanceof Promise ? Code.Promise : Code.NoValue;
      }
      default:
        return Code.NoValue;
    }
  }

  #text(text: string, place: number): number {
    if (text.length > SHORT_TEXT) return this.#bytes(encode(text), place, Code.Text);
    const { u8 } = this.engine.memory;
    const start = place + 8;
    let length = writeShortAscii(u8, start, text);
    if (length < 0) length = encodeInto(text, u8.subarray(start, start + ROOM)).written;
    return this.#placed(start, length, place, Code.Text);
  }

  #bytes(bytes: Uint8Array, place: number, code: Code): number {
    const { length } = bytes;
    const start = length <= ROOM ? place + 8 : this.engine.exports.kit_allocate(length) >>> 0;
    if (start === 0) return Code.TooBig;
    this.engine.memory.u8.set(bytes, start);
    return this.#placed(start, length, place, code);
  }

  #placed(start: number, length: number, place: number, code: Code): number {
    const { u32 } = this.engine.memory;
    u32[place >>> 2] = start;
    u32[(place >>> 2) + 1] = length;
    return code;
  }
}
