/** Sums up what a run computed, so that subjects can be compared. */

import type { AwaitedDatabase } from '../subjects/sql.js';

export class Checksum {
  #hash = 0x811c9dc5;
  #count = 0;

  /** A value of SQLite as JavaScript has it, or an array or object of such values. */
  add(value: unknown): this {
    this.#count++;
    switch (typeof value) {
      case 'number':
        return this.#number(value);
      case 'bigint':
        // One library's number is another's BigInt.
        return this.#number(Number(value));
      case 'string':
        this.#mix(value.length);
        for (let i = 0; i < value.length; i++) this.#mix(value.charCodeAt(i));
        return this;
      case 'object':
        return this.#object(value);
      default:
        throw new TypeError(`SQLite has no values of type ${typeof value}`);
    }
  }

  toString(): string {
    return `${this.#count} values ${(this.#hash >>> 0).toString(16)}`;
  }

  #object(value: object | null): this {
    if (value === null) return this.#mix(-1);
    if (value instanceof Uint8Array) {
      this.#mix(value.length);
      for (const byte of value) this.#mix(byte);
      return this;
    }
    if (Array.isArray(value)) {
      for (const item of value) this.add(item);
      return this;
    }
    for (const [name, item] of Object.entries(value)) this.add(name).add(item);
    return this;
  }

  #number(value: number): this {
    double[0] = value;
    return this.#mix(halves[0] as number).#mix(halves[1] as number);
  }

  /** FNV-1a, with units of 32 bits. */
  #mix(value: number): this {
    this.#hash = Math.imul(this.#hash ^ value, 0x01000193);
    this.#hash ^= this.#hash >>> 15;
    return this;
  }
}

const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);

/** A table's content in a few numbers, computed by SQLite itself. */
export const digestOf = (table: string, columns: readonly string[]): string =>
  `SELECT count(*), ${columns.map((column) => `total(length(${column})), min(${column}), max(${column})`).join(', ')} FROM ${table}`;

/** What queries answer, in one text. */
export async function sumOf(database: AwaitedDatabase, queries: readonly string[]): Promise<string> {
  const sum = new Checksum();
  for (const query of queries) sum.add(await database.arrays(query));
  return sum.toString();
}
