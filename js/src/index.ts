/**
 * SQLite in JavaScript, with the API of `node:sqlite`, on any store.
 *
 * @packageDocumentation
 */

export { backup } from './backup.js';
export type { BackupOptions, BackupProgress } from './backup-arguments.js';
export type { BlobReadableOptions, OpenBlobOptions } from './blob-arguments.js';
export type { BlobHandle } from './blob-handle.js';
export type { Authorizer, ConflictHandler, SQLFunction, TableFilter } from './callbacks.js';
export type { ApplyChangesetOptions, CreateSessionOptions } from './changeset-arguments.js';
export type { CheckpointOptions, CheckpointResult } from './checkpoint.js';
export { constants } from './constants.js';
export { DatabaseSync, DatabaseSync as Database } from './database.js';
export { registerVFS, unregisterVFS, WalIndex } from './default-build.js';
export type { SqliteError } from './errors.js';
export type { ExecuteManyOptions, ExecuteManyResult, ParameterRow } from './execute-many.js';
export { FacadeFile, FacadeVFS, type OpenDetails, type WalIndexMethods } from './facade.js';
export type { AggregateOptions, FunctionOptions } from './function-arguments.js';
export type {
  ChangeOperation,
  Collation,
  CommitHook,
  PendingChange,
  PreupdateHook,
  ProgressHandler,
  ProgressOptions,
  RollbackHook,
  RowChange,
  Rowid,
  RowState,
  UpdateHook,
} from './hooks.js';
export { init, sqliteVersion } from './init.js';
export type { LimitName, Limits } from './limits.js';
export type { InitOptions } from './load.js';
export type { SQLInputValue } from './params.js';
export type { PragmaOptions } from './pragma.js';
export type {
  NamedParameters,
  Row,
  StatementColumn,
  StatementCounter,
  StatementResult,
} from './prepared.js';
export type { RegisterOptions } from './register-vfs.js';
export type { SQLOutputValue } from './rows.js';
export { Session } from './session.js';
export type { DatabaseOptions } from './settings.js';
export { StatementSync, StatementSync as Statement } from './statement.js';
export type { StatementOptions } from './statement-options.js';
export type { DatabaseStatus, StatusOptions } from './status.js';
export type { SQLTagStore } from './tag-store.js';
export type { LogEntry, Operation, OperationStats, TracedVFS, TraceOptions } from './traced-vfs.js';
export type { TransactionFunction } from './transaction.js';
export { type FileInfo, getVFS, type RegisteredVFS } from './vfs.js';
export * as VFS from './vfs-constants.js';
export { VFSError, type VFSErrorCode } from './vfs-error.js';
