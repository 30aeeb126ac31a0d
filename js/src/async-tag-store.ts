/** Statements as template literals, whose rows are promised. */
import type { AsyncDatabaseIn } from './async-database.js';
import { AsyncRowIterator, type AsyncStatement, preparedOf } from './async-statement.js';
import { Cursor } from './cursor.js';
import { illegalConstructor } from './errors.js';
import { type SQLInputValue, withOwnBlobs } from './params.js';
import type { Prepared, Row, StatementResult, Values } from './prepared.js';
import { early } from './queue.js';
import { checkParameters, sqlOf, TagCache } from './tag-cache.js';

/** Opens the constructor to `createTagStore` alone. */
const key = Symbol();

/** What is used of a database. */
interface Preparing {
  readonly db: AsyncDatabaseIn;
  /** Has something done in its turn. */
  turn<T>(call: (prepare: (sql: string) => Promise<AsyncStatement>) => T | Promise<T>): Promise<T>;
}

/**
 * Statements written as template literals: `` await store.get`select * from t where a = ${a}` ``. Each is compiled once, and those
 * used last are kept.
 */
export class AsyncTagStore {
  readonly #of: Preparing;
  readonly #cache: TagCache<AsyncStatement>;

  private constructor(token: symbol, of: Preparing, maxSize: unknown) {
    if (token !== key) throw illegalConstructor();
    this.#of = of;
    this.#cache = new TagCache(maxSize);
  }

  /** @internal */
  static create(of: Preparing, maxSize: unknown): AsyncTagStore {
    return new AsyncTagStore(key, of, maxSize);
  }

  /** How many statements it has. */
  get size(): number {
    return this.#cache.size;
  }

  /** How many it keeps at most. */
  get capacity(): number {
    return this.#cache.capacity;
  }

  get db(): AsyncDatabaseIn {
    return this.#of.db;
  }

  /** The first row, or `undefined` if there is none. */
  get(parts: TemplateStringsArray, ...values: SQLInputValue[]): Promise<Row | undefined> {
    return this.#use(parts, values, (prepared, values) => prepared.get(values));
  }

  /** All rows. */
  all(parts: TemplateStringsArray, ...values: SQLInputValue[]): Promise<Row[]> {
    return this.#use(parts, values, (prepared, values) => prepared.all(values));
  }

  /** The rows one after another. Any other use of the same SQL ends it. */
  iterate(parts: TemplateStringsArray, ...values: SQLInputValue[]): AsyncIterableIterator<Row> {
    const cursor = this.#use(parts, values, async (prepared, values, statement) => {
      await prepared.bind(values);
      return new Cursor(statement, prepared);
    });
    return new AsyncRowIterator(cursor, { turn: (call) => this.#of.turn(call), isIdle: () => false });
  }

  /** Runs the statement and answers what it changed. */
  run(parts: TemplateStringsArray, ...values: SQLInputValue[]): Promise<StatementResult> {
    return this.#use(parts, values, (prepared, values) => prepared.run(values));
  }

  /** Forgets all statements. */
  clear(): void {
    this.#cache.clear();
  }

  #use<T>(
    parts: unknown,
    given: SQLInputValue[],
    call: (prepared: Prepared<'async'>, values: Values, statement: AsyncStatement) => T | Promise<T>,
  ): Promise<T> {
    const checked = early(() => ({ sql: sqlOf(parts, given.length), values: withOwnBlobs(given) }));
    return this.#of.turn(async (prepare) => {
      const { sql, values } = checked();
      let statement = this.#cache.find(sql);
      // Its database may have been closed, and opened again.
      if (statement === undefined || !preparedOf(statement).isLive) statement = await prepare(sql);
      checkParameters(preparedOf(statement), values.length);
      this.#cache.keep(sql, statement);
      return call(preparedOf(statement), values, statement);
    });
  }
}
