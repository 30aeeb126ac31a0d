// Runs what is typed in the SQL box: any number of statements, each exactly once, one after the other.

import type { DatabaseSync, StatementSync } from 'sqlite-vfs-kit';

export type Cell = null | number | bigint | string | Uint8Array;

export interface Rows {
  columns: string[];
  rows: Cell[][];
  /** There were more rows than are kept; how many is not known, since they were never read. */
  cut: boolean;
}

export interface Outcome {
  /** How many statements ran to their end. */
  statements: number;
  /** The rows of the last statement that has columns. */
  result: Rows | null;
  /** Rows inserted, updated or deleted, triggers included. */
  changes: bigint;
  /** A statement without columns ran, so tables may have changed. */
  wrote: boolean;
  milliseconds: number;
  /** What stopped the script, and the statement it stopped at. */
  error: { cause: unknown; sql: string } | null;
}

/** More than anyone scrolls through; reading on would only fill memory. */
const ROW_LIMIT = 200_000;

export function runScript(db: DatabaseSync, sql: string): Outcome {
  const outcome: Outcome = {
    statements: 0,
    result: null,
    changes: 0n,
    wrote: false,
    milliseconds: 0,
    error: null,
  };
  const changesBefore = totalChanges(db);
  const start = performance.now();
  let rest = sql;
  let current = sql;
  try {
    while (rest.trim() !== '') {
      current = rest;
      const statement = prepareFirst(db, rest);
      if (statement === null) break;
      const { sourceSQL } = statement;
      current = sourceSQL;
      const columns = statement.columns();
      if (columns.length === 0) {
        statement.run();
        outcome.wrote = true;
      } else {
        outcome.result = readRows(
          statement,
          columns.map(({ name }) => name),
        );
      }
      outcome.statements += 1;
      // A statement that is the text of none would be run again and again; nothing known makes one.
      if (sourceSQL.length === 0) break;
      rest = rest.slice(sourceSQL.length);
    }
  } catch (cause) {
    outcome.error = { cause, sql: current.trim() };
  }
  outcome.milliseconds = performance.now() - start;
  outcome.changes = totalChanges(db) - changesBefore;
  return outcome;
}

/** The first statement of a text, or null when only space and comments are left. */
function prepareFirst(db: DatabaseSync, sql: string): StatementSync | null {
  try {
    return db.prepare(sql);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_INVALID_ARG_VALUE') return null;
    throw error;
  }
}

function readRows(statement: StatementSync, columns: string[]): Rows {
  // As BigInts, integers beyond 2^53 stay exact, and an INTEGER 1 is told from a REAL 1.0.
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const rows: Cell[][] = [];
  for (const row of statement.iterate()) {
    if (rows.length === ROW_LIMIT) return { columns, rows, cut: true };
    rows.push(row as unknown as Cell[]);
  }
  return { columns, rows, cut: false };
}

// The `changes` of a statement that is neither INSERT, UPDATE nor DELETE is that of an earlier one, hence the total.
function totalChanges(db: DatabaseSync): bigint {
  const statement = db.prepare('SELECT total_changes()');
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return (statement.get() as unknown as [bigint])[0];
}
