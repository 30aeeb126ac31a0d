/** Databases, in `node:sqlite`'s shape. */
/// <reference lib="esnext.disposable" preserve="true" />
import { Connection, forgotten } from './connection.js';
import { invalidArgType, invalidArgValue, invalidState } from './errors.js';
import { engine } from './init.js';
import { applyLimits, type Limits, limitsOf, limitsOption } from './limits.js';
import {
  booleanArgument,
  booleanOption,
  integerOption,
  nameOption,
  optionsObject,
  stringArgument,
  stringOption,
} from './options.js';
import { type StatementOptions, StatementSync } from './statement.js';
import { decode } from './text.js';

/** How a database is opened. */
export interface DatabaseOptions extends StatementOptions {
  /** Open it now (the default), or when `open()` is called. */
  open?: boolean;
  /** Only read; the database must exist. */
  readOnly?: boolean;
  /** Foreign keys are checked. On by default. */
  enableForeignKeyConstraints?: boolean;
  /** `"text"` may be a string. Off by default. */
  enableDoubleQuotedStringLiterals?: boolean;
  /**
   * How long a lock is waited for, in milliseconds; at most an hour. In one thread nothing changes while it waits, so a lock
   * of another connection of this instance is refused at once.
   */
  timeout?: number;
  /** SQL cannot damage the database file on purpose. On by default; `journal_mode=off` needs it off. */
  defensive?: boolean;
  /** SQLite's limits, by Node's names. */
  limits?: Partial<Limits>;
  /** The VFS that keeps the file. By default it is in memory, and `store` says so. */
  vfs?: string;
}

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

/** Options with their defaults filled in. */
interface Settings {
  readOnly: boolean;
  enableForeignKeyConstraints: boolean;
  enableDoubleQuotedStringLiterals: boolean;
  timeout: number;
  defensive: boolean;
  limits: Partial<Limits>;
  vfs: string | undefined;
  statement: Required<StatementOptions>;
}

export class DatabaseSync {
  readonly #path: string;
  readonly #settings: Settings;
  #connection: Connection | undefined;
  #limits: Limits | undefined;

  /**
   * @param path A file's name, `':memory:'`, or a URI that begins with `file:`.
   */
  constructor(path: string | URL | Uint8Array, options?: DatabaseOptions);
  constructor(...args: [path: string | URL | Uint8Array, options?: DatabaseOptions]) {
    this.#path = pathArgument(args[0]);
    const options = optionsObject(args[1], args.length > 1);
    const open = booleanOption(options, 'open', true);
    this.#settings = {
      readOnly: booleanOption(options, 'readOnly', false),
      enableForeignKeyConstraints: booleanOption(options, 'enableForeignKeyConstraints', true),
      enableDoubleQuotedStringLiterals: booleanOption(options, 'enableDoubleQuotedStringLiterals', false),
      timeout: integerOption(options, 'timeout', 0),
      defensive: booleanOption(options, 'defensive', true),
      limits: limitsOption(options),
      vfs: nameOption(options, 'vfs'),
      statement: {
        readBigInts: booleanOption(options, 'readBigInts', false),
        returnArrays: booleanOption(options, 'returnArrays', false),
        allowBareNamedParameters: booleanOption(options, 'allowBareNamedParameters', true),
        allowUnknownNamedParameters: booleanOption(options, 'allowUnknownNamedParameters', false),
      },
    };
    if (open) this.open();
  }

  /** Opens a database that was made with `open: false`, or that was closed. */
  open(): void {
    if (this.isOpen) throw invalidState('database is already open');
    const settings = this.#settings;
    const access = settings.readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const connection = Connection.open(engine().main, this.#path, access | SQLITE_OPEN_URI, settings.vfs);
    const { exports } = connection.context;
    const configure = (option: number, on: boolean) =>
      connection.check(exports.kit_config(connection.pointer, option, on ? 1 : 0));
    configure(SQLITE_DBCONFIG_ENABLE_FKEY, settings.enableForeignKeyConstraints);
    configure(SQLITE_DBCONFIG_DQS_DML, settings.enableDoubleQuotedStringLiterals);
    configure(SQLITE_DBCONFIG_DQS_DDL, settings.enableDoubleQuotedStringLiterals);
    configure(SQLITE_DBCONFIG_DEFENSIVE, settings.defensive);
    connection.check(
      exports.kit_busy_timeout(connection.pointer, Math.min(settings.timeout, LONGEST_TIMEOUT)),
    );
    applyLimits(connection, settings.limits);
    this.#connection = connection;
    forgotten.register(this, { connection }, this);
  }

  /** Closes the database and frees its statements. */
  close(): void {
    this.#opened().close();
    this.#connection = undefined;
    forgotten.unregister(this);
  }

  [Symbol.dispose](): void {
    if (this.isOpen) this.close();
  }

  /** Runs all statements of a text; rows are dropped. */
  exec(sql: string): void {
    const connection = this.#opened();
    const text = stringArgument(sql, 'sql');
    const { context, pointer } = connection;
    connection.check(context.withText([text], (sql) => context.exports.kit_exec(pointer, sql as number)));
  }

  /** Compiles the first statement of a text. */
  prepare(sql: string, options?: StatementOptions): StatementSync;
  prepare(...args: [sql: string, options?: StatementOptions]): StatementSync {
    const connection = this.#opened();
    const sql = stringArgument(args[0], 'sql');
    return StatementSync.prepare(this, connection, sql, this.#settings.statement, args[1]);
  }

  /** The file of an attached database (`'main'` if left out); null for one without a file. */
  location(dbName?: string): string | null {
    const { context, pointer } = this.#opened();
    const name = dbName === undefined ? 'main' : stringArgument(dbName, 'dbName');
    context.withText([name], (name) => context.exports.kit_filename(pointer, name as number));
    return context.text() || null;
  }

  /** A database as the bytes of a file: what its write-ahead log holds is in it. */
  serialize(dbName?: string): Uint8Array<ArrayBuffer> {
    const connection = this.#opened();
    const { context, pointer } = connection;
    const name = dbName === undefined ? 'main' : stringArgument(dbName, 'dbName');
    const bytes = context.withText([name], (name) => context.exports.kit_serialize(pointer, name as number));
    if (bytes === 0) throw connection.error();
    const copy = context.bytes();
    context.exports.kit_free(bytes);
    return copy;
  }

  /**
   * Puts the bytes of a database file in the place of an attached database, which is in memory from then on. All statements
   * are finalised.
   */
  deserialize(buffer: Uint8Array, options?: { dbName?: string }): void;
  deserialize(...args: [buffer: Uint8Array, options?: { dbName?: string }]): void {
    const connection = this.#opened();
    const [buffer] = args;
    if (!(buffer instanceof Uint8Array)) throw invalidArgType('The "buffer" argument must be a Uint8Array.');
    if (buffer.length === 0) throw invalidArgValue('The "buffer" argument must not be empty.');
    const dbName = stringOption(optionsObject(args[1], args[1] !== undefined), 'dbName') ?? 'main';
    connection.deserialize(buffer, dbName);
  }

  /** Turns the `defensive` option on or off. */
  enableDefensive(active: boolean): void {
    const connection = this.#opened();
    const on = booleanArgument(active, 'active') ? 1 : 0;
    connection.check(
      connection.context.exports.kit_config(connection.pointer, SQLITE_DBCONFIG_DEFENSIVE, on),
    );
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
    const { context, pointer } = this.#opened();
    return context.exports.kit_autocommit(pointer) === 0;
  }

  /** The name of the VFS that keeps the file: not in `node:sqlite`. */
  get store(): string {
    const { context, pointer } = this.#opened();
    context.exports.kit_vfs_name(pointer);
    return context.text() ?? '';
  }

  #opened(): Connection {
    if (this.#connection === undefined) throw invalidState('database is not open');
    return this.#connection;
  }
}

function pathArgument(path: unknown): string {
  let text: string | undefined;
  if (typeof path === 'string') text = path;
  else if (path instanceof Uint8Array) text = decode(path);
  else if (typeof path === 'object' && path !== null && 'href' in path && typeof path.href === 'string') {
    if (!path.href.startsWith('file:')) {
      throw Object.assign(new TypeError('The URL must be of scheme file:'), {
        code: 'ERR_INVALID_URL_SCHEME',
      });
    }
    text = path.href;
  }
  if (text === undefined || text.includes('\0')) {
    throw invalidArgType('The "path" argument must be a string, Uint8Array, or URL without null bytes.');
  }
  return text;
}
