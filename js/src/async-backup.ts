/** `backup` of a database whose methods answer promises. */
import { type AsyncDatabaseIn, sourceOf } from './async-database.js';
import { type BackupOptions, backupOptions, sourceArgument } from './backup-arguments.js';
import { copyDatabase } from './copying.js';
import { pathArgument } from './settings.js';

/**
 * Copies a database to a file of any VFS, while it is in use: what changes meanwhile is copied, too. Answers how many pages it has.
 * A copy that is not completed leaves nothing of itself behind but the file. Wrong arguments are thrown at once.
 *
 * @param path The copy's file, as for `AsyncDatabase`: also a URI with `?vfs=`.
 */
export function backup(
  sourceDb: AsyncDatabaseIn,
  path: string | URL | Uint8Array,
  options?: BackupOptions,
): Promise<number>;
export function backup(sourceDb: unknown, path: unknown, ...rest: unknown[]): Promise<number> {
  const database = sourceArgument(sourceDb);
  const file = pathArgument(path);
  const settings = { path: file, ...backupOptions([sourceDb, path, ...rest]) };
  return sourceOf(database as AsyncDatabaseIn).then((source) => copyDatabase(source, settings));
}
