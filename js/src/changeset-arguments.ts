/** The arguments of `createSession` and `applyChangeset`, checked. */
import type { ConflictHandler, TableFilter } from './callbacks.js';
import { invalidArgType } from './errors.js';
import { optionsObject } from './options.js';

/** What a session records. */
export interface CreateSessionOptions {
  /** Changes of this table only; of all if it is left out. */
  table?: string;
  /** Which of the attached databases: `'main'` if left out. */
  db?: string;
}

/** How changes are applied. */
export interface ApplyChangesetOptions {
  /** Answers whether the changes of a table are wanted. */
  filter?: TableFilter;
  /**
   * Is told of each change that meets another state than it left, by `constants.SQLITE_CHANGESET_DATA` and so on; and answers
   * `SQLITE_CHANGESET_OMIT`, `_REPLACE` or `_ABORT`. Without it each conflict means ABORT.
   */
  onConflict?: ConflictHandler;
}

export interface SessionOptions {
  table: string;
  db: string;
}

export interface ApplyOptions {
  filter: TableFilter | undefined;
  onConflict: ConflictHandler | undefined;
}

export function sessionArguments(args: unknown[]): SessionOptions {
  const options = optionsObject(args[0], args.length > 0);
  return { table: ownString(options, 'table', ''), db: ownString(options, 'db', 'main') };
}

/** As in Node, what is there must be a string, and what is inherited is not there. */
function ownString(options: Record<string, unknown>, name: string, fallback: string): string {
  if (!Object.hasOwn(options, name)) return fallback;
  const value = options[name];
  if (typeof value !== 'string') throw invalidArgType(`The "options.${name}" argument must be a string.`);
  return value;
}

export function applyArguments(args: unknown[]): ApplyOptions & { changeset: Uint8Array } {
  const [changeset] = args;
  if (!(changeset instanceof Uint8Array)) {
    throw invalidArgType('The "changeset" argument must be a Uint8Array.');
  }
  const options = optionsObject(args[1], args[1] !== undefined);
  const { onConflict } = options;
  if (onConflict !== undefined) checkFunction(onConflict, 'onConflict');
  const hasFilter = Object.hasOwn(options, 'filter');
  const filter = hasFilter ? options.filter : undefined;
  if (hasFilter) checkFunction(filter, 'filter');
  return {
    changeset,
    onConflict: onConflict as ConflictHandler | undefined,
    filter: filter as TableFilter | undefined,
  };
}

function checkFunction(value: unknown, name: string): void {
  if (typeof value !== 'function') throw invalidArgType(`The "options.${name}" argument must be a function.`);
}
