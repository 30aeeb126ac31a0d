/** One open connection: what a database and its statements share. */
import type { Context } from './context.js';
import { invalidState } from './errors.js';
import { SQLITE_OK } from './result-codes.js';

export class Connection {
  readonly context: Context;
  #pointer: number;
  #generation = 0;
  /**
   * What was prepared here and not finalised. SQLite knows of more: virtual tables such as FTS5's have statements of their own,
   * which they finalise themselves.
   */
  readonly #statements = new Set<number>();

  private constructor(context: Context, pointer: number) {
    this.context = context;
    this.#pointer = pointer;
  }

  /** @param flags `SQLITE_OPEN_…` */
  static open(context: Context, path: string, flags: number, vfs: string | undefined): Connection {
    const { exports } = context;
    const pointer =
      vfs === undefined
        ? context.withText([path], (path) => exports.kit_open(path as number, flags, 0))
        : context.withText([path, vfs], (path, vfs) =>
            exports.kit_open(path as number, flags, vfs as number),
          );
    if (pointer === 0) throw context.failure(context.code, context.text());
    const connection = new Connection(context, pointer);
    return connection;
  }

  get isOpen(): boolean {
    return this.#pointer !== 0;
  }

  /** For calls into wasm. */
  get pointer(): number {
    if (this.#pointer === 0) throw invalidState('database is not open');
    return this.#pointer;
  }

  /** Compiles a statement; 0 for a text without one. It is to be freed by `finalize`. */
  prepare(sql: string): number {
    const { context, pointer } = this;
    const statement = context.withText([sql], (sql) => context.exports.kit_prepare(pointer, sql as number));
    if (statement !== 0) this.#statements.add(statement);
    else this.check(context.code);
    return statement;
  }

  finalize(statement: number): void {
    if (this.#statements.delete(statement)) this.context.exports.kit_finalize(statement);
  }

  #finalizeAll(): void {
    for (const statement of this.#statements) this.finalize(statement);
  }

  /** Closes it and frees all its statements, which notice by `isOpen`. */
  close(): void {
    const { pointer } = this;
    this.#finalizeAll();
    if (this.context.exports.kit_close(pointer) !== SQLITE_OK) throw this.error();
    this.#pointer = 0;
  }

  /** Counts how often all statements were finalised under their owners' hands. A statement lives in one generation. */
  get generation(): number {
    return this.#generation;
  }

  /** Puts a database file's bytes in the place of an attached database. All statements are finalised. */
  deserialize(bytes: Uint8Array, dbName: string): void {
    const { context, pointer } = this;
    const { exports } = context;
    const put = (name?: number, data?: number) =>
      exports.kit_deserialize(pointer, name as number, data as number, bytes.length);
    this.#generation++;
    this.#finalizeAll();
    this.check(context.withText([dbName], put, bytes));
  }

  /** Throws if the code says that a call failed. */
  check(code: number): void {
    if (code !== SQLITE_OK) throw this.error();
  }

  /** SQLite's last error on this connection. */
  error(): Error {
    return this.context.error(this.pointer);
  }
}

/** Closes what was forgotten: a database, or a statement, that nobody can reach any more. */
export const forgotten = new FinalizationRegistry<Forgotten>(({ connection, statement, generation }) => {
  // Nobody could catch what is thrown here.
  if (!connection.isOpen || connection.context.engine.hasStopped) return;
  if (statement === undefined) connection.close();
  else if (generation === connection.generation) connection.finalize(statement);
});

interface Forgotten {
  connection: Connection;
  /** A statement's pointer; undefined for the database itself. */
  statement?: number;
  generation?: number;
}
