/** Statements by the template literals that they were written as: what both kinds of tag stores keep. */
import { invalidArgType, invalidArgValue, outOfRange } from './errors.js';
import { isInt32 } from './options.js';
import type { Prepared } from './prepared.js';

export class TagCache<Statement> {
  readonly capacity: number;
  /** By their SQL, the one used last at the end. What is left out is freed when nobody uses it any more. */
  readonly #statements = new Map<string, Statement>();

  constructor(maxSize: unknown) {
    this.capacity = maxSize === undefined ? 1000 : checkSize(maxSize);
  }

  get size(): number {
    return this.#statements.size;
  }

  find(sql: string): Statement | undefined {
    return this.#statements.get(sql);
  }

  /** It has been used. */
  keep(sql: string, statement: Statement): void {
    this.#statements.delete(sql);
    if (this.#statements.size >= this.capacity) {
      const [oldest] = this.#statements.keys();
      this.#statements.delete(oldest as string);
    }
    this.#statements.set(sql, statement);
  }

  clear(): void {
    this.#statements.clear();
  }
}

function checkSize(size: unknown): number {
  const message = 'The "maxSize" argument must be a positive integer.';
  if (typeof size !== 'number') throw invalidArgType(message);
  if (!isInt32(size) || size < 1) throw outOfRange(message);
  return size;
}

/** The SQL of a template literal, with a parameter for each value. */
export function sqlOf(parts: unknown, values: number): string {
  if (!Array.isArray(parts)) {
    throw invalidArgType('First argument must be an array of strings (template literal).');
  }
  let sql = '';
  for (let i = 0; i < parts.length; i++) {
    if (typeof parts[i] !== 'string') throw invalidArgType('Template literal parts must be strings.');
    sql += parts[i];
    if (i < values) sql += '?';
  }
  return sql;
}

/** All parameters are those that the values have made. */
export function checkParameters({ parameterCount }: Pick<Prepared, 'parameterCount'>, values: number): void {
  if (parameterCount !== values) {
    throw invalidArgValue('SQLite parameters must be bound using template literal placeholders.');
  }
}
