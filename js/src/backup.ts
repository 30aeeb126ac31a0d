/** `backup`, in `node:sqlite`'s shape. */
import { type BackupOptions, backupOptions, sourceArgument } from './backup-arguments.js';
import { copyDatabase } from './copying.js';
import { connectionOf, type DatabaseSync } from './database.js';
import { engine } from './init.js';
import { pathArgument } from './settings.js';

/**
 * Copies a database to a file of any VFS, while it is in use: what changes meanwhile is copied, too. Answers how many pages it has.
 * A copy that is not completed leaves nothing of itself behind but the file.
 *
 * @param path The copy's file, as for `DatabaseSync`: also a URI with `?vfs=`.
 */
export function backup(
  sourceDb: DatabaseSync,
  path: string | URL | Uint8Array,
  options?: BackupOptions,
): Promise<number>;
export function backup(sourceDb: unknown, path: unknown, ...rest: unknown[]): Promise<number> {
  const database = sourceArgument(sourceDb);
  const file = pathArgument(path);
  const connection = connectionOf(database as DatabaseSync);
  const settings = { path: file, ...backupOptions([sourceDb, path, ...rest]) };
  const source = { connection, newContext: () => engine().main, turn: now };
  return copyDatabase(source, settings);
}

const now = async <T>(call: () => T | Promise<T>): Promise<T> => call();
