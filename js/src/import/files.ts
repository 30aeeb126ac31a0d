/** Database files under their own names in a directory: the official build's `opfs`, wa-sqlite's OPFSCoopSync, or a folder of the user's. */
import { type Directory, fromFiles, openAll, peek } from './directory.js';
import { type Found, type SourceFile, typeByName } from './source.js';

const MAGIC = 'SQLite format 3\0';

/** What of a directory is databases and what belongs to them. */
export async function foundFiles(directory: Directory): Promise<Found> {
  const chosen: FileSystemFileHandle[] = [];
  for (const handle of directory.files) {
    if (typeByName(handle.name) !== 'database' || (await isDatabase(handle))) chosen.push(handle);
  }
  const opened = await openAll(chosen);
  const fileOf = (name: string): SourceFile => ({ name, type: typeByName(name) });
  return {
    kind: 'files',
    what: 'a directory',
    warnings: [],
    ...fromFiles(new Map(opened.map((file) => [fileOf(file.name), file]))),
  };
}

async function isDatabase(handle: FileSystemFileHandle): Promise<boolean> {
  const { start } = await peek(handle, MAGIC.length);
  return String.fromCharCode(...start) === MAGIC;
}
