/** SQLite, as the cases use it: every answer may be a promise, so that one set of cases is for both builds. */
import { DatabaseSync } from '../database.js';
import { registerVFS, unregisterVFS } from '../default-build.js';
import type { FacadeVFS } from '../facade.js';
import { init } from '../init.js';

type Async<T> = T | PromiseLike<T>;

/** A row, by column names. */
type SqlRow = Record<string, unknown>;

/** A value of SQLite's that cases bind. */
export type SqlValue = null | number | bigint | string | Uint8Array<ArrayBuffer>;

/** What cases ask of a statement: `StatementSync` and its promise-returning twin both have it. */
export interface SqlStatement {
  all(...values: SqlValue[]): Async<unknown[]>;
  run(...values: SqlValue[]): Async<unknown>;
}

/** What cases ask of a database: `DatabaseSync` and its promise-returning twin both have it. */
export interface SqlConnection {
  exec(sql: string): Async<void>;
  prepare(sql: string): Async<SqlStatement>;
  /** The database as the bytes of a file. */
  serialize(): Async<Uint8Array>;
  close(): Async<void>;
}

/** How a case opens a database. */
export interface SqlOpenOptions {
  /** The one that is tested; left out, any will do. */
  readonly vfs?: string;
  readonly readOnly?: boolean;
}

/** A build of SQLite. */
export interface SqlEngine {
  /** Makes it ready; called before anything else, and more than once. */
  init?(): Async<unknown>;
  register(vfs: FacadeVFS): Async<void>;
  unregister(name: string): Async<void>;
  open(path: string, options: SqlOpenOptions): Async<SqlConnection>;
}

/** The build that `sqlite-vfs-kit` is: for VFSes whose methods answer at once. */
export const syncEngine: SqlEngine = {
  init,
  register: (vfs) => registerVFS(vfs),
  unregister: (name) => unregisterVFS(name),
  open: (path, options) => new DatabaseSync(path, options),
};

/** A database of a case. */
export class SqlDatabase {
  readonly #connection: SqlConnection;
  #open = true;

  constructor(connection: SqlConnection) {
    this.#connection = connection;
  }

  async exec(sql: string): Promise<void> {
    await this.#connection.exec(sql);
  }

  async run(sql: string, ...values: SqlValue[]): Promise<void> {
    await (await this.#connection.prepare(sql)).run(...values);
  }

  async all(sql: string, ...values: SqlValue[]): Promise<SqlRow[]> {
    return (await (await this.#connection.prepare(sql)).all(...values)) as SqlRow[];
  }

  /** The first column of every row. */
  async column(sql: string, ...values: SqlValue[]): Promise<unknown[]> {
    return (await this.all(sql, ...values)).map((row) => Object.values(row)[0]);
  }

  /** The first column of the first row. */
  async value(sql: string, ...values: SqlValue[]): Promise<unknown> {
    return (await this.column(sql, ...values))[0];
  }

  get isOpen(): boolean {
    return this.#open;
  }

  async close(): Promise<void> {
    this.#open = false;
    await this.#connection.close();
  }
}
