/** Statements as template literals, in `node:sqlite`'s shape. */
import { Cursor } from './cursor.js';
import type { DatabaseSync } from './database.js';
import { illegalConstructor } from './errors.js';
import type { SQLInputValue } from './params.js';
import type { Prepared, Row, StatementResult } from './prepared.js';
import { preparedOf, RowIterator, type StatementSync } from './statement.js';
import { checkParameters, sqlOf, TagCache } from './tag-cache.js';

/** Opens the constructor to `createTagStore` alone. */
const key = Symbol();

/** What is used of a database. */
interface Preparing {
  readonly db: DatabaseSync;
  /** Throws if the database cannot be used now. */
  check(): void;
}

/**
 * Statements written as template literals: `` store.get`select * from t where a = ${a}` ``. Each is compiled once, and those
 * used last are kept.
 */
export class SQLTagStore {
  readonly #of: Preparing;
  readonly #cache: TagCache<StatementSync>;

  private constructor(token: symbol, of: Preparing, maxSize: unknown) {
    if (token !== key) throw illegalConstructor();
    this.#of = of;
    this.#cache = new TagCache(maxSize);
  }

  /** @internal */
  static create(of: Preparing, maxSize: unknown): SQLTagStore {
    return new SQLTagStore(key, of, maxSize);
  }

  /** How many statements it has. */
  get size(): number {
    return this.#cache.size;
  }

  /** How many it keeps at most. */
  get capacity(): number {
    return this.#cache.capacity;
  }

  get db(): DatabaseSync {
    return this.#of.db;
  }

  /** The first row, or `undefined` if there is none. */
  get(parts: TemplateStringsArray, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepared(parts, values).get(values);
  }

  /** All rows. */
  all(parts: TemplateStringsArray, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(parts, values).all(values);
  }

  /** The rows one after another. Any other use of the same SQL ends it. */
  iterate(parts: TemplateStringsArray, ...values: SQLInputValue[]): IterableIterator<Row> {
    const statement = this.#statement(parts, values);
    const prepared = preparedOf(statement);
    prepared.bind(values);
    return new RowIterator(new Cursor(statement, prepared));
  }

  /** Runs the statement and answers what it changed. */
  run(parts: TemplateStringsArray, ...values: SQLInputValue[]): StatementResult {
    return this.#prepared(parts, values).run(values);
  }

  /** Forgets all statements. */
  clear(): void {
    this.#cache.clear();
  }

  #prepared(parts: unknown, values: unknown[]): Prepared {
    return preparedOf(this.#statement(parts, values));
  }

  #statement(parts: unknown, values: unknown[]): StatementSync {
    this.#of.check();
    const sql = sqlOf(parts, values.length);
    let statement = this.#cache.find(sql);
    // Its database may have been closed, and opened again.
    if (statement === undefined || !preparedOf(statement).isLive) statement = this.#of.db.prepare(sql);
    checkParameters(preparedOf(statement), values.length);
    this.#cache.keep(sql, statement);
    return statement;
  }
}
