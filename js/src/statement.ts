/** Prepared statements, in `node:sqlite`'s shape. */
/// <reference lib="esnext.disposable" preserve="true" />
import type { Connection } from './connection.js';
import { Cursor } from './cursor.js';
import { illegalConstructor } from './errors.js';
import { forgotten, keepDatabase } from './forgotten.js';
import type { SQLInputValue } from './params.js';
import {
  type NamedParameters,
  Prepared,
  type Row,
  type StatementColumn,
  type StatementCounter,
  type StatementResult,
} from './prepared.js';
import type { StatementOptions } from './statement-options.js';

/** Opens the constructor to `prepare` alone, as Node's is closed to everyone else. */
const key = Symbol();

/**
 * What is behind a statement.
 *
 * @internal
 */
export let preparedOf: (statement: StatementSync<unknown>) => Prepared;

/** @typeParam R What its rows are to TypeScript. */
export class StatementSync<R = Row> {
  readonly #prepared: Prepared;

  static {
    preparedOf = (statement) => statement.#prepared;
  }

  private constructor(token: symbol, prepared: Prepared) {
    if (token !== key) throw illegalConstructor();
    this.#prepared = prepared;
    forgotten.register(this, () => prepared.abandon(), this);
  }

  /**
   * @internal
   * @param database Whose connection it is.
   */
  static prepare<R = Row>(
    database: object,
    connection: Connection,
    sql: string,
    options: Required<StatementOptions>,
  ): StatementSync<R> {
    const statement = new StatementSync<R>(key, Prepared.prepare(connection, sql, options));
    keepDatabase(statement, database);
    return statement;
  }

  /** Runs the statement and answers what it changed. Rows that it has are passed over. */
  run(...parameters: SQLInputValue[]): StatementResult;
  run(named: NamedParameters, ...parameters: SQLInputValue[]): StatementResult;
  run(...args: unknown[]): StatementResult {
    return this.#prepared.run(this.#prepared.values(args));
  }

  /** The first row, or `undefined` if there is none. */
  get(...parameters: SQLInputValue[]): R | undefined;
  get(named: NamedParameters, ...parameters: SQLInputValue[]): R | undefined;
  get(...args: unknown[]): R | undefined {
    return this.#prepared.get(this.#prepared.values(args)) as R | undefined;
  }

  /** All rows. */
  all(...parameters: SQLInputValue[]): R[];
  all(named: NamedParameters, ...parameters: SQLInputValue[]): R[];
  all(...args: unknown[]): R[] {
    return this.#prepared.all(this.#prepared.values(args)) as R[];
  }

  /** The rows one after another. Any other use of the statement ends it. */
  iterate(...parameters: SQLInputValue[]): IterableIterator<R>;
  iterate(named: NamedParameters, ...parameters: SQLInputValue[]): IterableIterator<R>;
  iterate(...args: unknown[]): IterableIterator<R> {
    this.#prepared.bind(this.#prepared.values(args));
    return new RowIterator(new Cursor(this, this.#prepared)) as IterableIterator<R>;
  }

  /** What is known of the columns of its rows. */
  columns(): StatementColumn[] {
    return this.#prepared.columns();
  }

  /** The statement's SQL. */
  get sourceSQL(): string {
    return this.#prepared.sourceSQL();
  }

  /** The statement's SQL with the values last bound in the place of parameters. */
  get expandedSQL(): string {
    return this.#prepared.expandedSQL();
  }

  /**
   * One of SQLite's counters for this statement (https://sqlite.org/c3ref/c_stmtstatus_counter.html).
   *
   * @param counter `'fullscanStep'`, `'sort'`, `'autoindex'`, `'vmStep'`, `'reprepare'`, `'run'`, `'filterMiss'`, `'filterHit'`
   *   or `'memused'`, in bytes.
   */
  stat(counter: StatementCounter): number {
    return this.#prepared.stat(counter);
  }

  /** Sets the counters to zero. */
  resetStats(): void {
    this.#prepared.resetStats();
  }

  setReadBigInts(enabled: boolean): void {
    this.#prepared.set('readBigInts', enabled, 'readBigInts');
  }

  setReturnArrays(enabled: boolean): void {
    this.#prepared.set('returnArrays', enabled, 'returnArrays');
  }

  setAllowBareNamedParameters(enabled: boolean): void {
    this.#prepared.set('allowBareNamedParameters', enabled, 'allowBareNamedParameters');
  }

  setAllowUnknownNamedParameters(enabled: boolean): void {
    this.#prepared.set('allowUnknownNamedParameters', enabled, 'enabled');
  }

  /** Frees the statement. Closing the database does it too. */
  close(): void {
    this.#prepared.close();
    forgotten.unregister(this);
  }

  [Symbol.dispose](): void {
    if (this.#prepared.isLive) this.close();
  }
}

const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

/** @internal */
export class RowIterator implements IterableIterator<Row> {
  readonly #cursor: Cursor;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
  }

  next(): IteratorResult<Row> {
    return this.#cursor.next();
  }

  return(): IteratorResult<Row> {
    return this.#cursor.return();
  }

  [Symbol.iterator](): this {
    return this;
  }
}

Object.setPrototypeOf(RowIterator.prototype, IteratorPrototype);
