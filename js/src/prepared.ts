/** A prepared statement: what StatementSync and AsyncStatement share. */
import { type Answer, andThen, atOnce, type Mode } from './answer.js';
import type { Connection } from './connection.js';
import type { BatchPlace } from './context.js';
import { invalidArgValue, invalidState } from './errors.js';
import { booleanArgument, stringArgument } from './options.js';
import { isBytes, type SQLInputValue, writeParams } from './params.js';
import { SQLITE_DONE, SQLITE_ROW } from './result-codes.js';
import { type Decoded, decodeArrays, decodeObjects, type SQLOutputValue } from './rows.js';
import type { StatementOptions } from './statement-options.js';

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

/** Values for the parameters 1, 2, … */
export type Values = readonly SQLInputValue[];

const NOTHING: Values = [];

/** Rows in a batch for `all`: as many as one batch holds. */
export const ALL = 0xffffffff;

/** Rows, and whether they were the last. */
export interface Batch extends Decoded<Row> {
  done: boolean;
}

type Options = Required<StatementOptions>;

export class Prepared<M extends Mode = 'sync'> {
  readonly #connection: Connection<M>;
  readonly #generation: number;
  #pointer: number;
  #options: Options;
  readonly #parameterCount: number;
  #parameters: Parameters | undefined;
  #names: string[] | undefined;
  /** How often SQLite had prepared the statement anew when the names were read. */
  #namesAt = -1;
  /** What `run` or `get` was last called with. SQLite had it for that call only; `expandedSQL` binds it again. */
  #runValues: Values | undefined;
  /** Counts uses of the statement: an iterator stops when there has been another. */
  #use = 0;
  /** It is being run: a function that it calls must not touch it. */
  #isRunning = false;

  private constructor(connection: Connection<M>, pointer: number, options: Options) {
    this.#connection = connection;
    this.#pointer = pointer;
    this.#options = options;
    this.#parameterCount = connection.context.exports.kit_parameter_count(pointer);
    this.#generation = connection.generation;
  }

  /** Compiles the first statement of a text. */
  static prepare<M extends Mode>(
    connection: Connection<M>,
    sql: string,
    options: Options,
  ): Answer<M, Prepared<M>> {
    return andThen(connection.prepare(sql), (pointer) => {
      if (pointer === 0) throw invalidArgValue('The SQL query contains no statements.');
      return new Prepared(connection, pointer, options);
    });
  }

  // --- Its life ---

  get isLive(): boolean {
    return this.#pointer !== 0 && this.#connection.isOpen && this.#generation === this.#connection.generation;
  }

  /** For calls into wasm. */
  live(): number {
    if (!this.isLive) throw invalidState('statement has been finalized');
    return this.#pointer;
  }

  close(): Answer<M, void> {
    const pointer = this.#idle();
    this.#pointer = 0;
    return this.#connection.finalize(pointer);
  }

  /** Frees what was forgotten. */
  abandon(): Answer<M, void> {
    return this.isLive && !this.#connection.context.engine.hasStopped ? this.close() : atOnce(undefined);
  }

  /** How many parameters it has. */
  get parameterCount(): number {
    return this.#parameterCount;
  }

  // --- Its uses ---

  get use(): number {
    return this.#use;
  }

  /** There was no use of the statement after that one. Throws if it is closed. */
  isCurrent(use: number): boolean {
    this.#idle();
    return this.#use === use;
  }

  /** A use begins: those before it are over. */
  begin(): number {
    const pointer = this.#idle();
    this.#connection.checkAccess();
    this.#use++;
    return pointer;
  }

  #idle(): number {
    // A call that ended in its middle has left it so: then the engine itself says what is wrong.
    if (this.#isRunning && !this.#connection.context.engine.hasStopped) {
      throw invalidState('statement is already being executed');
    }
    return this.live();
  }

  // The path of every row, without `andThen`: the function that it takes is 0.05 µs of 0.8.

  run(values: Values, options: Options = this.#options): Answer<M, StatementResult> {
    const code = this.beginRun(values);
    if (typeof code === 'number') return atOnce(this.endRun(code, options));
    return andThen(code, (code) => this.endRun(code, options));
  }

  /** The first half of `run`, for who waits for its answer himself. */
  beginRun(values: Values): Answer<M, number> {
    const { context } = this.#connection;
    const inbox = writeParams(context, values);
    this.#runValues = values;
    const pointer = this.begin();
    this.#isRunning = true;
    return context.exports.kit_run(pointer, inbox, values.length) as Answer<M, number>;
  }

  /** The second half: what the statement changed. */
  endRun(code: number, { readBigInts }: Options): StatementResult {
    const { context } = this.#connection;
    this.#isRunning = false;
    this.#connection.check(code);
    return {
      changes: context.changes(readBigInts),
      lastInsertRowid: context.lastInsertRowid(readBigInts),
    };
  }

  /** The first row. */
  get(values: Values, options: Options = this.#options): Answer<M, Row | undefined> {
    const { context } = this.#connection;
    const inbox = writeParams(context, values);
    const big = options.readBigInts ? 1 : 0;
    this.#runValues = values;
    const pointer = this.begin();
    this.#isRunning = true;
    const code = context.exports.kit_get(pointer, inbox, values.length, big);
    if (typeof code === 'number') return atOnce(this.#got(code, options));
    return andThen(code, (code) => this.#got(code, options));
  }

  #got(code: number, options: Options): Row | undefined {
    this.#isRunning = false;
    this.#connection.checkThrown();
    if (code === SQLITE_DONE) return undefined;
    if (code !== SQLITE_ROW) throw this.#connection.error();
    const { rows, error } = this.#decode(this.#connection.context.batch(), options);
    if (error) throw error;
    return rows[0];
  }

  all(values: Values, options: Options = this.#options): Answer<M, Row[]> {
    const { context } = this.#connection;
    const inbox = writeParams(context, values);
    const big = options.readBigInts ? 1 : 0;
    this.#runValues = undefined;
    const pointer = this.begin();
    this.#isRunning = true;
    const code = context.exports.kit_all(pointer, inbox, values.length, big);
    if (typeof code === 'number') return this.#allTaken(code, options);
    return andThen(code, (code) => this.#allTaken(code, options));
  }

  #allTaken(code: number, options: Options): Answer<M, Row[]> {
    const batch = this.#taken(code, options);
    if (!(batch instanceof Promise)) return this.#allOf(batch as Batch, options);
    return andThen(batch as Answer<M, Batch>, (batch) => this.#allOf(batch, options));
  }

  /** Goes on until all rows are there, the last of them those of the batch. */
  #allOf(batch: Batch, options: Options, all = batch.rows): Answer<M, Row[]> {
    for (let last = batch; ; ) {
      if (last.error) return this.#fail(last.error);
      if (last.done) return atOnce(all);
      const next = andThen(this.rows(ALL, options), (batch) => {
        for (const row of batch.rows) all.push(row);
        return batch;
      });
      if (next instanceof Promise) {
        return andThen(next as Answer<M, Batch>, (batch) => this.#allOf(batch, options, all));
      }
      last = next as Batch;
    }
  }

  /** Resets the statement and throws. */
  #fail(error: Error): Answer<M, never> {
    return andThen(this.reset(), () => {
      throw error;
    });
  }

  /** Makes the statement ready for `rows`. */
  bind(values: Values): Answer<M, void> {
    const { context } = this.#connection;
    const inbox = writeParams(context, values);
    this.#runValues = undefined;
    const pointer = this.begin();
    this.#isRunning = true;
    const bound = context.exports.kit_bind(pointer, inbox, values.length);
    return andThen(bound, (code) => {
      this.#isRunning = false;
      this.#connection.check(code);
    });
  }

  /** The next rows, at most so many. An error comes with the rows that were there before it. */
  rows(maxRows: number, options: Options = this.#options): Answer<M, Batch> {
    const { exports } = this.#connection.context;
    const pointer = this.#idle();
    this.#connection.checkAccess();
    this.#isRunning = true;
    const code = exports.kit_rows(pointer, maxRows, options.readBigInts ? 1 : 0);
    return andThen(code, (code) => this.#taken(code, options));
  }

  reset(): Answer<M, void> {
    const pointer = this.#idle();
    this.#isRunning = true;
    return andThen<M, void, void>(this.#connection.context.exports.kit_reset(pointer), () => {
      this.#isRunning = false;
      this.#connection.checkThrown();
    });
  }

  /** What a call that answers rows has left in the outbox. */
  #taken(code: number, options: Options): Answer<M, Batch> {
    const { context } = this.#connection;
    this.#isRunning = false;
    if (this.#connection.hasThrown && code === SQLITE_ROW) return this.#ended();
    // Before anything else is asked of the engine: what the batch and the error are made of is there until then. What a hook or a
    // collation threw is not in the code.
    const isFine = (code === SQLITE_ROW || code === SQLITE_DONE) && !this.#connection.hasThrown;
    const failure = isFine ? undefined : this.#connection.error();
    const { rows, error } = this.#decode(context.batch(), options);
    return atOnce({ rows, error: error ?? failure, done: code !== SQLITE_ROW });
  }

  /** After something was thrown that the statement knows nothing of: it ends before that is told, so that its commit is refused. */
  #ended(): Answer<M, Batch> {
    return andThen<M, void, Batch>(this.#connection.context.exports.kit_reset(this.#pointer), () => ({
      rows: [],
      error: this.#connection.error(),
      done: true,
    }));
  }

  #decode(place: BatchPlace, { returnArrays }: Options): Decoded<Row> {
    const { context } = this.#connection;
    if (returnArrays || place.rows === 0) return decodeArrays(context, place) as unknown as Decoded<Row>;
    return decodeObjects(context, place, this.#columnNames(place));
  }

  #columnNames(place: BatchPlace): string[] {
    // Asking for names makes no rows and moves no memory, so the batch stays where it is.
    if (this.#names === undefined || this.#namesAt !== place.reprepared) {
      const { context } = this.#connection;
      const pointer = this.live();
      this.#names = Array.from({ length: place.columns }, (_, column) => {
        context.exports.kit_column_text(pointer, column, 0);
        return context.text() ?? '';
      });
      this.#namesAt = place.reprepared;
    }
    return this.#names;
  }

  // --- What is known of it ---

  columns(): StatementColumn[] {
    const pointer = this.live();
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

  /** Its SQL as it was prepared. */
  sourceSQL(): Answer<M, string> {
    return this.#sql(0);
  }

  /** Its SQL with the values last bound. */
  expandedSQL(): Answer<M, string> {
    const pointer = this.live();
    const values = this.#runValues;
    // While it runs, SQLite has its values.
    if (values === undefined || this.#isRunning) return this.#sql(1);
    const { context } = this.#connection;
    this.#runValues = undefined;
    const bound = context.exports.kit_bind(pointer, writeParams(context, values), values.length);
    return andThen(bound, () => this.#sql(1));
  }

  #sql(expanded: number): Answer<M, string> {
    const { context } = this.#connection;
    return andThen(context.exports.kit_sql(this.live(), expanded), () => context.text() ?? '');
  }

  stat(counter: unknown): number {
    const pointer = this.live();
    const number = COUNTERS[stringArgument(counter, 'counter') as StatementCounter];
    if (number === undefined) throw invalidArgValue('The "counter" argument is not a valid statistic name.');
    return this.#connection.context.exports.kit_statement_status(pointer, number, 0);
  }

  resetStats(): void {
    const pointer = this.live();
    for (const number of Object.values(COUNTERS)) {
      this.#connection.context.exports.kit_statement_status(pointer, number, 1);
    }
    // SQLite has forgotten how often it prepared the statement anew, by which the names of columns are known to be current.
    this.#names = undefined;
  }

  // --- Options ---

  /** Never changed: `set` makes others. */
  get options(): Options {
    return this.#options;
  }

  set(option: keyof StatementOptions, value: unknown, argument: string): void {
    this.live();
    this.#options = { ...this.#options, [option]: booleanArgument(value, argument) };
  }

  // --- Parameters ---

  /** The values in the arguments of a call, which is a use of the statement even if something is wrong with them. */
  values(args: unknown[]): Values {
    this.begin();
    return this.read(args);
  }

  /** The values in the arguments of a call. It can run getters of theirs, which may use the statement, or close it. */
  read(args: unknown[]): Values {
    if (args.length === 0) return NOTHING;
    const first = args[0];
    // Any object that is no bytes: a Date, an array or a function too, as in Node.
    if (typeof first === 'function' || (typeof first === 'object' && first !== null && !isBytes(first))) {
      return this.#named(first as NamedParameters, args);
    }
    if (this.#parameterCount === 0) return args as SQLInputValue[];
    const { hasNames } = this.parameters();
    return hasNames ? this.#positional([], args, 0) : (args as SQLInputValue[]);
  }

  #named(named: NamedParameters, args: unknown[]): Values {
    const { byName, bare } = this.parameters();
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
    const { named } = this.parameters();
    let index = 0;
    for (let i = from; i < args.length; i++) {
      while (named[index]) index++;
      values[index++] = args[i] as SQLInputValue;
    }
    return values;
  }

  /** What its parameters are called: asked of the engine once. */
  parameters(): Parameters {
    if (this.#parameters) return this.#parameters;
    const { context } = this.#connection;
    const pointer = this.live();
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
