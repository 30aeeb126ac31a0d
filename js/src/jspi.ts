/**
 * SQLite with an API of promises, on stores that answer promises: the names of `node:sqlite`, and `await` before each call.
 *
 * It needs JavaScript Promise Integration. Where there is none `init` says so, and `sqlite-vfs-kit` does without.
 *
 * @packageDocumentation
 */

export { backup } from './async-backup.js';
export type { AsyncBlobHandle } from './async-blob-handle.js';
export { AsyncSession } from './async-session.js';
export { AsyncStatement } from './async-statement.js';
export type { AsyncTagStore } from './async-tag-store.js';
export type { BackupOptions, BackupProgress } from './backup-arguments.js';
export type { BlobReadableOptions, OpenBlobOptions } from './blob-arguments.js';
export type { Authorizer, ConflictHandler, SQLFunction, TableFilter } from './callbacks.js';
export type { ApplyChangesetOptions, CreateSessionOptions } from './changeset-arguments.js';
export type { CheckpointOptions, CheckpointResult } from './checkpoint.js';
export { constants } from './constants.js';
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
export { init, sqliteVersion, supportsJSPI } from './init-jspi.js';
export { AsyncDatabase, getVFS, registerVFS, unregisterVFS, WalIndex } from './jspi-build.js';
export type { LimitName, Limits } from './limits.js';
export type { InitOptions } from './load.js';
export { type MemoryAsyncOptions, MemoryAsyncVFS } from './memory-async-vfs.js';
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
export type { DatabaseOptions } from './settings.js';
export type { StatementOptions } from './statement-options.js';
export type { DatabaseStatus, StatusOptions } from './status.js';
export type { LogEntry, Operation, OperationStats, TracedVFS, TraceOptions } from './traced-vfs.js';
export * as VFS from './vfs-constants.js';
export { VFSError, type VFSErrorCode } from './vfs-error.js';
