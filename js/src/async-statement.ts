/** Prepared statements whose methods answer promises: `node:sqlite`'s shape otherwise. */
/// <reference lib="esnext.disposable" preserve="true" />
import { andThen } from './answer.js';
import type { Connection } from './connection.js';
import { Cursor } from './cursor.js';
import { illegalConstructor } from './errors.js';
import { forgotten, keepDatabase } from './forgotten.js';
import { type SQLInputValue, withOwnBlobs } from './params.js';
import {
  type NamedParameters,
  Prepared,
  type Row,
  type StatementColumn,
  type StatementCounter,
  type StatementResult,
  type Values,
} from './prepared.js';
import type { Queue } from './queue.js';
import type { StatementOptions } from './statement-options.js';

type Options = Required<StatementOptions>;

/** Opens the constructor to `prepare` alone. */
const key = Symbol();

/**
 * What is behind a statement.
 *
 * @internal
 */
export let preparedOf: (statement: AsyncStatement<unknown>) => Prepared<'async'>;

/**
 * A prepared statement. Its calls have their turns among those of its database. Parameters are read when a call is made, and the
 * options count that are set then; what is wrong with parameters rejects the promise.
 */
export class AsyncStatement<R = Row> {
  readonly #prepared: Prepared<'async'>;
  readonly #queue: Queue;
  /** Calls that wait for their turns, or have them. */
  #waiting = 0;
  readonly #sourceSQL: string;

  static {
    preparedOf = (statement) => statement.#prepared;
  }

  private constructor(token: symbol, queue: Queue, prepared: Prepared<'async'>, sql: string) {
    if (token !== key) throw illegalConstructor();
    this.#queue = queue;
    this.#prepared = prepared;
    this.#sourceSQL = sql;
    forgotten.register(this, () => queue.addQuietly(() => prepared.abandon()), this);
  }

  /**
   * It is the caller's turn.
   *
   * @internal
   * @param database Whose connection it is.
   */
  static async prepare<R = Row>(
    database: object,
    queue: Queue,
    connection: Connection<'async'>,
    sql: string,
    options: Options,
  ): Promise<AsyncStatement<R>> {
    const prepared = await Prepared.prepare(connection, sql, options);
    // Arguments are read when a call is made, and then another may be under way: nothing can be asked of the engine.
    prepared.parameters();
    const statement = new AsyncStatement<R>(key, queue, prepared, await prepared.sourceSQL());
    keepDatabase(statement, database);
    return statement;
  }

  /** Runs the statement and answers what it changed. Rows that it has are passed over. */
  run(...parameters: SQLInputValue[]): Promise<StatementResult>;
  run(named: NamedParameters, ...parameters: SQLInputValue[]): Promise<StatementResult>;
  run(...args: unknown[]): Promise<StatementResult> {
    return this.#use(
      args,
      (values) => this.#prepared.beginRun(values),
      (code, options) => this.#prepared.endRun(code, options),
    );
  }

  /** The first row, or `undefined` if there is none. */
  get(...parameters: SQLInputValue[]): Promise<R | undefined>;
  get(named: NamedParameters, ...parameters: SQLInputValue[]): Promise<R | undefined>;
  get(...args: unknown[]): Promise<R | undefined> {
    return this.#use(args, (values, options) => this.#prepared.get(values, options), same) as Promise<
      R | undefined
    >;
  }

  /** All rows. */
  all(...parameters: SQLInputValue[]): Promise<R[]>;
  all(named: NamedParameters, ...parameters: SQLInputValue[]): Promise<R[]>;
  all(...args: unknown[]): Promise<R[]> {
    return this.#use(args, (values, options) => this.#prepared.all(values, options), same) as Promise<R[]>;
  }

  /**
   * The rows one after another. Any other use of the statement ends it; other statements have their turns between its batches.
   * What is wrong with parameters rejects the first `next`.
   */
  iterate(...parameters: SQLInputValue[]): AsyncIterableIterator<R>;
  iterate(named: NamedParameters, ...parameters: SQLInputValue[]): AsyncIterableIterator<R>;
  iterate(...args: unknown[]): AsyncIterableIterator<R> {
    const cursor = this.#use(
      args,
      (values) => this.#prepared.bind(values),
      () => new Cursor(this, this.#prepared, this.#queue.again !== undefined),
    );
    return new AsyncRowIterator(cursor, {
      turn: (call) => this.#turn(call),
      isIdle: () => this.#waiting === 0,
    }) as AsyncIterableIterator<unknown> as AsyncIterableIterator<R>;
  }

  /** What is known of the columns of its rows. */
  columns(): Promise<StatementColumn[]> {
    return this.#turn(() => this.#prepared.columns());
  }

  /** The statement's SQL: it can be had when the statement is closed, too. */
  get sourceSQL(): string {
    return this.#sourceSQL;
  }

  /** The statement's SQL with the values last bound in the place of parameters. */
  get expandedSQL(): Promise<string> {
    return this.#turn(() => this.#prepared.expandedSQL());
  }

  /**
   * One of SQLite's counters for this statement (https://sqlite.org/c3ref/c_stmtstatus_counter.html).
   *
   * @param counter `'fullscanStep'`, `'sort'`, `'autoindex'`, `'vmStep'`, `'reprepare'`, `'run'`, `'filterMiss'`, `'filterHit'`
   *   or `'memused'`, in bytes.
   */
  stat(counter: StatementCounter): Promise<number> {
    return this.#turn(() => this.#prepared.stat(counter));
  }

  /** Sets the counters to zero. */
  resetStats(): Promise<void> {
    return this.#turn(() => this.#prepared.resetStats());
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
  close(): Promise<void> {
    return this.#turn(() => this.#close());
  }

  async #close(): Promise<void> {
    await this.#prepared.close();
    forgotten.unregister(this);
  }

  /** As `close`, also when it is closed already. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn(() => (this.#prepared.isLive ? this.#close() : undefined));
  }

  /**
   * A use of the statement, in its turn. It is one function, with what is done with an answer in it: each promise more, and each
   * function that is made for it, is felt in a loop over rows.
   */
  async #use<A, T>(
    args: unknown[],
    ask: (values: Values, options: Options) => A | Promise<A>,
    answer: (asked: A, options: Options) => T,
  ): Promise<T> {
    const { options } = this.#prepared;
    let values: Values | undefined;
    let wrong: unknown;
    try {
      values = withOwnBlobs(this.#prepared.read(args));
    } catch (error) {
      // It is a use all the same, and is told when it has its turn.
      wrong = error;
    }
    this.#waiting++;
    const turn = this.#queue.enter();
    if (turn) await turn;
    try {
      this.#prepared.begin();
      if (values === undefined) throw wrong;
      const { again } = this.#queue;
      if (again) {
        // Where calls run to their end, the answer is to be taken before another connection makes one.
        const known = values;
        return await again(() =>
          andThen<'async', A, T>(ask(known, options), (asked) => answer(asked, options)),
        );
      }
      return answer(await ask(values, options), options);
    } finally {
      this.#waiting--;
      this.#queue.leave();
    }
  }

  async #turn<T>(call: () => T | Promise<T>): Promise<T> {
    this.#waiting++;
    const turn = this.#queue.enter();
    if (turn) await turn;
    try {
      const { again } = this.#queue;
      return await (again ? again(call) : call());
    } finally {
      this.#waiting--;
      this.#queue.leave();
    }
  }
}

/** The answer as it is. */
const same = <T>(answer: T): T => answer;

/** What an iterator needs of its statement. */
interface Turns {
  turn<T>(call: () => T | Promise<T>): Promise<T>;
  /** None of the statement's calls waits. */
  isIdle(): boolean;
}

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype));

/** @internal */
export class AsyncRowIterator implements AsyncIterableIterator<Row> {
  readonly #turns: Turns;
  readonly #bound: Promise<Cursor<'async'>>;
  #cursor: Cursor<'async'> | undefined;

  constructor(bound: Promise<Cursor<'async'>>, turns: Turns) {
    this.#turns = turns;
    this.#bound = bound;
    bound.then(
      (cursor) => {
        this.#cursor = cursor;
      },
      // Whoever asks for a row will hear of it.
      () => {},
    );
  }

  async next(): Promise<IteratorResult<Row>> {
    // A row that is at hand needs no turn, unless somebody asked before: then it is not the next any more, or invalid.
    if (this.#cursor?.isReady && this.#turns.isIdle()) return this.#cursor.next();
    return this.#turns.turn(async () => (await this.#bound).next());
  }

  async return(): Promise<IteratorResult<Row>> {
    return this.#turns.turn(async () => (await this.#bound).return());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

Object.setPrototypeOf(AsyncRowIterator.prototype, AsyncIteratorPrototype);
