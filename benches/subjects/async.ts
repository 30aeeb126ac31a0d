/** A library that gives SQLite to JavaScript on stores that answer promises, as far as benchmarks use it. */
import type { Subject } from '../suite.js';
import type { Value } from './sql.js';

export type AsyncKind = 'exec' | 'bulk';

export interface AsyncSubject extends Subject {
  readonly how: Readonly<Record<AsyncKind, string>>;
  /** A new, empty database. */
  open(): Promise<AsyncDatabase>;
}

export interface AsyncDatabase {
  /** All statements of a text. */
  exec(sql: string): Promise<void>;
  /** Runs a statement with each of many rows, in one transaction. */
  bulk(sql: string, rows: readonly Value[][]): Promise<void>;
  /** The first row of a query. */
  row(sql: string): Promise<unknown[]>;
  /** Also removes the database. */
  close(): Promise<void>;
}
