/** Functions that SQLite calls in the middle of its work, beside those of `node:sqlite`, and their arguments, checked. */
import { sizeArgument } from './blob-arguments.js';
import { invalidArgType } from './errors.js';
import { nameArgument, optionsObject } from './options.js';
import type { SQLOutputValue } from './rows.js';

/** A number, or a `BigInt` where it is not exact as one. */
export type Rowid = number | bigint;

export type ChangeOperation = 'insert' | 'update' | 'delete';

/** A row that was changed. */
export interface RowChange {
  operation: ChangeOperation;
  /** `'main'`, `'temp'`, or the name of an attached database. */
  dbName: string;
  table: string;
  rowid: Rowid;
}

/** A row before or after a change. */
export interface RowState {
  /** Not to be relied on in a table WITHOUT ROWID. */
  rowid: Rowid;
  /** In the order of the table's columns. Integers are numbers, or `BigInt`s where they are not exact as such. */
  values: SQLOutputValue[];
}

/** A row that is about to be changed. */
export interface PendingChange {
  operation: ChangeOperation;
  /** `'main'`, `'temp'`, or the name of an attached database. */
  dbName: string;
  table: string;
  /** How many triggers it is in. */
  depth: number;
  /** Null for a row that is inserted. */
  old: RowState | null;
  /** Null for a row that is deleted, and for a blob that is written by `openBlob`. */
  new: RowState | null;
  /** The column whose blob is written in part by `openBlob`; else -1. */
  blobColumn: number;
}

export type UpdateHook = (change: RowChange) => void;
export type PreupdateHook = (change: PendingChange) => void;
/** Where it throws or answers `true`, the transaction is rolled back. */
export type CommitHook = () => unknown;
export type RollbackHook = () => void;
/** Where it throws or answers `true`, the statement ends with `SQLITE_INTERRUPT`. */
export type ProgressHandler = () => unknown;
/** Answers a number: below 0 if `a` comes before `b`, above 0 if after it. */
export type Collation = (a: string, b: string) => number;

/** What SQLite has one of for each connection: the numbers are those of `src/engine/hooks.rs`. */
export const HookKind = { Commit: 0, Rollback: 1, Update: 2, Preupdate: 3, Progress: 4 } as const;

export interface ProgressOptions {
  /** How many steps of a statement's program there are from one call to the next, about: 1000 if left out. */
  steps?: number;
}

export function hookArgument<Call>(call: Call | null, name = 'callback'): Call | null {
  if (call === null || typeof call === 'function') return call;
  throw invalidArgType(`The "${name}" argument must be a function or null.`);
}

export function progressArguments([handler, options]: [ProgressHandler | null, ProgressOptions?]): {
  handler: ProgressHandler | null;
  steps: number;
} {
  const { steps = 1000 } = optionsObject(options, options !== undefined);
  // SQLite takes 32 bits.
  return {
    handler: hookArgument(handler, 'handler'),
    steps: Math.min(sizeArgument(steps, 'options.steps', 1), 2 ** 31 - 1),
  };
}

export function collationArguments([name, compare]: [string, Collation | null]): {
  name: string;
  compare: Collation | null;
} {
  return { name: nameArgument(name, 'name'), compare: hookArgument(compare, 'compare') };
}
