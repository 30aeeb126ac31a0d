/** What `pragma` is called with, as in better-sqlite3: not in `node:sqlite`. */
import { booleanOption, optionsObject, stringArgument } from './options.js';

export interface PragmaOptions {
  /** Only the first column of the first row is wanted: `undefined` if there is no row. */
  simple?: boolean;
}

export type PragmaArguments = [source: string, options?: PragmaOptions];

export function pragmaArguments([source, options]: PragmaArguments): { sql: string; simple: boolean } {
  const sql = `PRAGMA ${stringArgument(source, 'source')}`;
  return { sql, simple: booleanOption(optionsObject(options, options !== undefined), 'simple', false) };
}
