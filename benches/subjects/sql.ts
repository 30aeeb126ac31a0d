/** A library that gives SQLite to JavaScript, as far as benchmarks use it. */
import type { Subject } from '../suite.js';

export type Value = null | number | string | Uint8Array;

export type Kind = 'exec' | 'run' | 'get' | 'all' | 'arrays' | 'objects' | 'each' | 'bulk';

/** What is answered at once, or promised: who waits for it looks first, so that a library that answers at once is not held up. */
export type Awaitable<T> = T | Promise<T>;

/** One whose calls may answer promises. */
export interface AwaitedSubject extends Subject {
  readonly how: Readonly<Record<Kind, string>>;
  /** A new, empty database. */
  open(): Awaitable<AwaitedDatabase>;
}

export interface AwaitedDatabase {
  /** All statements of a text. */
  exec(sql: string): Awaitable<void>;
  prepare(sql: string): Awaitable<AwaitedStatement>;
  /** All rows of a query, prepared for this once. */
  arrays(sql: string): Awaitable<unknown[][]>;
  objects(sql: string): Awaitable<object[]>;
  /** Each row of a query as an object, while the query runs. */
  each(sql: string, look: (row: object) => void): Awaitable<void>;
  /** Runs a statement with each of many rows, in one transaction. */
  bulk(sql: string, rows: readonly Value[][]): Awaitable<void>;
  /** Also finalizes what was prepared, and removes the database. */
  close(): Awaitable<void>;
}

export interface AwaitedStatement {
  run(values: Value[]): Awaitable<void>;
  /** The first row as an object. */
  get(values: Value[]): Awaitable<object | undefined>;
  /** All rows as objects. */
  all(values: Value[]): Awaitable<object[]>;
  /** Where a statement goes on until somebody says that it is no longer needed. Closing its database does so, too. */
  finalize?(): Awaitable<void>;
}

export async function sqliteVersion(subject: AwaitedSubject): Promise<string> {
  const database = await subject.open();
  const [row] = await database.arrays('SELECT sqlite_version()');
  await database.close();
  return String(row?.[0]);
}

/** One whose calls all answer at once. */
export interface SqlSubject extends AwaitedSubject {
  open(): Database;
}

export interface Database extends AwaitedDatabase {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  arrays(sql: string): unknown[][];
  objects(sql: string): object[];
  each(sql: string, look: (row: object) => void): void;
  bulk(sql: string, rows: readonly Value[][]): void;
  close(): void;
}

export interface Statement extends AwaitedStatement {
  run(values: Value[]): void;
  get(values: Value[]): object | undefined;
  all(values: Value[]): object[];
  finalize?(): void;
}
