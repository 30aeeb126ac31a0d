/** One open connection: what a database and its statements share, and the calls that are made of it. */
import { type Answer, andThen, atOnce, forEach, lastly, type Mode } from './answer.js';
import type { Aggregate, Authorizer, SQLFunction } from './callbacks.js';
import type { ApplyOptions, SessionOptions } from './changeset-arguments.js';
import type { Context } from './context.js';
import { invalidState } from './errors.js';
import type { Definition } from './function-arguments.js';
import {
  type Collation,
  type CommitHook,
  HookKind,
  type PreupdateHook,
  type ProgressHandler,
  type RollbackHook,
  type UpdateHook,
} from './hooks.js';
import { applyLimits } from './limits.js';
import type { OpenBlob } from './open-blob.js';
import { SQLITE_ABORT, SQLITE_MISUSE, SQLITE_OK } from './result-codes.js';
import type { Settings } from './settings.js';

const SQLITE_OPEN_READONLY = 0x01;
const SQLITE_OPEN_READWRITE = 0x02;
const SQLITE_OPEN_CREATE = 0x04;
const SQLITE_OPEN_URI = 0x40;

const SQLITE_DBCONFIG_ENABLE_FKEY = 1002;
const SQLITE_DBCONFIG_DEFENSIVE = 1010;
const SQLITE_DBCONFIG_DQS_DML = 1013;
const SQLITE_DBCONFIG_DQS_DDL = 1014;

/**
 * An hour, in milliseconds. Nothing is waited for, but SQLite tries again for each tenth of a second of the timeout, which
 * takes a while for millions of them; and near 2^31 its sum overflows, and there is no end.
 */
const LONGEST_TIMEOUT = 3_600_000;

type Hook = UpdateHook | PreupdateHook | CommitHook | RollbackHook | ProgressHandler;

const ONE_OF_BOTH =
  'A pre-update hook and sessions exclude each other: SQLite has one place for both. Take the hook away, or close the sessions.';

/** A commit hook for who has none. */
const pass = () => false;

/** What SQLite refuses without a word. */
const NO_FUNCTION = "A function's name has at most 255 bytes, and it takes at most 1000 arguments.";

export class Connection<M extends Mode = 'sync'> {
  readonly context: Context<M>;
  #pointer: number;
  #generation = 0;
  /**
   * What was prepared here and not finalised. SQLite knows of more: virtual tables such as FTS5's have statements of their own,
   * which they finalise themselves.
   */
  readonly #statements = new Set<number>();
  /** What is recorded of its changes: sessions. */
  readonly #sessions = new Set<number>();
  /** Blobs that are open: statements, to SQLite, which end when those do. */
  readonly blobs = new Set<OpenBlob<M>>();
  /** What is to be ended before it is closed. */
  readonly dependents = new Set<() => Answer<M, unknown>>();
  /** How many of its functions are being called, inside of each other. */
  #callbacks = 0;
  /** Those of these in which it must not be used. */
  readonly #barred: string[] = [];
  /** The number of the authorizer, or 0. */
  #authorizer = 0;
  /** Numbers of its hooks, by their kinds. */
  readonly #hooks: number[] = [];
  /** There is a hook at each commit. */
  #guardsCommits = false;
  /** What one of them threw, until the call that it is in is over. */
  #thrown: { error: unknown } | undefined;

  private constructor(context: Context<M>, pointer: number) {
    this.context = context;
    this.#pointer = pointer;
  }

  /** Opens a database. The context is the connection's until it is closed. */
  static open<M extends Mode>(context: Context<M>, settings: Settings): Answer<M, Connection<M>> {
    const { path, readOnly, vfs } = settings;
    const access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const names = vfs === undefined ? [path] : [path, vfs];
    const call = (path?: number, vfs = 0) =>
      context.exports.kit_open(path as number, access | SQLITE_OPEN_URI, vfs);
    return andThen(context.withText(names, call), (pointer) => {
      if (pointer === 0) throw context.failure(context.code, context.text());
      const connection = new Connection(context, pointer);
      connection.#configure(settings);
      return connection;
    });
  }

  #configure(settings: Settings): void {
    const { exports } = this.context;
    this.#switch(SQLITE_DBCONFIG_ENABLE_FKEY, settings.enableForeignKeyConstraints);
    this.#switch(SQLITE_DBCONFIG_DQS_DML, settings.enableDoubleQuotedStringLiterals);
    this.#switch(SQLITE_DBCONFIG_DQS_DDL, settings.enableDoubleQuotedStringLiterals);
    this.#switch(SQLITE_DBCONFIG_DEFENSIVE, settings.defensive);
    this.check(exports.kit_busy_timeout(this.pointer, Math.min(settings.timeout, LONGEST_TIMEOUT)));
    applyLimits(this, settings.limits);
  }

  #switch(option: number, on: boolean): void {
    this.check(this.context.exports.kit_config(this.pointer, option, on ? 1 : 0));
  }

  get isOpen(): boolean {
    return this.#pointer !== 0;
  }

  /** For calls into wasm. */
  get pointer(): number {
    if (this.#pointer === 0) throw invalidState('database is not open');
    return this.#pointer;
  }

  // --- Statements ---

  /** Compiles a statement; 0 for a text without one. It is to be freed by `finalize`. */
  prepare(sql: string): Answer<M, number> {
    const { context, pointer } = this;
    const call = (sql?: number) => context.exports.kit_prepare(pointer, sql as number);
    return andThen(context.withText([sql], call), (statement) => {
      if (statement !== 0) this.#statements.add(statement);
      else this.check(context.code);
      return statement;
    });
  }

  finalize(statement: number): Answer<M, void> {
    if (!this.#statements.delete(statement)) return atOnce(undefined);
    return andThen(this.context.exports.kit_finalize(statement), () => this.checkThrown());
  }

  #finalizeAll(): Answer<M, void> {
    const closed = forEach<M, OpenBlob<M>>([...this.blobs], (blob) => blob.close());
    return andThen<M, void, void>(closed, () =>
      forEach(this.#statements, (statement) => this.finalize(statement)),
    );
  }

  /** Counts how often all statements were finalised under their owners' hands. A statement lives in one generation. */
  get generation(): number {
    return this.#generation;
  }

  // --- Databases ---

  /** Closes it and frees all its statements, which notice by `isOpen`. */
  close(): Answer<M, void> {
    this.#notInCallback('closed');
    const { context, pointer } = this;
    const call = () => {
      for (const session of this.#sessions) this.deleteSession(session);
      // A transaction that is still open is rolled back now: nobody could be told what a hook threw then.
      this.#guardsCommits = false;
      this.#hooks.forEach((number, kind) => {
        if (number !== 0) this.setHook(kind, null);
      });
      return context.exports.kit_close(pointer);
    };
    const ended = forEach<M, () => Answer<M, unknown>>([...this.dependents], (end) =>
      andThen(end(), () => {}),
    );
    const finalized = andThen<M, void, void>(ended, () => this.#finalizeAll());
    return andThen(andThen(finalized, call), (code) => {
      this.check(code);
      if (this.#authorizer !== 0) context.engine.host.callbacks.remove(this.#authorizer);
      this.#pointer = 0;
      context.free();
    });
  }

  /** Closes what was forgotten: nobody could catch what is thrown. */
  abandon(): Answer<M, void> {
    return this.isOpen && !this.context.engine.hasStopped ? this.close() : atOnce(undefined);
  }

  exec(sql: string): Answer<M, void> {
    const { context, pointer } = this;
    const call = (sql?: number) => context.exports.kit_exec(pointer, sql as number);
    return andThen(context.withText([sql], call), (code) => this.check(code));
  }

  /** The file of an attached database; null for one without. */
  location(dbName: string): string | null {
    const { context, pointer } = this;
    context.withText([dbName], (name) => atOnce(context.exports.kit_filename(pointer, name as number)));
    return context.text() || null;
  }

  /** A database as the bytes of a file. */
  serialize(dbName: string): Answer<M, Uint8Array<ArrayBuffer>> {
    const { context, pointer } = this;
    const call = (name?: number) => context.exports.kit_serialize(pointer, name as number);
    return andThen(context.withText([dbName], call), (bytes) => {
      if (bytes === 0) throw this.error();
      const copy = context.bytes();
      context.exports.kit_free(bytes);
      return copy;
    });
  }

  /** Puts a database file's bytes in the place of an attached database. All statements are finalised. */
  deserialize(bytes: Uint8Array, dbName: string): Answer<M, void> {
    const { context, pointer } = this;
    const put = (name?: number, data?: number) =>
      context.exports.kit_deserialize(pointer, name as number, data as number, bytes.length);
    this.#notInCallback('deserialized');
    this.#generation++;
    const done = andThen(this.#finalizeAll(), () => context.withText([dbName], put, bytes));
    return andThen(done, (code) => this.check(code));
  }

  setDefensive(on: boolean): void {
    this.#switch(SQLITE_DBCONFIG_DEFENSIVE, on);
  }

  // --- Sessions ---

  /** Begins to record changes, of one table or of all. */
  createSession({ table, db }: SessionOptions): number {
    const { context, pointer } = this;
    if (this.#hooks[HookKind.Preupdate]) throw invalidState(ONE_OF_BOTH);
    const create = (db?: number, table = 0) =>
      atOnce<M, number>(context.exports.kit_session_new(pointer, db as number, table));
    const session = context.withText(table ? [db, table] : [db], create) as number;
    if (session === 0) throw context.errorOf(context.code, null);
    this.#sessions.add(session);
    return session;
  }

  hasSession(session: number): boolean {
    return this.isOpen && this.#sessions.has(session);
  }

  deleteSession(session: number): void {
    if (this.#sessions.delete(session)) this.context.exports.kit_session_delete(session);
  }

  /** What a session has recorded. */
  changes(session: number, asPatchset: boolean): Answer<M, Uint8Array<ArrayBuffer>> {
    const { context, pointer } = this;
    this.checkAccess();
    const made = context.exports.kit_session_changes(pointer, session, asPatchset ? 1 : 0);
    return andThen(made, (bytes) => {
      this.check(context.code);
      const copy = context.bytes();
      context.exports.kit_free(bytes);
      return copy;
    });
  }

  /** Makes changes that were recorded. Answers whether it has made them: a conflict may have been answered otherwise. */
  applyChangeset(changeset: Uint8Array, { filter, onConflict }: ApplyOptions): Answer<M, boolean> {
    const { context, pointer } = this;
    const { callbacks } = context.engine.host;
    const [filterNumber, conflictNumber] = [filter, onConflict].map((call) =>
      call ? callbacks.add(this, call) : 0,
    ) as [number, number];
    const apply = (bytes?: number) =>
      context.exports.kit_changeset_apply(
        pointer,
        bytes as number,
        changeset.length,
        filterNumber,
        conflictNumber,
      );
    const applied = lastly<M, number>(
      () => context.withText([], apply, changeset),
      () => {
        for (const number of [filterNumber, conflictNumber]) if (number !== 0) callbacks.remove(number);
      },
    );
    return andThen(applied, (code) => {
      this.checkThrown();
      if (code === SQLITE_OK) return true;
      if (code === SQLITE_ABORT) return false;
      // The connection knows nothing of what is wrong with a changeset.
      const error = context.error(pointer);
      throw error.errcode === code ? error : context.errorOf(code, null);
    });
  }

  // --- Functions ---

  /** Defines an SQL function. */
  createFunction(definition: Definition, call: SQLFunction): void {
    this.#define('kit_function', definition, call);
  }

  /** Defines an aggregate, which is a window function if it has an inverse. */
  createAggregate(definition: Definition, aggregate: Aggregate): void {
    this.#define('kit_aggregate', definition, aggregate);
  }

  #define(
    kind: 'kit_function' | 'kit_aggregate',
    { name, argc, flags, bigIntegers }: Definition,
    call: SQLFunction | Aggregate,
  ): void {
    const { context, pointer } = this;
    const number = context.engine.host.callbacks.add(this, call);
    const hasInverse = typeof call === 'object' && call.inverse !== undefined;
    // `Data` of functions.rs.
    const data = number * 4 + (hasInverse ? 2 : 0) + (bigIntegers ? 1 : 0);
    const define = (name?: number) =>
      atOnce<M, number>(context.exports[kind](pointer, name as number, argc, flags, data));
    const code = context.withText([name], define) as number;
    // SQLite checks nothing else, and has no words for it.
    if (code === SQLITE_MISUSE) throw context.errorOf(code, NO_FUNCTION);
    this.check(code);
  }

  /** Has a function asked what statements may do, or none. */
  setAuthorizer(ask: Authorizer | null): void {
    const { context, pointer } = this;
    const { callbacks } = context.engine.host;
    const former = this.#authorizer;
    this.#authorizer = ask === null ? 0 : callbacks.add(this, ask);
    const code = context.exports.kit_authorizer(pointer, this.#authorizer);
    if (former !== 0) callbacks.remove(former);
    this.check(code);
  }

  // --- Hooks ---

  /** Sets a hook, or with null takes it away. */
  setHook(kind: number, hook: Hook | null, steps = 0): void {
    const { context, pointer } = this;
    const { callbacks } = context.engine.host;
    const isPreupdate = kind === HookKind.Preupdate;
    if (isPreupdate && hook !== null && this.#sessions.size > 0) throw invalidState(ONE_OF_BOTH);
    if (hook !== null && (isPreupdate || kind === HookKind.Update)) this.#guardCommits();
    const call = hook ?? (kind === HookKind.Commit && this.#guardsCommits ? pass : null);
    const former = this.#hooks[kind] ?? 0;
    const number = call === null ? 0 : callbacks.add(this, call);
    this.#hooks[kind] = number;
    if (kind === HookKind.Progress) context.exports.kit_progress(pointer, steps, number);
    // A session has the place of this one.
    else if (!isPreupdate || former + number !== 0) context.exports.kit_hook(pointer, kind, number);
    if (former !== 0) callbacks.remove(former);
  }

  /**
   * Nothing that throws in these hooks makes a statement fail. What it does is undone all the same if it is a transaction of its own:
   * a commit is asked about, and refused when something was thrown.
   */
  #guardCommits(): void {
    this.#guardsCommits = true;
    if (!this.#hooks[HookKind.Commit]) this.setHook(HookKind.Commit, pass);
  }

  /** Defines a collation, or with null takes it away. */
  setCollation(name: string, compare: Collation | null): void {
    const { context, pointer } = this;
    const { callbacks } = context.engine.host;
    if (compare !== null) this.#guardCommits();
    const number = compare === null ? 0 : callbacks.add(this, compare);
    const define = (name?: number) =>
      atOnce<M, number>(context.exports.kit_collation(pointer, name as number, number * 4));
    const code = context.withText([name], define) as number;
    // SQLite has forgotten it only where it has taken it.
    if (code !== SQLITE_OK && number !== 0) callbacks.remove(number);
    this.check(code);
  }

  /** One of its functions is being called, or not any more. */
  callback(change: 1 | -1, where: string | undefined): void {
    this.#callbacks += change;
    if (where === undefined) return;
    if (change > 0) this.#barred.push(where);
    else this.#barred.pop();
  }

  /** An authorizer, for one, is asked in the middle of compiling a statement: SQLite must not be used there. */
  checkAccess(): void {
    if (this.#barred.length > 0)
      throw invalidState(`database cannot be accessed from ${this.#barred.at(-1)}`);
  }

  get isInCallback(): boolean {
    return this.#callbacks > 0;
  }

  /** One of its functions threw. The first one is why the call fails. */
  threw(error: unknown): void {
    this.#thrown ??= { error };
  }

  /** One of its functions threw, and nobody has been told yet. */
  get hasThrown(): boolean {
    return this.#thrown !== undefined;
  }

  #notInCallback(what: string): void {
    if (this.isInCallback) throw invalidState(`database cannot be ${what} while in a callback`);
  }

  // --- What can be asked at any time. A suspended call must not have its buffers changed, so this is not in its context. ---

  get isTransaction(): boolean {
    return this.context.engine.main.exports.kit_autocommit(this.pointer) === 0;
  }

  /** Name of the VFS that keeps the file. */
  get store(): string {
    const { main } = this.context.engine;
    main.exports.kit_vfs_name(this.pointer);
    return main.text() ?? '';
  }

  /** Sets one of SQLite's limits and answers the former one; a negative value only asks. */
  limit(number: number, value: number): number {
    if (value >= 0) this.checkAccess();
    return this.context.engine.main.exports.kit_limit(this.pointer, number, value);
  }

  /** Has what it runs end with `SQLITE_INTERRUPT`. */
  interrupt(): void {
    this.context.engine.main.exports.kit_interrupt(this.pointer);
  }

  /** One of SQLite's counters. */
  status(counter: number, reset: boolean): number {
    const { main } = this.context.engine;
    main.exports.kit_status(this.pointer, counter, reset ? 1 : 0);
    return main.changes(false) as number;
  }

  // --- Errors ---

  /** Throws if the code says that a call failed. */
  check(code: number): void {
    if (code !== SQLITE_OK || this.#thrown !== undefined) throw this.error();
  }

  /** Throws what a function threw in a call that came to an end all the same. */
  checkThrown(): void {
    if (this.#thrown !== undefined) throw this.error();
  }

  /** What one of its functions threw, which can be anything; else SQLite's last error on this connection. */
  error(): Error {
    if (this.#thrown !== undefined) {
      const { error } = this.#thrown;
      this.#thrown = undefined;
      return error as Error;
    }
    const error = this.context.error(this.pointer);
    // A stack has ten frames in V8. Ours up to here say nothing, and take the place of the caller's.
    Error.captureStackTrace?.(error, this.error);
    return error;
  }
}
