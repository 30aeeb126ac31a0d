/**
 * Moving in: databases that others made are found, copied, checked and left untouched where they are. Files of sql.js, better-sqlite3 or any
 * other SQLite, the pools of opfs-sahpool and of wa-sqlite's AccessHandlePoolVFS, and what wa-sqlite keeps in IndexedDB.
 *
 * @packageDocumentation
 */
export type { DatabaseBytes, ImportBytes } from './import/bytes.js';
export type { ImportSource } from './import/find.js';
export { type ImportTarget, importFrom } from './import/import-from.js';
export type { ImportCheck, ImportedDatabase, ImportReport } from './import/report.js';
export type { ImportKind } from './import/source.js';
