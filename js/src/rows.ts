/** Decodes batches of rows, format 1: `src/engine/rows.rs` says how they are laid out. */
import type { BatchPlace, Engine } from './engine.js';
import { tooLarge } from './errors.js';
import { decode } from './text.js';

/** What SQLite's values are in JavaScript. */
export type SQLOutputValue = null | number | bigint | string | Uint8Array;

enum Tag {
  Null = 0,
  Int32 = 1,
  Number = 2,
  Int64 = 3,
  TooLarge = 4,
  Ascii = 5,
  Text = 6,
  Blob = 7,
}

/** Rows of a batch before one that cannot be had, and why. */
export interface Decoded<Row> {
  rows: Row[];
  error: Error | undefined;
}

/**
 * Reads the values of a batch one after another. It holds views of memory, so it is made, used up and let go between two
 * calls into wasm.
 */
class Values {
  readonly #engine: Engine;
  readonly #tags: Uint8Array;
  readonly #i32: Int32Array;
  readonly #u32: Uint32Array;
  readonly #f64: Float64Array;
  readonly #cells: number;
  readonly #heap: number;
  /** All ASCII texts of the batch, decoded in one go. */
  readonly #ascii: string;
  #next = 0;

  constructor(engine: Engine, place: BatchPlace) {
    const { memory } = engine;
    this.#engine = engine;
    this.#tags = memory.view(place.tags, place.rows * place.columns);
    this.#i32 = memory.i32;
    this.#u32 = memory.u32;
    this.#f64 = memory.f64;
    this.#cells = place.cells;
    this.#heap = place.heap;
    this.#ascii = place.asciiLength === 0 ? '' : decode(memory.view(place.ascii, place.asciiLength));
  }

  next(): SQLOutputValue {
    const i = this.#next++;
    const cell = this.#cells + i * 8;
    switch (this.#tags[i] as Tag) {
      case Tag.Int32:
        return this.#i32[cell >>> 2] as number;
      case Tag.Number:
        return this.#f64[cell >>> 3] as number;
      case Tag.Ascii: {
        const offset = this.#u32[cell >>> 2] as number;
        return this.#ascii.slice(offset, offset + (this.#u32[(cell >>> 2) + 1] as number));
      }
      case Tag.Text: {
        const offset = this.#u32[cell >>> 2] as number;
        return decode(this.#engine.memory.view(this.#heap + offset, this.#u32[(cell >>> 2) + 1] as number));
      }
      case Tag.Blob: {
        const offset = this.#u32[cell >>> 2] as number;
        return this.#engine.memory.copy(this.#heap + offset, this.#u32[(cell >>> 2) + 1] as number);
      }
      case Tag.Int64:
        return this.#engine.memory.i64[cell >>> 3] as bigint;
      case Tag.TooLarge:
        throw tooLarge(this.#engine.memory.i64[cell >>> 3] as bigint);
      default:
        return null;
    }
  }
}

/** Rows as arrays. */
export function decodeArrays(engine: Engine, place: BatchPlace): Decoded<SQLOutputValue[]> {
  return decodeRows(engine, place, (values, columns) => {
    const row: SQLOutputValue[] = [];
    for (let column = 0; column < columns; column++) row.push(values.next());
    return row;
  });
}

/** Rows as objects without a prototype; of columns with the same name the last one wins. */
export function decodeObjects(
  engine: Engine,
  place: BatchPlace,
  names: readonly string[],
): Decoded<Record<string, SQLOutputValue>> {
  // Faster than Object.create(null), which makes a dictionary: fields first, prototype last. A column named __proto__ would
  // set the prototype, so it takes the slower way.
  const ordinary = !names.includes('__proto__');
  return decodeRows(engine, place, (values, columns) => {
    const row: Record<string, SQLOutputValue> = ordinary ? {} : Object.create(null);
    for (let column = 0; column < columns; column++) row[names[column] as string] = values.next();
    return ordinary ? Object.setPrototypeOf(row, null) : row;
  });
}

function decodeRows<Row>(
  engine: Engine,
  place: BatchPlace,
  decodeRow: (values: Values, columns: number) => Row,
): Decoded<Row> {
  const { rows: count, columns } = place;
  const rows: Row[] = [];
  if (count === 0) return { rows, error: undefined };
  try {
    const values = new Values(engine, place);
    for (let i = 0; i < count; i++) rows.push(decodeRow(values, columns));
  } catch (error) {
    return { rows, error: error as Error };
  }
  return { rows, error: undefined };
}
