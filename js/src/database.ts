/** Databases, in `node:sqlite`'s shape. */
/// <reference lib="esnext.disposable" preserve="true" />
import type { SQLFunction } from './callbacks.js';
import { Connection } from './connection.js';
import {
  type DeserializeArguments,
  dbNameArgument,
  deserializeArguments,
  type PrepareArguments,
  prepareArguments,
} from './database-arguments.js';
import { invalidState } from './errors.js';
import { forgotten } from './forgotten.js';
import { type FunctionArguments, type FunctionOptions, functionArguments } from './function-arguments.js';
import { engine } from './init.js';
import { type Limits, limitsOf } from './limits.js';
import { booleanArgument, stringArgument } from './options.js';
import { type DatabaseArguments, type DatabaseOptions, type Settings, settingsOf } from './settings.js';
import { StatementSync } from './statement.js';
import type { StatementOptions } from './statement-options.js';

export class DatabaseSync {
  readonly #settings: Settings;
  #connection: Connection | undefined;
  #limits: Limits | undefined;

  /**
   * @param path A file's name, `':memory:'`, or a URI that begins with `file:`.
   */
  constructor(path: string | URL | Uint8Array, options?: DatabaseOptions);
  constructor(...args: DatabaseArguments) {
    this.#settings = settingsOf(args);
    if (this.#settings.open) this.open();
  }

  /** Opens a database that was made with `open: false`, or that was closed. */
  open(): void {
    if (this.isOpen) throw invalidState('database is already open');
    const connection = Connection.open(engine().main, this.#settings);
    this.#connection = connection;
    forgotten.register(this, () => connection.abandon(), this);
  }

  /** Closes the database and frees its statements. */
  close(): void {
    this.#opened().close();
    this.#connection = undefined;
    forgotten.unregister(this);
  }

  /** As `close`, also when it is closed already. In a function that it calls, it does nothing. */
  [Symbol.dispose](): void {
    if (this.isOpen && !this.#opened().isInCallback) this.close();
  }

  /** Runs all statements of a text; rows are dropped. */
  exec(sql: string): void {
    const connection = this.#opened();
    connection.exec(stringArgument(sql, 'sql'));
  }

  /** Compiles the first statement of a text. */
  prepare(sql: string, options?: StatementOptions): StatementSync;
  prepare(...args: PrepareArguments): StatementSync {
    const connection = this.#opened();
    const { sql, options } = prepareArguments(args, this.#settings.statement);
    return StatementSync.prepare(this, connection, sql, options);
  }

  /** The file of an attached database (`'main'` if left out); null for one without a file. */
  location(dbName?: string): string | null {
    const connection = this.#opened();
    return connection.location(dbNameArgument(dbName));
  }

  /** A database as the bytes of a file: what its write-ahead log holds is in it. */
  serialize(dbName?: string): Uint8Array<ArrayBuffer> {
    const connection = this.#opened();
    return connection.serialize(dbNameArgument(dbName));
  }

  /**
   * Puts the bytes of a database file in the place of an attached database, which is in memory from then on. All statements
   * are finalised.
   */
  deserialize(buffer: Uint8Array, options?: { dbName?: string }): void;
  deserialize(...args: DeserializeArguments): void {
    const connection = this.#opened();
    const { buffer, dbName } = deserializeArguments(args);
    connection.deserialize(buffer, dbName);
  }

  /**
   * Defines an SQL function. It is called with SQLite's values, and answers one; what it throws is thrown by the call that it is in.
   * It may use the database, but not close it, and not use the statement that calls it.
   */
  function(name: string, func: SQLFunction): void;
  function(name: string, options: FunctionOptions, func: SQLFunction): void;
  function(...args: FunctionArguments): void {
    const connection = this.#opened();
    const { call, ...definition } = functionArguments(args);
    connection.createFunction(definition, call);
  }

  /** Turns the `defensive` option on or off. */
  enableDefensive(active: boolean): void {
    const connection = this.#opened();
    connection.setDefensive(booleanArgument(active, 'active'));
  }

  get isOpen(): boolean {
    return this.#connection !== undefined;
  }

  /** SQLite's limits for this connection: to be read, and lowered. */
  get limits(): Limits {
    this.#opened();
    this.#limits ??= limitsOf(() => this.#opened(), this.#settings.limits);
    return this.#limits;
  }

  get isTransaction(): boolean {
    return this.#opened().isTransaction;
  }

  /** The name of the VFS that keeps the file: not in `node:sqlite`. */
  get store(): string {
    return this.#opened().store;
  }

  #opened(): Connection {
    if (this.#connection === undefined) throw invalidState('database is not open');
    return this.#connection;
  }
}
