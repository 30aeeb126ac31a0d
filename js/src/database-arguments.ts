/** The arguments of a database's methods, checked. */
import { invalidArgType, invalidArgValue } from './errors.js';
import { optionsObject, stringArgument, stringOption } from './options.js';
import { type StatementOptions, statementOptions } from './statement-options.js';

export type PrepareArguments = [sql: string, options?: StatementOptions];

/** @param defaults The database's own. */
export function prepareArguments(args: PrepareArguments, defaults: Required<StatementOptions>) {
  const sql = stringArgument(args[0], 'sql');
  const options = statementOptions(optionsObject(args[1], args[1] !== undefined), defaults);
  return { sql, options };
}

export type DeserializeArguments = [buffer: Uint8Array, options?: { dbName?: string }];

export function deserializeArguments(args: DeserializeArguments) {
  const [buffer] = args;
  if (!(buffer instanceof Uint8Array)) throw invalidArgType('The "buffer" argument must be a Uint8Array.');
  if (buffer.length === 0) throw invalidArgValue('The "buffer" argument must not be empty.');
  const dbName = stringOption(optionsObject(args[1], args[1] !== undefined), 'dbName');
  return { buffer, dbName: dbNameArgument(dbName) };
}

/** Which of the attached databases: `'main'` if left out. */
export const dbNameArgument = (dbName: string | undefined): string =>
  dbName === undefined ? 'main' : stringArgument(dbName, 'dbName');
