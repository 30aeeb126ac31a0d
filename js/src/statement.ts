/** Prepared statements, in `node:sqlite`'s shape. */
/// <reference lib="esnext.disposable" preserve="true" />
import { type Connection, forgotten } from './connection.js';
import type { BatchPlace } from './context.js';
import { illegalConstructor, invalidArgValue, invalidState } from './errors.js';
import { booleanArgument, booleanOption, optionsObject, stringArgument } from './options.js';
import { isBytes, type SQLInputValue, writeParams } from './params.js';
import { SQLITE_DONE, SQLITE_ROW } from './result-codes.js';
import { type Decoded, decodeArrays, decodeObjects, type SQLOutputValue } from './rows.js';

/** How a statement treats parameters and rows. Left out, it does as its database says. */
export interface StatementOptions {
  /** Integers come as `BigInt`, all of them. */
  readBigInts?: boolean;
  /** Rows come as arrays. */
  returnArrays?: boolean;
  /** `{ id: 1 }` serves for `$id`, `:id` and `@id`. */
  allowBareNamedParameters?: boolean;
  /** Names that the statement does not have are passed over. */
  allowUnknownNamedParameters?: boolean;
}

/** What a statement changed. */
export interface StatementResult {
  /** How many rows it inserted, changed or deleted. */
  changes: number | bigint;
  /** The rowid of the last row that the connection inserted. */
  lastInsertRowid: number | bigint;
}

/** Where a column of a result comes from; null for what it does not come from. */
export interface StatementColumn {
  column: string | null;
  database: string | null;
  name: string;
  table: string | null;
  type: string | null;
}

/** A row: an object without a prototype. With `returnArrays` it is an array instead, which its type does not say. */
export type Row = Record<string, SQLOutputValue>;

export type NamedParameters = Record<string, SQLInputValue>;

/** SQLite's counters of a statement, by Node's names. */
const COUNTERS = Object.assign(Object.create(null) as object, {
  fullscanStep: 1,
  sort: 2,
  autoindex: 3,
  vmStep: 4,
  reprepare: 5,
  run: 6,
  filterMiss: 7,
  filterHit: 8,
  memused: 99,
});

export type StatementCounter = keyof typeof COUNTERS;

/** Opens the constructor to `prepare` alone, as Node's is closed to everyone else. */
const key = Symbol();

/** Keeps a statement's database from being closed as forgotten. */
const databases = new WeakMap<StatementSync, object>();

const NOTHING: readonly SQLInputValue[] = [];

/** Rows in a batch for `all`: as many as one batch holds. */
const ALL = 0xffffffff;

/** Rows in the first batch of an iteration; each further one has four times as many. */
const FIRST = 16;

export class StatementSync {
  readonly #connection: Connection;
  readonly #generation: number;
  #pointer: number;
  #options: Required<StatementOptions>;
  readonly #parameterCount: number;
  #parameters: Parameters | undefined;
  #names: string[] | undefined;
  /** How often SQLite had prepared the statement anew when the names were read. */
  #namesAt = -1;
  /** What `run` or `get` was last called with. SQLite had it for that call only; `expandedSQL` binds it again. */
  #runValues: readonly SQLInputValue[] | undefined;
  /** Counts uses of the statement: an iterator stops when there has been another. */
  #use = 0;

  private constructor(
    token: symbol,
    connection: Connection,
    pointer: number,
    options: Required<StatementOptions>,
  ) {
    if (token !== key) throw illegalConstructor();
    this.#connection = connection;
    this.#pointer = pointer;
    this.#options = options;
    this.#parameterCount = connection.context.exports.kit_parameter_count(pointer);
    this.#generation = connection.generation;
    forgotten.register(this, { connection, statement: pointer, generation: this.#generation }, this);
  }

  /**
   * @internal
   * @param database Whose connection it is.
   */
  static prepare(
    database: object,
    connection: Connection,
    sql: string,
    defaults: Required<StatementOptions>,
    options: unknown,
  ): StatementSync {
    const checked = optionsObject(options, options !== undefined);
    const settings: Required<StatementOptions> = {
      readBigInts: booleanOption(checked, 'readBigInts', defaults.readBigInts),
      returnArrays: booleanOption(checked, 'returnArrays', defaults.returnArrays),
      allowBareNamedParameters: booleanOption(
        checked,
        'allowBareNamedParameters',
        defaults.allowBareNamedParameters,
      ),
      allowUnknownNamedParameters: booleanOption(
        checked,
        'allowUnknownNamedParameters',
        defaults.allowUnknownNamedParameters,
      ),
    };
    const pointer = connection.prepare(sql);
    if (pointer === 0) throw invalidArgValue('The SQL query contains no statements.');
    const statement = new StatementSync(key, connection, pointer, settings);
    databases.set(statement, database);
    return statement;
  }

  /** Runs the statement and answers what it changed. Rows that it has are passed over. */
  run(...parameters: SQLInputValue[]): StatementResult;
  run(named: NamedParameters, ...parameters: SQLInputValue[]): StatementResult;
  run(...args: unknown[]): StatementResult {
    const { context } = this.#connection;
    const values = this.#values(args);
    const inbox = writeParams(context, values);
    this.#runValues = values;
    this.#connection.check(context.exports.kit_run(this.#begin(), inbox, values.length));
    const big = this.#options.readBigInts;
    return { changes: context.changes(big), lastInsertRowid: context.lastInsertRowid(big) };
  }

  /** The first row, or `undefined` if there is none. */
  get(...parameters: SQLInputValue[]): Row | undefined;
  get(named: NamedParameters, ...parameters: SQLInputValue[]): Row | undefined;
  get(...args: unknown[]): Row | undefined {
    const { context } = this.#connection;
    const values = this.#values(args);
    const inbox = writeParams(context, values);
    const big = this.#options.readBigInts ? 1 : 0;
    this.#runValues = values;
    const code = context.exports.kit_get(this.#begin(), inbox, values.length, big);
    if (code === SQLITE_DONE) return undefined;
    if (code !== SQLITE_ROW) throw this.#connection.error();
    const { rows, error } = this.#decode(context.batch());
    if (error) throw error;
    return rows[0];
  }

  /** All rows. */
  all(...parameters: SQLInputValue[]): Row[];
  all(named: NamedParameters, ...parameters: SQLInputValue[]): Row[];
  all(...args: unknown[]): Row[] {
    const { context } = this.#connection;
    const values = this.#values(args);
    const inbox = writeParams(context, values);
    const big = this.#options.readBigInts ? 1 : 0;
    this.#runValues = undefined;
    let batch = this.#taken(context.exports.kit_all(this.#begin(), inbox, values.length, big));
    const all = batch.rows;
    for (;;) {
      if (batch.error) {
        this.#reset();
        throw batch.error;
      }
      if (batch.done) return all;
      batch = this.#batch(ALL);
      for (const row of batch.rows) all.push(row);
    }
  }

  /** The rows one after another. Any other use of the statement ends it. */
  iterate(...parameters: SQLInputValue[]): IterableIterator<Row>;
  iterate(named: NamedParameters, ...parameters: SQLInputValue[]): IterableIterator<Row>;
  iterate(...args: unknown[]): IterableIterator<Row> {
    this.#bind(args);
    const use = this.#use;
    return new RowIterator({
      batch: (maxRows) => this.#batch(maxRows),
      isCurrent: () => {
        this.#live();
        return this.#use === use;
      },
      reset: () => this.#reset(),
    });
  }

  /** What is known of the columns of its rows. */
  columns(): StatementColumn[] {
    const pointer = this.#live();
    const { context } = this.#connection;
    const { exports } = context;
    const text = (column: number, what: number) => {
      exports.kit_column_text(pointer, column, what);
      return context.text();
    };
    const count = exports.kit_column_count(pointer);
    return Array.from({ length: count }, (_, i) => {
      const column: StatementColumn = {
        column: text(i, 1),
        database: text(i, 3),
        name: text(i, 0) ?? '',
        table: text(i, 2),
        type: text(i, 4),
      };
      return Object.setPrototypeOf(column, null);
    });
  }

  /** The statement's SQL. */
  get sourceSQL(): string {
    return this.#sql(0);
  }

  /** The statement's SQL with the values last bound in the place of parameters. */
  get expandedSQL(): string {
    return this.#sql(1);
  }

  #sql(expanded: number): string {
    const pointer = this.#live();
    const { context } = this.#connection;
    if (expanded && this.#runValues !== undefined) {
      const values = this.#runValues;
      this.#runValues = undefined;
      context.exports.kit_bind(pointer, writeParams(context, values), values.length);
    }
    context.exports.kit_sql(pointer, expanded);
    return this.#connection.context.text() ?? '';
  }

  /**
   * One of SQLite's counters for this statement (https://sqlite.org/c3ref/c_stmtstatus_counter.html).
   *
   * @param counter `'fullscanStep'`, `'sort'`, `'autoindex'`, `'vmStep'`, `'reprepare'`, `'run'`, `'filterMiss'`, `'filterHit'`
   *   or `'memused'`, in bytes.
   */
  stat(counter: StatementCounter): number {
    const pointer = this.#live();
    const number = COUNTERS[stringArgument(counter, 'counter') as StatementCounter];
    if (number === undefined) throw invalidArgValue('The "counter" argument is not a valid statistic name.');
    return this.#connection.context.exports.kit_statement_status(pointer, number, 0);
  }

  /** Sets the counters to zero. */
  resetStats(): void {
    const pointer = this.#live();
    for (const number of Object.values(COUNTERS)) {
      this.#connection.context.exports.kit_statement_status(pointer, number, 1);
    }
    // SQLite has forgotten how often it prepared the statement anew, by which the names of columns are known to be current.
    this.#names = undefined;
  }

  setReadBigInts(enabled: boolean): void {
    this.#set('readBigInts', enabled, 'readBigInts');
  }

  setReturnArrays(enabled: boolean): void {
    this.#set('returnArrays', enabled, 'returnArrays');
  }

  setAllowBareNamedParameters(enabled: boolean): void {
    this.#set('allowBareNamedParameters', enabled, 'allowBareNamedParameters');
  }

  setAllowUnknownNamedParameters(enabled: boolean): void {
    this.#set('allowUnknownNamedParameters', enabled, 'enabled');
  }

  #set(option: keyof StatementOptions, value: unknown, argument: string): void {
    this.#live();
    this.#options = { ...this.#options, [option]: booleanArgument(value, argument) };
  }

  /** Frees the statement. Closing the database does it too. */
  close(): void {
    const pointer = this.#live();
    forgotten.unregister(this);
    this.#pointer = 0;
    this.#connection.finalize(pointer);
  }

  [Symbol.dispose](): void {
    if (this.#isLive()) this.close();
  }

  // --- How a statement is used ---

  #isLive(): boolean {
    return this.#pointer !== 0 && this.#connection.isOpen && this.#generation === this.#connection.generation;
  }

  #live(): number {
    if (!this.#isLive()) throw invalidState('statement has been finalized');
    return this.#pointer;
  }

  /** After the parameters were looked at, which can run getters: one of them may have used the statement, or closed it. */
  #begin(): number {
    this.#use++;
    return this.#live();
  }

  #bind(args: unknown[]): void {
    const { context } = this.#connection;
    const values = this.#values(args);
    const inbox = writeParams(context, values);
    this.#runValues = undefined;
    this.#connection.check(context.exports.kit_bind(this.#begin(), inbox, values.length));
  }

  #reset(): void {
    this.#connection.context.exports.kit_reset(this.#live());
  }

  /** The next rows, at most so many. An error comes with the rows that were there before it. */
  #batch(maxRows: number): Batch {
    const { context } = this.#connection;
    return this.#taken(context.exports.kit_rows(this.#live(), maxRows, this.#options.readBigInts ? 1 : 0));
  }

  /** What a call that answers rows has left in the outbox. */
  #taken(code: number): Batch {
    const { context } = this.#connection;
    // Before anything else is asked of the engine: what the batch and the error are made of is there until then.
    const failure = code === SQLITE_ROW || code === SQLITE_DONE ? undefined : this.#connection.error();
    const { rows, error } = this.#decode(context.batch());
    return { rows, error: error ?? failure, done: code !== SQLITE_ROW };
  }

  #decode(place: BatchPlace): Decoded<Row> {
    const { context } = this.#connection;
    if (this.#options.returnArrays || place.rows === 0) {
      return decodeArrays(context, place) as unknown as Decoded<Row>;
    }
    return decodeObjects(context, place, this.#columnNames(place));
  }

  #columnNames(place: BatchPlace): string[] {
    // Asking for names makes no rows and moves no memory, so the batch stays where it is.
    if (this.#names === undefined || this.#namesAt !== place.reprepared) {
      const { context } = this.#connection;
      const pointer = this.#live();
      this.#names = Array.from({ length: place.columns }, (_, column) => {
        context.exports.kit_column_text(pointer, column, 0);
        return context.text() ?? '';
      });
      this.#namesAt = place.reprepared;
    }
    return this.#names;
  }

  // --- Parameters ---

  /** The values for the parameters 1, 2, …, from the arguments of a call. */
  #values(args: unknown[]): readonly SQLInputValue[] {
    this.#live();
    this.#use++;
    if (args.length === 0) return NOTHING;
    const first = args[0];
    // Any object that is no bytes: a Date, an array or a function too, as in Node.
    if (typeof first === 'function' || (typeof first === 'object' && first !== null && !isBytes(first))) {
      return this.#named(first as NamedParameters, args);
    }
    if (this.#parameterCount === 0) return args as SQLInputValue[];
    const { hasNames } = this.#parameterNames();
    return hasNames ? this.#positional([], args, 0) : (args as SQLInputValue[]);
  }

  #named(named: NamedParameters, args: unknown[]): readonly SQLInputValue[] {
    const { byName, bare } = this.#parameterNames();
    const { allowBareNamedParameters, allowUnknownNamedParameters } = this.#options;
    if (allowBareNamedParameters && typeof bare === 'string') throw invalidState(bare);
    const values: SQLInputValue[] = [];
    for (const name of Object.keys(named)) {
      const index =
        byName.get(name) ?? (allowBareNamedParameters ? (bare as Map<string, number>).get(name) : undefined);
      if (index !== undefined) values[index - 1] = named[name];
      else if (!allowUnknownNamedParameters) throw invalidState(`Unknown named parameter '${name}'`);
    }
    return this.#positional(values, args, 1);
  }

  /** Arguments without a name go to the parameters without one. */
  #positional(values: SQLInputValue[], args: unknown[], from: number): SQLInputValue[] {
    const { named } = this.#parameterNames();
    let index = 0;
    for (let i = from; i < args.length; i++) {
      while (named[index]) index++;
      values[index++] = args[i] as SQLInputValue;
    }
    return values;
  }

  #parameterNames(): Parameters {
    if (this.#parameters) return this.#parameters;
    const { context } = this.#connection;
    const pointer = this.#live();
    const byName = new Map<string, number>();
    const bare = new Map<string, number>();
    const named: boolean[] = [];
    let conflict: string | undefined;
    const full = new Map<string, string>();
    for (let index = 1; index <= this.#parameterCount; index++) {
      context.exports.kit_parameter_name(pointer, index);
      const name = context.text();
      // ?5 has a name to SQLite, and is a position all the same.
      named.push(name !== null && !name.startsWith('?'));
      if (name === null) continue;
      byName.set(name, index);
      const short = name.slice(1);
      if (bare.has(short)) {
        conflict ??= `Cannot create bare named parameter '${short}' because of conflicting names '${full.get(short)}' and '${name}'.`;
      }
      bare.set(short, index);
      full.set(short, name);
    }
    this.#parameters = { byName, bare: conflict ?? bare, named, hasNames: named.includes(true) };
    return this.#parameters;
  }
}

interface Parameters {
  /** Index by the name with its prefix. */
  byName: Map<string, number>;
  /** Index by the name without; or why there is no such thing. */
  bare: Map<string, number> | string;
  /** For each parameter, whether it has a name. */
  named: boolean[];
  hasNames: boolean;
}

/** Rows, and whether they were the last. */
interface Batch extends Decoded<Row> {
  done: boolean;
}

/** What an iterator needs of its statement. */
interface RowSource {
  batch(maxRows: number): Batch;
  /** The statement has not been used otherwise since. Throws if it is closed. */
  isCurrent(): boolean;
  reset(): void;
}

const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));

/** Reads ahead by a batch, and hands out its rows. */
class RowIterator implements IterableIterator<Row> {
  readonly #source: RowSource;
  #rows: Row[] = [];
  #next = 0;
  #size = FIRST;
  /** Nothing comes after the rows at hand; and why, if it is an error. */
  #last = false;
  #error: Error | undefined;
  #done = false;

  constructor(source: RowSource) {
    this.#source = source;
  }

  next(): IteratorResult<Row> {
    const current = this.#source.isCurrent();
    if (this.#done) return end();
    if (!current) throw invalidState('iterator was invalidated');
    if (this.#next === this.#rows.length && !this.#last) this.#read();
    if (this.#next < this.#rows.length) {
      return result(false, this.#rows[this.#next++] as Row);
    }
    this.#done = true;
    if (this.#error) {
      this.#source.reset();
      throw this.#error;
    }
    return end();
  }

  return(): IteratorResult<Row> {
    // One that was invalidated has nothing to take back: the statement is another's by now.
    if (this.#source.isCurrent() && !this.#done) this.#source.reset();
    this.#done = true;
    this.#rows = [];
    return end();
  }

  #read(): void {
    const { rows, error, done } = this.#source.batch(this.#size);
    this.#size = Math.min(this.#size * 4, ALL);
    this.#rows = rows;
    this.#next = 0;
    this.#error = error;
    this.#last = done || error !== undefined;
  }

  [Symbol.iterator](): this {
    return this;
  }
}

Object.setPrototypeOf(RowIterator.prototype, IteratorPrototype);

const end = () => result(true, null as unknown as Row);

/** Node's results have no prototype either. */
function result(done: boolean, value: Row): IteratorResult<Row> {
  return Object.setPrototypeOf({ done, value }, null);
}
