/** What `checkpoint` is called with and answers: not in `node:sqlite`. */
import { invalidArgValue } from './errors.js';
import { nameOption, optionsObject } from './options.js';
import type { Row } from './prepared.js';

const MODES = ['passive', 'full', 'restart', 'truncate', 'noop'] as const;

export interface CheckpointOptions {
  /**
   * As SQLite has them (https://sqlite.org/pragma.html#pragma_wal_checkpoint): `'passive'` if left out, which waits for nobody;
   * `'truncate'` leaves a log without a byte.
   */
  mode?: (typeof MODES)[number];
  /** One of the attached databases; all of them if left out. */
  schema?: string;
}

export interface CheckpointResult {
  /** Somebody was in the way, and not all was done. */
  busy: boolean;
  /** Pages in the log; -1 for a database that has none. */
  log: number;
  /** Pages of these that are in the database by now; -1 as above. */
  checkpointed: number;
}

/** The PRAGMA for it. */
export function checkpointPragma(options?: CheckpointOptions): string {
  const given = optionsObject(options, options !== undefined);
  const { mode = 'passive' } = given;
  if (!(MODES as readonly unknown[]).includes(mode)) {
    throw invalidArgValue(`The "options.mode" argument must be one of ${MODES.join(', ')}.`);
  }
  const schema = nameOption(given, 'schema');
  return `${schema === undefined ? '' : `"${schema.replaceAll('"', '""')}".`}wal_checkpoint(${mode})`;
}

export function checkpointResult([row]: Row[]): CheckpointResult {
  const { busy, log, checkpointed } = row as Record<string, number>;
  return { busy: busy !== 0, log: log as number, checkpointed: checkpointed as number };
}
