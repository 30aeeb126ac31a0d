/** A library that gives SQLite to JavaScript, as far as benchmarks use it. */
import type { Subject } from '../suite.js';

export type Value = null | number | string | Uint8Array;

export type Kind = 'exec' | 'run' | 'get' | 'all' | 'arrays' | 'objects' | 'bulk';

export interface SqlSubject extends Subject {
  readonly how: Readonly<Record<Kind, string>>;
  /** A new, empty database. */
  open(): Database;
}

export interface Database {
  /** All statements of a text. */
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** All rows of a query, prepared for this once. */
  arrays(sql: string): unknown[][];
  objects(sql: string): object[];
  /** Runs a statement with each of many rows, in one transaction. */
  bulk(sql: string, rows: readonly Value[][]): void;
  /** Also finalizes what was prepared, and removes the database. */
  close(): void;
}

export interface Statement {
  run(values: Value[]): void;
  /** The first row as an object. */
  get(values: Value[]): object | undefined;
  /** All rows as objects. */
  all(values: Value[]): object[];
}

type Awaitable<T> = T | Promise<T>;

/** The same of a library of which some calls answer promises: what is driven here is driven with `await`. */
export interface AwaitedSubject extends Subject {
  readonly how: Readonly<Record<'exec' | 'run' | 'get' | 'all' | 'bulk', string>>;
  open(): Awaitable<AwaitedDatabase>;
}

export interface AwaitedDatabase {
  exec(sql: string): Awaitable<void>;
  prepare(sql: string): Awaitable<AwaitedStatement>;
  arrays(sql: string): Awaitable<unknown[][]>;
  bulk(sql: string, rows: readonly Value[][]): Awaitable<void>;
  close(): Awaitable<void>;
}

export interface AwaitedStatement {
  run(values: Value[]): Awaitable<void>;
  get(values: Value[]): Awaitable<object | undefined>;
  all(values: Value[]): Awaitable<object[]>;
}
