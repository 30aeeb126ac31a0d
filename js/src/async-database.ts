/** Databases whose methods answer promises: `node:sqlite`'s shape otherwise. */
/// <reference lib="esnext.disposable" preserve="true" />
import { AsyncBlobHandle } from './async-blob-handle.js';
import { AsyncSession } from './async-session.js';
import { AsyncStatement } from './async-statement.js';
import { AsyncTagStore } from './async-tag-store.js';
import { type OpenBlobOptions, openBlobArguments } from './blob-arguments.js';
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
import type { Source } from './copying.js';
import {
  type DeserializeArguments,
  dbNameArgument,
  deserializeArguments,
  type PrepareArguments,
  prepareArguments,
} from './database-arguments.js';
import type { Engine } from './engine.js';
import { invalidState } from './errors.js';
import {
  type ExecuteManyArguments,
  type ExecuteManyOptions,
  type ExecuteManyResult,
  executeManyAsync,
  ownExecuteManyArguments,
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
import { type Limits, limitsOf } from './limits.js';
import { OpenBlob } from './open-blob.js';
import { booleanArgument, stringArgument } from './options.js';
import { type PragmaArguments, type PragmaOptions, pragmaArguments } from './pragma.js';
import type { Row } from './prepared.js';
import { type Again, early, Queue } from './queue.js';
import { Recording } from './recording.js';
import type { SQLOutputValue } from './rows.js';
import { Script } from './script.js';
import { type DatabaseArguments, type DatabaseOptions, type Settings, settingsOf } from './settings.js';
import type { StatementOptions } from './statement-options.js';
import { type DatabaseStatus, type StatusOptions, statusOf } from './status.js';

/**
 * What a copy of a database needs of it, when its calls that were made before are over.
 *
 * @internal
 */
export let sourceOf: (database: AsyncDatabaseIn) => Promise<Source<'async'>>;

/**
 * A database, on any store.
 *
 * Its calls and those of its statements run one after another, in the order in which they were made, whether they are awaited or
 * not. Arguments are read when a call is made. What is wrong with them, as anything else, rejects the promise.
 */
export abstract class AsyncDatabaseIn {
  static {
    sourceOf = (database) => database.#source();
  }

  readonly #settings: Settings;
  readonly #queue = new Queue(this.again);
  #connection: Connection<'async'> | undefined;
  #limits: Limits | undefined;
  #authorizer: Authorizer | null = null;
  readonly #extensions: ExtensionPermission;
  /** The opening that is under way, or by which it is open. */
  #opening: Promise<void> | undefined;
  /** Why the last opening failed, for who did not wait for it. */
  #failure: { error: unknown } | undefined;

  /**
   * Begins to open the database, which other calls wait for: nobody has to await `open`. If it fails, they reject with its error.
   * Wrong arguments are thrown at once.
   *
   * @param path A file's name, `':memory:'`, or a URI that begins with `file:`.
   */
  constructor(path: string | URL | Uint8Array, options?: DatabaseOptions);
  constructor(...args: DatabaseArguments) {
    this.#settings = settingsOf(args);
    this.#extensions = new ExtensionPermission(this.#settings.allowExtension);
    // If it fails, calls that are made will say so.
    if (this.#settings.open) this.open().catch(() => {});
  }

  /** Answers a database when it is open. */
  static async open<D extends AsyncDatabaseIn>(
    this: new (
      ...args: DatabaseArguments
    ) => D,
    path: string | URL | Uint8Array,
    options?: DatabaseOptions,
  ): Promise<D>;
  static async open<D extends AsyncDatabaseIn>(
    this: new (
      ...args: DatabaseArguments
    ) => D,
    ...args: DatabaseArguments
  ): Promise<D> {
    const db = new this(...args);
    await db.open();
    return db;
  }

  /** The instance that it is in. */
  protected abstract get engine(): Engine;

  /** What makes calls that may have to be made again; undefined where each is made once. */
  protected get again(): Again | undefined {
    return undefined;
  }

  /**
   * Waits until the database is open. One that was made with `open: false`, or was closed, or could not be opened, is opened. One
   * that is open stays as it is, which in `DatabaseSync` is an error.
   */
  async open(): Promise<void> {
    this.#opening ??= this.#queue.add(() => this.#open());
    const opening = this.#opening;
    try {
      await opening;
    } catch (error) {
      // Told: the next one tries again.
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }

  async #open(): Promise<void> {
    // It is, if it could not be closed.
    if (this.isOpen) return;
    this.#failure = undefined;
    try {
      const context = this.engine.newContext();
      try {
        const connection = await Connection.open(context, this.#settings);
        if (this.#authorizer) connection.setAuthorizer(this.#authorizer);
        this.#connection = connection;
        const queue = this.#queue;
        forgotten.register(this, () => queue.addQuietly(() => connection.abandon()), this);
      } catch (error) {
        context.free();
        throw error;
      }
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** Closes the database and frees its statements, when all calls that were made before are over. */
  close(): Promise<void> {
    this.#opening = undefined;
    return this.#turn(() => this.#close());
  }

  async #close(): Promise<void> {
    await this.#opened().close();
    this.#connection = undefined;
    forgotten.unregister(this);
  }

  /** As `close`, also when it is closed already. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#opening = undefined;
    await this.#queue.add(() => (this.isOpen ? this.#close() : undefined));
  }

  /** Runs all statements of a text; rows are dropped. */
  exec(sql: string): Promise<void> {
    const text = early(() => stringArgument(sql, 'sql'));
    const { again } = this;
    if (again === undefined) return this.#turn((connection) => connection.exec(text()));
    // Statement by statement: those that were run are not run again.
    return this.#queue.addOnce(async () => {
      const script = new Script(this.#opened(), text());
      try {
        while (!script.isDone) await again(() => script.step());
      } finally {
        await script.end();
      }
    });
  }

  /**
   * Compiles the first statement of a text.
   *
   * @typeParam R What its rows are to TypeScript. Nothing checks that they are.
   */
  prepare<R = Row>(sql: string, options?: StatementOptions): Promise<AsyncStatement<R>>;
  prepare(...args: PrepareArguments): Promise<AsyncStatement<unknown>> {
    const checked = early(() => prepareArguments(args, this.#settings.statement));
    return this.#turn((connection) => {
      const { sql, options } = checked();
      return AsyncStatement.prepare(this, this.#queue, connection, sql, options);
    });
  }

  /**
   * Runs a statement once for each row of parameters, all of them or none. It is a transaction, or within one a savepoint, and no
   * other call has its turn meanwhile. The error of a row has its index as `row`, counted from 0.
   *
   * @param rows What `run` would be called with: arrays, or objects by the parameters' names. All are read when the call is made.
   */
  executeMany(
    sql: string,
    rows: Iterable<ParameterRow>,
    options?: ExecuteManyOptions,
  ): Promise<ExecuteManyResult>;
  executeMany(...args: ExecuteManyArguments): Promise<ExecuteManyResult> {
    const many = early(() => ownExecuteManyArguments(args));
    return this.#turn((connection) => executeManyAsync(connection, many(), this.#settings.statement));
  }

  /**
   * Runs a PRAGMA and answers its rows, or with `simple` the one value that is wanted.
   *
   * @param source What follows the word: `'journal_mode = wal'`.
   */
  pragma(source: string, options: { simple: true }): Promise<SQLOutputValue | undefined>;
  pragma(source: string, options?: { simple?: false }): Promise<Row[]>;
  pragma(source: string, options?: PragmaOptions): Promise<Row[] | SQLOutputValue | undefined>;
  async pragma(...args: PragmaArguments): Promise<unknown> {
    const { sql, simple } = pragmaArguments(args);
    const statement = await this.prepare<SQLOutputValue[]>(sql, { returnArrays: simple });
    try {
      return simple ? (await statement.get())?.[0] : await statement.all();
    } finally {
      await statement.close();
    }
  }

  /** The file of an attached database (`'main'` if left out); null for one without a file. */
  location(dbName?: string): Promise<string | null> {
    const name = early(() => dbNameArgument(dbName));
    return this.#turn((connection) => connection.location(name()));
  }

  /** A database as the bytes of a file: what its write-ahead log holds is in it. */
  serialize(dbName?: string): Promise<Uint8Array<ArrayBuffer>> {
    const name = early(() => dbNameArgument(dbName));
    return this.#turn((connection) => connection.serialize(name()));
  }

  /**
   * Puts the bytes of a database file in the place of an attached database, which is in memory from then on. All statements
   * are finalised.
   */
  deserialize(buffer: Uint8Array, options?: { dbName?: string }): Promise<void>;
  deserialize(...args: DeserializeArguments): Promise<void> {
    const checked = early(() => {
      const { buffer, dbName } = deserializeArguments(args);
      return { bytes: new Uint8Array(buffer), dbName };
    });
    return this.#turn((connection) => {
      const { bytes, dbName } = checked();
      return connection.deserialize(bytes, dbName);
    });
  }

  /**
   * Defines an SQL function. It is called with SQLite's values, and answers one, no promise: SQLite waits for it. What it throws
   * rejects the call that it is in.
   */
  function(name: string, func: SQLFunction): Promise<void>;
  function(name: string, options: FunctionOptions, func: SQLFunction): Promise<void>;
  function(...args: FunctionArguments): Promise<void> {
    const checked = early(() => functionArguments(args));
    return this.#turn((connection) => {
      const { call, ...definition } = checked();
      connection.createFunction(definition, call);
    });
  }

  /** Defines an aggregate, which is called for each row of a group. With an `inverse` it is a window function, too. */
  aggregate<T>(name: string, options: AggregateOptions<T>): Promise<void>;
  aggregate(...args: AggregateArguments): Promise<void> {
    const checked = early(() => aggregateArguments(args));
    return this.#turn((connection) => {
      const { aggregate, ...definition } = checked();
      connection.createAggregate(definition, aggregate);
    });
  }

  /**
   * Has a function asked for each thing that a statement is about to do, when it is compiled; or none, with `null`. It answers
   * `constants.SQLITE_OK`, `SQLITE_DENY`, which is an error, or `SQLITE_IGNORE`. It stays when the database is closed and opened
   * again.
   */
  setAuthorizer(callback: Authorizer | null): Promise<void> {
    const checked = early(() => authorizerArgument(callback));
    return this.#turn((connection) => {
      const authorizer = checked();
      connection.setAuthorizer(authorizer);
      this.#authorizer = authorizer;
    });
  }

  /**
   * Opens a blob, or a text's bytes, to be read and written in parts. A column that is indexed, or of a foreign key, can only be
   * read; a view, and a table WITHOUT ROWID, not at all.
   */
  openBlob(
    table: string,
    column: string,
    rowid: number | bigint,
    options?: OpenBlobOptions,
  ): Promise<AsyncBlobHandle>;
  openBlob(...args: unknown[]): Promise<AsyncBlobHandle> {
    const checked = early(() => openBlobArguments(args));
    return this.#turn(async (connection) =>
      AsyncBlobHandle.create(this, this.#queue, await OpenBlob.open(connection, checked())),
    );
  }

  /**
   * Has a function told of each row that is inserted, updated or deleted in a table with rowids, after it was; or none, with `null`.
   * What it throws is thrown by the call that it is in. A statement that is a transaction of its own is undone then; within a transaction
   * it is not.
   */
  setUpdateHook(callback: UpdateHook | null): Promise<void> {
    const hook = early(() => hookArgument(callback));
    return this.#turn((connection) => connection.setHook(HookKind.Update, hook()));
  }

  /**
   * Has a function told of each row that is about to be changed, with its values before and after; or none, with `null`.
   * What it throws goes the way of what an update hook throws. Sessions have its place: there are sessions or there is this.
   */
  setPreupdateHook(callback: PreupdateHook | null): Promise<void> {
    const hook = early(() => hookArgument(callback));
    return this.#turn((connection) => connection.setHook(HookKind.Preupdate, hook()));
  }

  /**
   * Has a function called before each commit that has changed something; or none, with `null`. Where it throws, or
   * answers `true`, the transaction is rolled back, and the call fails.
   */
  setCommitHook(callback: CommitHook | null): Promise<void> {
    const hook = early(() => hookArgument(callback));
    return this.#turn((connection) => connection.setHook(HookKind.Commit, hook()));
  }

  /**
   * Has a function called at each rollback, but for that of a database that is closed; or none, with `null`.
   */
  setRollbackHook(callback: RollbackHook | null): Promise<void> {
    const hook = early(() => hookArgument(callback));
    return this.#turn((connection) => connection.setHook(HookKind.Rollback, hook()));
  }

  /**
   * Has a function called now and then while statements run; or none, with `null`. Where it throws, or answers `true`, the
   * statement ends with `SQLITE_INTERRUPT`, and one that changes rows within a transaction ends that one, too.
   */
  setProgressHandler(handler: ProgressHandler | null, options?: ProgressOptions): Promise<void>;
  setProgressHandler(...args: [ProgressHandler | null, ProgressOptions?]): Promise<void> {
    const checked = early(() => progressArguments(args));
    return this.#turn((connection) => {
      const { handler, steps } = checked();
      connection.setHook(HookKind.Progress, handler, steps);
    });
  }

  /**
   * Defines a collation, also in the place of another one, or with `null` takes it away. It must order all texts, and the
   * same way each time: what is indexed by it depends on it. What it throws is thrown by the call that it is in, as with an update hook.
   */
  collation(name: string, compare: Collation | null): Promise<void>;
  collation(...args: [string, Collation | null]): Promise<void> {
    const checked = early(() => collationArguments(args));
    return this.#turn((connection) => {
      const { name, compare } = checked();
      connection.setCollation(name, compare);
    });
  }

  /**
   * Has the statements end with `SQLITE_INTERRUPT` that run now: to be called at any time. One that changes
   * rows within a transaction ends that one, too.
   */
  interrupt(): void {
    this.#opened().interrupt();
  }

  /** Brings what is in the write-ahead log to the database's file. */
  async checkpoint(options?: CheckpointOptions): Promise<CheckpointResult> {
    return checkpointResult(await this.pragma(checkpointPragma(options)));
  }

  /** What the connection's cache and memory have come to. */
  status(options?: StatusOptions): DatabaseStatus {
    return statusOf(this.#opened(), options);
  }

  /** Begins to record the changes of this database, in tables with a primary key. */
  createSession(options?: CreateSessionOptions): Promise<AsyncSession>;
  createSession(...args: unknown[]): Promise<AsyncSession> {
    const checked = early(() => sessionArguments(args));
    return this.#turn((connection) => {
      const recording = new Recording(connection, checked(), () => this.isOpen);
      return AsyncSession.create(this, this.#queue, recording);
    });
  }

  /**
   * Makes changes that a session has recorded. Answers `false` if there was a conflict, and it was answered with ABORT, or nobody was
   * asked: then there is no change at all.
   */
  applyChangeset(changeset: Uint8Array, options?: ApplyChangesetOptions): Promise<boolean>;
  applyChangeset(...args: unknown[]): Promise<boolean> {
    const checked = early(() => {
      const { changeset, ...options } = applyArguments(args);
      return { bytes: new Uint8Array(changeset), options };
    });
    return this.#turn((connection) => {
      const { bytes, options } = checked();
      return connection.applyChangeset(bytes, options);
    });
  }

  /**
   * Keeps statements that are written as template literals. It answers at once.
   *
   * @param maxSize How many of them, those used last; 1000 if left out.
   */
  createTagStore(maxSize?: number): AsyncTagStore {
    const turn: Parameters<typeof AsyncTagStore.create>[0]['turn'] = (call) =>
      this.#turn((connection) =>
        call((sql) => AsyncStatement.prepare(this, this.#queue, connection, sql, this.#settings.statement)),
      );
    return AsyncTagStore.create({ db: this, turn }, maxSize);
  }

  /** Whether `loadExtension` may be called. It needs the option `allowExtension`. */
  enableLoadExtension(allow: boolean): Promise<void> {
    return this.#turn(() => this.#extensions.give(allow));
  }

  /** Always rejects: SQLite in WebAssembly has no libraries to load. */
  loadExtension(path: string, entryPoint?: string): Promise<void>;
  loadExtension(path: string): Promise<void> {
    return this.#turn(() => this.#extensions.load(path));
  }

  /** Turns the `defensive` option on or off. */
  enableDefensive(active: boolean): Promise<void> {
    const on = early(() => booleanArgument(active, 'active'));
    return this.#turn((connection) => connection.setDefensive(on()));
  }

  /** It is open now: not when it is still being opened, and until it is closed. */
  get isOpen(): boolean {
    return this.#connection !== undefined;
  }

  /** SQLite's limits for this connection: to be read, and lowered. Not while it is being opened. */
  get limits(): Limits {
    this.#opened();
    this.#limits ??= limitsOf(() => this.#opened(), this.#settings.limits);
    return this.#limits;
  }

  /** There is a transaction now, whatever calls that are under way make of it. */
  get isTransaction(): boolean {
    return this.#opened().isTransaction;
  }

  /** The name of the VFS that keeps the file: not in `node:sqlite`. */
  get store(): string {
    return this.#opened().store;
  }

  #source(): Promise<Source<'async'>> {
    return this.#turn((connection) => ({
      connection,
      newContext: () => this.engine.newContext(),
      turn: (call) => this.#queue.add(call),
    }));
  }

  #turn<T>(call: (connection: Connection<'async'>) => T | Promise<T>): Promise<T> {
    return this.#queue.add(() => call(this.#opened()));
  }

  #opened(): Connection<'async'> {
    if (this.#connection !== undefined) return this.#connection;
    throw this.#failure ? this.#failure.error : invalidState('database is not open');
  }
}
