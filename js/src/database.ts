/** Databases, in `node:sqlite`'s shape. */
/// <reference lib="esnext.disposable" preserve="true" />
import { type OpenBlobOptions, openBlobArguments } from './blob-arguments.js';
import { BlobHandle } from './blob-handle.js';
import type { Authorizer, SQLFunction } from './callbacks.js';
import {
  type ApplyChangesetOptions,
  applyArguments,
  type CreateSessionOptions,
  sessionArguments,
} from './changeset-arguments.js';
import {
  type CheckpointOptions,
  type CheckpointResult,
  checkpointPragma,
  checkpointResult,
} from './checkpoint.js';
import { Connection } from './connection.js';
import {
  type DeserializeArguments,
  dbNameArgument,
  deserializeArguments,
  type PrepareArguments,
  prepareArguments,
} from './database-arguments.js';
import { invalidState } from './errors.js';
import {
  type ExecuteManyArguments,
  type ExecuteManyOptions,
  type ExecuteManyResult,
  executeMany,
  executeManyArguments,
  type ParameterRow,
} from './execute-many.js';
import { ExtensionPermission } from './extensions.js';
import { forgotten } from './forgotten.js';
import {
  type AggregateArguments,
  type AggregateOptions,
  aggregateArguments,
  authorizerArgument,
  type FunctionArguments,
  type FunctionOptions,
  functionArguments,
} from './function-arguments.js';
import {
  type Collation,
  type CommitHook,
  collationArguments,
  HookKind,
  hookArgument,
  type PreupdateHook,
  type ProgressHandler,
  type ProgressOptions,
  progressArguments,
  type RollbackHook,
  type UpdateHook,
} from './hooks.js';
import { engine } from './init.js';
import { type Limits, limitsOf } from './limits.js';
import { OpenBlob } from './open-blob.js';
import { booleanArgument, stringArgument } from './options.js';
import { type PragmaArguments, type PragmaOptions, pragmaArguments } from './pragma.js';
import type { Row } from './prepared.js';
import { Recording } from './recording.js';
import type { SQLOutputValue } from './rows.js';
import { Session } from './session.js';
import { type DatabaseArguments, type DatabaseOptions, type Settings, settingsOf } from './settings.js';
import { StatementSync } from './statement.js';
import type { StatementOptions } from './statement-options.js';
import { type DatabaseStatus, type StatusOptions, statusOf } from './status.js';
import { SQLTagStore } from './tag-store.js';
import { type TransactionFunction, transactionOf } from './transaction.js';

/**
 * The connection of a database that is open.
 *
 * @internal
 */
export let connectionOf: (database: DatabaseSync) => Connection;

export class DatabaseSync {
  readonly #settings: Settings;
  #connection: Connection | undefined;
  #limits: Limits | undefined;
  #authorizer: Authorizer | null = null;
  readonly #extensions: ExtensionPermission;

  static {
    connectionOf = (database) => database.#usable();
  }

  /**
   * @param path A file's name, `':memory:'`, or a URI that begins with `file:`.
   */
  constructor(path: string | URL | Uint8Array, options?: DatabaseOptions);
  constructor(...args: DatabaseArguments) {
    this.#settings = settingsOf(args);
    this.#extensions = new ExtensionPermission(this.#settings.allowExtension);
    if (this.#settings.open) this.open();
  }

  /** Opens a database that was made with `open: false`, or that was closed. */
  open(): void {
    if (this.isOpen) throw invalidState('database is already open');
    const connection = Connection.open(engine().main, this.#settings);
    this.#connection = connection;
    if (this.#authorizer) connection.setAuthorizer(this.#authorizer);
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
    const connection = this.#usable();
    connection.exec(stringArgument(sql, 'sql'));
  }

  /**
   * Compiles the first statement of a text.
   *
   * @typeParam R What its rows are to TypeScript. Nothing checks that they are.
   */
  prepare<R = Row>(sql: string, options?: StatementOptions): StatementSync<R>;
  prepare(...args: PrepareArguments): StatementSync<unknown> {
    const connection = this.#usable();
    const { sql, options } = prepareArguments(args, this.#settings.statement);
    return StatementSync.prepare(this, connection, sql, options);
  }

  /**
   * Makes a function that runs `fn` in a transaction: not in `node:sqlite`. Calling it answers what `fn` answers; what `fn` throws
   * undoes all that it did. Within a transaction it is a part of that one, by a savepoint.
   */
  transaction<F extends (...args: never[]) => unknown>(fn: F): TransactionFunction<F> {
    this.#usable();
    return transactionOf(this, fn);
  }

  /**
   * Runs a statement once for each row of parameters, all of them or none: not in `node:sqlite`. It is a transaction, or within one a
   * savepoint. The error of a row has its index as `row`, counted from 0.
   *
   * @param rows What `run` would be called with: arrays, or objects by the parameters' names. They are asked for one by one.
   */
  executeMany(sql: string, rows: Iterable<ParameterRow>, options?: ExecuteManyOptions): ExecuteManyResult;
  executeMany(...args: ExecuteManyArguments): ExecuteManyResult {
    const connection = this.#usable();
    return executeMany(this, connection, executeManyArguments(args), this.#settings.statement);
  }

  /**
   * Runs a PRAGMA and answers its rows, or with `simple` the one value that is wanted: not in `node:sqlite`.
   *
   * @param source What follows the word: `'journal_mode = wal'`.
   */
  pragma(source: string, options: { simple: true }): SQLOutputValue | undefined;
  pragma(source: string, options?: { simple?: false }): Row[];
  pragma(source: string, options?: PragmaOptions): Row[] | SQLOutputValue | undefined;
  pragma(...args: PragmaArguments): unknown {
    const { sql, simple } = pragmaArguments(args);
    const statement = this.prepare<SQLOutputValue[]>(sql, { returnArrays: simple });
    try {
      return simple ? statement.get()?.[0] : statement.all();
    } finally {
      statement.close();
    }
  }

  /** The file of an attached database (`'main'` if left out); null for one without a file. */
  location(dbName?: string): string | null {
    const connection = this.#opened();
    return connection.location(dbNameArgument(dbName));
  }

  /** A database as the bytes of a file: what its write-ahead log holds is in it. */
  serialize(dbName?: string): Uint8Array<ArrayBuffer> {
    const connection = this.#usable();
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
    const connection = this.#usable();
    const { call, ...definition } = functionArguments(args);
    connection.createFunction(definition, call);
  }

  /** Defines an aggregate, which is called for each row of a group. With an `inverse` it is a window function, too. */
  aggregate<T>(name: string, options: AggregateOptions<T>): void;
  aggregate(...args: AggregateArguments): void {
    const connection = this.#usable();
    const { aggregate, ...definition } = aggregateArguments(args);
    connection.createAggregate(definition, aggregate);
  }

  /**
   * Has a function asked for each thing that a statement is about to do, when it is compiled; or none, with `null`. It answers
   * `constants.SQLITE_OK`, `SQLITE_DENY`, which is an error, or `SQLITE_IGNORE`. It must not use the database. It stays when the
   * database is closed and opened again.
   */
  setAuthorizer(callback: Authorizer | null): void {
    const connection = this.#usable();
    const authorizer = authorizerArgument(callback);
    connection.setAuthorizer(authorizer);
    this.#authorizer = authorizer;
  }

  /**
   * Opens a blob, or a text's bytes, to be read and written in parts: not in `node:sqlite`. A column that is indexed, or of a foreign
   * key, can only be read; a view, and a table WITHOUT ROWID, not at all.
   */
  openBlob(table: string, column: string, rowid: number | bigint, options?: OpenBlobOptions): BlobHandle;
  openBlob(...args: unknown[]): BlobHandle {
    const connection = this.#usable();
    return BlobHandle.create(this, OpenBlob.open(connection, openBlobArguments(args)));
  }

  /**
   * Has a function told of each row that is inserted, updated or deleted in a table with rowids, after it was; or none, with `null`. Not in `node:sqlite`.
   * What it throws is thrown by the call that it is in. A statement that is a transaction of its own is undone then; within a transaction
   * it is not.
   */
  setUpdateHook(callback: UpdateHook | null): void {
    this.#usable().setHook(HookKind.Update, hookArgument(callback));
  }

  /**
   * Has a function told of each row that is about to be changed, with its values before and after; or none, with `null`. Not in `node:sqlite`.
   * What it throws goes the way of what an update hook throws. Sessions have its place: there are sessions or there is this.
   */
  setPreupdateHook(callback: PreupdateHook | null): void {
    this.#usable().setHook(HookKind.Preupdate, hookArgument(callback));
  }

  /**
   * Has a function called before each commit that has changed something; or none, with `null`. Not in `node:sqlite`. Where it throws, or
   * answers `true`, the transaction is rolled back, and the call fails.
   */
  setCommitHook(callback: CommitHook | null): void {
    this.#usable().setHook(HookKind.Commit, hookArgument(callback));
  }

  /**
   * Has a function called at each rollback, but for that of a database that is closed; or none, with `null`. Not in `node:sqlite`.
   */
  setRollbackHook(callback: RollbackHook | null): void {
    this.#usable().setHook(HookKind.Rollback, hookArgument(callback));
  }

  /**
   * Has a function called now and then while statements run; or none, with `null`. Not in `node:sqlite`. Where it throws, or answers `true`, the
   * statement ends with `SQLITE_INTERRUPT`, and one that changes rows within a transaction ends that one, too.
   */
  setProgressHandler(handler: ProgressHandler | null, options?: ProgressOptions): void;
  setProgressHandler(...args: [ProgressHandler | null, ProgressOptions?]): void {
    const { handler, steps } = progressArguments(args);
    this.#usable().setHook(HookKind.Progress, handler, steps);
  }

  /**
   * Defines a collation, also in the place of another one, or with `null` takes it away. Not in `node:sqlite`. It must order all texts, and the
   * same way each time: what is indexed by it depends on it. What it throws is thrown by the call that it is in, as with an update hook.
   */
  collation(name: string, compare: Collation | null): void;
  collation(...args: [string, Collation | null]): void {
    const { name, compare } = collationArguments(args);
    this.#usable().setCollation(name, compare);
  }

  /**
   * Has the statements end with `SQLITE_INTERRUPT` that run now: to be called by a function that they call. Not in `node:sqlite`. One that changes
   * rows within a transaction ends that one, too.
   */
  interrupt(): void {
    this.#opened().interrupt();
  }

  /** Brings what is in the write-ahead log to the database's file. Not in `node:sqlite`. */
  checkpoint(options?: CheckpointOptions): CheckpointResult {
    return checkpointResult(this.pragma(checkpointPragma(options)));
  }

  /** What the connection's cache and memory have come to: not in `node:sqlite`. */
  status(options?: StatusOptions): DatabaseStatus {
    return statusOf(this.#opened(), options);
  }

  /** Begins to record the changes of this database, in tables with a primary key. */
  createSession(options?: CreateSessionOptions): Session;
  createSession(...args: unknown[]): Session {
    const connection = this.#usable();
    const recording = new Recording(connection, sessionArguments(args), () => this.isOpen);
    return Session.create(this, recording);
  }

  /**
   * Makes changes that a session has recorded. Answers `false` if there was a conflict, and it was answered with ABORT, or nobody was
   * asked: then there is no change at all.
   */
  applyChangeset(changeset: Uint8Array, options?: ApplyChangesetOptions): boolean;
  applyChangeset(...args: unknown[]): boolean {
    const connection = this.#usable();
    const { changeset, ...options } = applyArguments(args);
    return connection.applyChangeset(changeset, options);
  }

  /**
   * Keeps statements that are written as template literals.
   *
   * @param maxSize How many of them, those used last; 1000 if left out.
   */
  createTagStore(maxSize?: number): SQLTagStore {
    this.#usable();
    return SQLTagStore.create({ db: this, check: () => this.#usable() }, maxSize);
  }

  /** Whether `loadExtension` may be called. It needs the option `allowExtension`. */
  enableLoadExtension(allow: boolean): void {
    this.#usable();
    this.#extensions.give(allow);
  }

  /** Always throws: SQLite in WebAssembly has no libraries to load. */
  loadExtension(path: string, entryPoint?: string): void;
  loadExtension(path: string): void {
    this.#usable();
    this.#extensions.load(path);
  }

  /** Turns the `defensive` option on or off. */
  enableDefensive(active: boolean): void {
    const connection = this.#usable();
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

  /** Open, and not in the middle of asking an authorizer. */
  #usable(): Connection {
    const connection = this.#opened();
    connection.checkAccess();
    return connection;
  }

  #opened(): Connection {
    if (this.#connection === undefined) throw invalidState('database is not open');
    return this.#connection;
  }
}
