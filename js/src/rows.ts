/** Decodes batches of rows, format 1: `src/engine/rows.rs` says how they are laid out. */
import type { BatchPlace, Context } from './context.js';
import { tooLarge } from './errors.js';
import { decode, decodeAt } from './text.js';

type Reading = Pick<Context, 'memory'>;

/** What SQLite's values are in JavaScript. */
export type SQLOutputValue = null | number | bigint | string | Uint8Array;

enum Tag {
  Null = 0,
  Int32 = 1,
  Number = 2,
  Int64 = 3,
  TooLarge = 4,
  Plain = 5,
  Text = 6,
  Blob = 7,
}

/** Rows of a batch before one that cannot be had, and why. */
export interface Decoded<Row> {
  rows: Row[];
  error: Error | undefined;
}

/** Rows as arrays. */
export function decodeArrays(context: Reading, place: BatchPlace): Decoded<SQLOutputValue[]> {
  const { columns } = place;
  const values: SQLOutputValue[] = [];
  const error = decodeValues(context, place, values);
  const rows: SQLOutputValue[][] = [];
  // What a failing row has of values before the failing one is left over.
  for (let end = columns; columns > 0 && end <= values.length; end += columns) {
    rows.push(values.slice(end - columns, end));
  }
  return { rows, error };
}

/** Rows as objects without a prototype; of columns with the same name the last one wins. */
export function decodeObjects(
  context: Reading,
  place: BatchPlace,
  names: readonly string[],
): Decoded<Record<string, SQLOutputValue>> {
  const { columns } = place;
  const values: SQLOutputValue[] = [];
  const error = decodeValues(context, place, values);
  const rows: Record<string, SQLOutputValue>[] = [];
  // Faster than Object.create(null), which makes a dictionary: fields first, prototype last. A column named __proto__ would
  // set the prototype, so it takes the slower way.
  const ordinary = !names.includes('__proto__');
  for (let at = 0; columns > 0 && at + columns <= values.length; at += columns) {
    const row: Record<string, SQLOutputValue> = ordinary ? {} : Object.create(null);
    for (let column = 0; column < columns; column++) {
      row[names[column] as string] = values[at + column] as SQLOutputValue;
    }
    if (ordinary) Object.setPrototypeOf(row, null);
    rows.push(row);
  }
  return { rows, error };
}

/** The one row of a function's arguments, whose texts and blobs are anywhere in memory: `src/engine/functions.rs`. */
const given: BatchPlace = {
  rows: 1,
  columns: 0,
  cells: 0,
  tags: 0,
  list: 0,
  listLength: 0,
  heap: 0,
  reprepared: 0,
};

/** The arguments of a function. Throws if one of them cannot be had. */
export function decodeArguments(
  memory: Reading['memory'],
  count: number,
  cells: number,
  tags: number,
): SQLOutputValue[] {
  const values: SQLOutputValue[] = [];
  if (count === 0) return values;
  given.columns = count;
  given.cells = cells;
  given.tags = tags;
  const error = decodeValues({ memory }, given, values);
  if (error) throw error;
  return values;
}

/**
 * Appends all values of a batch, row by row. Answers why it stopped, if it did before the end.
 *
 * The views of memory are held in locals and nothing calls into wasm meanwhile: the path of every value, so it asks for
 * them once.
 */
function decodeValues(context: Reading, place: BatchPlace, values: SQLOutputValue[]): Error | undefined {
  const { memory } = context;
  const { u8, i32, u32, f64 } = memory;
  const { heap } = place;
  const count = place.rows * place.columns;
  const strings = plainStrings(context, place);
  let plain = 0;
  let tag = place.tags;
  // In units of four bytes.
  let cell = place.cells >>> 2;
  for (let i = 0; i < count; i++, tag++, cell += 2) {
    switch (u8[tag] as Tag) {
      case Tag.Int32:
        values.push(i32[cell] as number);
        break;
      case Tag.Number:
        values.push(f64[cell >>> 1] as number);
        break;
      case Tag.Plain:
        values.push(strings[plain++] as string);
        break;
      case Tag.Null:
        values.push(null);
        break;
      case Tag.Blob:
        values.push(memory.copy(heap + (u32[cell] as number), u32[cell + 1] as number));
        break;
      case Tag.Text:
        try {
          values.push(decodeAt(u8, heap + (u32[cell] as number), u32[cell + 1] as number));
        } catch (error) {
          // Longer than a string may be in this context.
          return error as Error;
        }
        break;
      case Tag.Int64:
        values.push(memory.i64[cell >>> 1] as bigint);
        break;
      case Tag.TooLarge:
        return tooLarge(memory.i64[cell >>> 1] as bigint);
    }
  }
  return undefined;
}

const NO_STRINGS: readonly string[] = [];

function plainStrings(context: Reading, { list, listLength }: BatchPlace): readonly string[] {
  return listLength === 0 ? NO_STRINGS : JSON.parse(decode(context.memory.view(list, listLength)));
}
