/**
 * SQLite in JavaScript, with the API of `node:sqlite`, on any store.
 *
 * @packageDocumentation
 */
export { type DatabaseOptions, DatabaseSync, DatabaseSync as Database } from './database.js';
export type { SqliteError } from './errors.js';
export { type InitOptions, init, sqliteVersion } from './init.js';
export type { LimitName, Limits } from './limits.js';
export type { SQLInputValue } from './params.js';
export type { SQLOutputValue } from './rows.js';
export {
  type NamedParameters,
  type Row,
  type StatementColumn,
  type StatementCounter,
  type StatementOptions,
  type StatementResult,
  StatementSync,
  StatementSync as Statement,
} from './statement.js';
export { type FileInfo, getVFS, type Operation, type OperationStats, type RegisteredVFS } from './vfs.js';
