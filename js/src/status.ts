/** A connection's counters (https://sqlite.org/c3ref/c_dbstatus_options.html): not in `node:sqlite`. */
import type { Connection } from './connection.js';
import { booleanOption, optionsObject } from './options.js';

/** SQLite's numbers for them. Those of lookaside memory that were counted have no value now, and a highest one. */
const COUNTERS = {
  cacheHits: 7,
  cacheMisses: 8,
  cacheSpills: 12,
  cacheUsed: 1,
  cacheWrites: 9,
  lookasideUsed: 0,
  schemaUsed: 2,
  statementsUsed: 3,
} as const;

/** Numbers of a connection, since it was opened, or since they were reset. */
export interface DatabaseStatus {
  /** Pages that were found in the cache. */
  cacheHits: number;
  /** Pages that had to be read. */
  cacheMisses: number;
  /** Pages that were written in the middle of a transaction, for want of cache. */
  cacheSpills: number;
  /** Bytes of memory for the cache now. */
  cacheUsed: number;
  /** Pages that were written. */
  cacheWrites: number;
  /** Pieces of lookaside memory in use now. */
  lookasideUsed: number;
  /** Bytes of memory for the schema now. */
  schemaUsed: number;
  /** Bytes of memory for statements now. */
  statementsUsed: number;
}

export interface StatusOptions {
  /** Those of the cache that count pages begin anew. */
  reset?: boolean;
}

export function statusOf(connection: Pick<Connection, 'status'>, options?: StatusOptions): DatabaseStatus {
  const reset = booleanOption(optionsObject(options, options !== undefined), 'reset', false);
  return Object.fromEntries(
    Object.entries(COUNTERS).map(([name, counter]) => [name, connection.status(counter, reset)]),
  ) as unknown as DatabaseStatus;
}
