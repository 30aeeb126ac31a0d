/** File names as SQLite hands them to a VFS, read out of its memory. */
import type { OpenDetails } from '../facade.js';
import type { Memory } from '../memory.js';
import { SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_MAIN_JOURNAL, SQLITE_OPEN_WAL } from '../vfs-constants.js';
import { VFSError } from '../vfs-error.js';

/** A name that is no UTF-8 would come out as another's. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a NUL-terminated name. */
export function readName(memory: Memory, pointer: number): string {
  const { u8 } = memory;
  const start = pointer >>> 0;
  try {
    return decoder.decode(u8.subarray(start, u8.indexOf(0, start)));
  } catch (cause) {
    throw new VFSError('SQLITE_CANTOPEN', "the file's name is not UTF-8", { cause });
  }
}

/** Flags of the kinds of files whose names SQLite keeps together with that of their database. */
const OF_DATABASE = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;

/**
 * What is known of a file beyond its name.
 *
 * SQLite keeps a database's name, its URI parameters, and the names of its journal and log one after another, after four bytes of
 * zero that tell where they begin (https://sqlite.org/c3ref/filename.html).
 */
export function readDetails(memory: Memory, pointer: number, flags: number): OpenDetails {
  const parameters = new URLSearchParams();
  if (!(flags & OF_DATABASE)) return { database: null, parameters };
  const { u8 } = memory;
  let start = pointer >>> 0;
  if (!(flags & SQLITE_OPEN_MAIN_DB)) {
    while (start > 4 && (u8[start - 1] || u8[start - 2] || u8[start - 3] || u8[start - 4])) start--;
  }
  const database = readName(memory, start);
  let at = u8.indexOf(0, start) + 1;
  while (u8[at] !== 0) {
    const key = readName(memory, at);
    at = u8.indexOf(0, at) + 1;
    parameters.append(key, readName(memory, at));
    at = u8.indexOf(0, at) + 1;
  }
  return { database, parameters };
}
