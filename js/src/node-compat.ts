/**
 * `node:sqlite` itself, for a program that was written for Node: the same names, and nothing to wait for, since SQLite is
 * loaded when the import is done. A bundler's alias is all that such a program needs to run in a browser. In Vite:
 *
 * ```js
 * export default {
 *   resolve: { alias: { 'node:sqlite': 'sqlite-vfs-kit/node-compat' } },
 *   // This module has a top-level await: what compiles for older engines, as Vite did up to version 6, refuses it.
 *   build: { target: 'es2022' },
 *   // So does what makes classic scripts of workers.
 *   worker: { format: 'es' },
 * };
 * ```
 *
 * The wasm file is the one beside this package's JavaScript. To take it from somewhere else, `init({ wasm: … })` must have
 * been called before this module is imported.
 *
 * @module
 */
import { backup } from './backup.js';
import { constants } from './constants.js';
import { DatabaseSync } from './database.js';
import { init } from './init.js';
import { Session } from './session.js';
import { StatementSync } from './statement.js';

// By the names that @types/node gives them.
export type { Limits as DatabaseLimits } from './limits.js';
export type { SQLInputValue } from './params.js';
export type {
  StatementColumn as StatementColumnMetadata,
  StatementResult as StatementResultingChanges,
} from './prepared.js';
export type { SQLOutputValue } from './rows.js';
export type { DatabaseOptions as DatabaseSyncOptions } from './settings.js';
export type { StatementOptions as PrepareOptions } from './statement-options.js';

await init();

export {
  backup,
  constants,
  DatabaseSync as Database,
  DatabaseSync,
  Session,
  StatementSync as Statement,
  StatementSync,
};

export default {
  Database: DatabaseSync,
  DatabaseSync,
  Statement: StatementSync,
  StatementSync,
  Session,
  constants,
  backup,
};
