/** One statement run for many rows of parameters, all of them or none: not in `node:sqlite`. */
import type { Connection } from './connection.js';
import type { DatabaseSync } from './database.js';
import { invalidArgType } from './errors.js';
import { optionsObject, stringArgument } from './options.js';
import { isBytes, type SQLInputValue, withOwnBlobs } from './params.js';
import { type NamedParameters, Prepared, type StatementResult } from './prepared.js';
import type { StatementOptions } from './statement-options.js';
import { SAVEPOINT, transactionOf } from './transaction.js';

/** What `run` is called with for a row: values in order, or by their names. */
export type ParameterRow = readonly SQLInputValue[] | NamedParameters;

export interface ExecuteManyOptions {
  /** Looked at before the first row and between rows. Once it is aborted nothing is changed, and its reason is thrown. */
  signal?: AbortSignal;
}

export interface ExecuteManyResult {
  /** How many rows of tables were inserted, changed or deleted, by all rows of parameters together. */
  changes: number | bigint;
  /** The rowid of the last row that the connection inserted; `undefined` if there were no rows of parameters. */
  lastInsertRowid: number | bigint | undefined;
  /** How many rows of parameters there were. */
  rows: number;
}

export type ExecuteManyArguments = [
  sql: string,
  rows: Iterable<ParameterRow>,
  options?: ExecuteManyOptions | undefined,
];

interface Many {
  sql: string;
  rows: Iterable<unknown>;
  signal: AbortSignal | undefined;
}

export function executeManyArguments([sql, rows, options]: ExecuteManyArguments): Many {
  const text = stringArgument(sql, 'sql');
  if (typeof (rows as Partial<Iterable<unknown>> | null | undefined)?.[Symbol.iterator] !== 'function') {
    throw invalidArgType('The "rows" argument must be an iterable.');
  }
  const { signal } = optionsObject(options, options !== undefined) as ExecuteManyOptions;
  // By its method: a signal may be one of another realm.
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function') {
    throw invalidArgType('The "options.signal" argument must be an AbortSignal.');
  }
  return { sql: text, rows, signal };
}

/** As `executeManyArguments`, with rows that are nobody else's: they are run later. */
export function ownExecuteManyArguments(args: ExecuteManyArguments): Many {
  const { rows, ...many } = executeManyArguments(args);
  const own: unknown[] = [];
  for (const row of rows) own.push(ofRow(own.length, () => ownRow(row, own.length)));
  return { ...many, rows: own };
}

function ownRow(row: unknown, index: number): unknown[] {
  const [first, ...rest] = runArguments(row, index);
  if (Array.isArray(row) && !isNamed(first)) return [...withOwnBlobs([...row])];
  const names = Object.keys(first as NamedParameters);
  const values = withOwnBlobs(names.map((name) => (first as NamedParameters)[name]));
  const named = Object.fromEntries(names.map((name, i) => [name, values[i]]));
  return [named, ...withOwnBlobs(rest as SQLInputValue[])];
}

const isNamed = (value: unknown): boolean => typeof value === 'object' && value !== null && !isBytes(value);

/** What `run` would be called with. */
function runArguments(row: unknown, index: number): unknown[] {
  if (Array.isArray(row)) return row;
  if (isNamed(row)) return [row];
  throw invalidArgType(`Row ${index} of the "rows" argument must be an array or an object.`);
}

/** An error tells which row it is of. */
function ofRow<T>(index: number, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw withRow(error, index);
  }
}

function withRow(error: unknown, index: number): unknown {
  // What a function of the user's throws may be anything, and frozen.
  if (error instanceof Error && Object.isExtensible(error)) Object.assign(error, { row: index });
  return error;
}

class Sum {
  readonly result: ExecuteManyResult;

  constructor({ readBigInts }: Required<StatementOptions>) {
    this.result = { changes: readBigInts ? 0n : 0, lastInsertRowid: undefined, rows: 0 };
  }

  add({ changes, lastInsertRowid }: StatementResult): void {
    const { result } = this;
    // Both are of the kind that the option says.
    result.changes = ((result.changes as number) + (changes as number)) as number | bigint;
    result.lastInsertRowid = lastInsertRowid;
    result.rows++;
  }
}

/** Rows are asked for one by one, as they are run. */
export function executeMany(
  db: DatabaseSync,
  connection: Connection,
  { sql, rows, signal }: Many,
  options: Required<StatementOptions>,
): ExecuteManyResult {
  signal?.throwIfAborted();
  const prepared = Prepared.prepare(connection, sql, options);
  try {
    return transactionOf(db, () => {
      const sum = new Sum(options);
      for (const row of rows) {
        signal?.throwIfAborted();
        const index = sum.result.rows;
        ofRow(index, () => sum.add(prepared.run(prepared.values(runArguments(row, index)))));
      }
      return sum.result;
    })();
  } finally {
    prepared.abandon();
  }
}

/** In one turn of the connection's, so that no other call is a part of its transaction. */
export async function executeManyAsync(
  connection: Connection<'async'>,
  { sql, rows, signal }: Many,
  options: Required<StatementOptions>,
): Promise<ExecuteManyResult> {
  signal?.throwIfAborted();
  const prepared = await Prepared.prepare(connection, sql, options);
  try {
    const isPart = connection.isTransaction;
    await connection.exec(isPart ? `SAVEPOINT ${SAVEPOINT}` : 'BEGIN');
    try {
      const sum = new Sum(options);
      for (const row of rows) {
        signal?.throwIfAborted();
        const index = sum.result.rows;
        try {
          sum.add(await prepared.run(prepared.values(runArguments(row, index))));
        } catch (error) {
          throw withRow(error, index);
        }
      }
      await connection.exec(isPart ? `RELEASE ${SAVEPOINT}` : 'COMMIT');
      return sum.result;
    } catch (error) {
      await undo(connection, isPart);
      throw error;
    }
  } finally {
    await prepared.abandon();
  }
}

/** As in transaction.ts: some errors have undone all of it already. */
async function undo(connection: Connection<'async'>, isPart: boolean): Promise<void> {
  if (!connection.isOpen || !connection.isTransaction) return;
  try {
    await connection.exec(isPart ? `ROLLBACK TO ${SAVEPOINT}; RELEASE ${SAVEPOINT}` : 'ROLLBACK');
  } catch {
    // What went wrong first is what is to be heard of.
  }
}
