/**
 * Pools of files in OPFS with names of no meaning. Each begins with a sector that says which of SQLite's files it holds: its path, the
 * flags it was opened with, and a digest of the two. The official build's opfs-sahpool and wa-sqlite's AccessHandlePoolVFS have the
 * same layout and differ in the digest.
 */
import { invalidState } from '../errors.js';
import { decode } from '../text.js';
import * as VFS from '../vfs-constants.js';
import { type Directory, fromFiles, openAll, peek } from './directory.js';
import type { OpenedFile } from './opened-file.js';
import type { Found, ImportKind, SourceFile, SourceFileType } from './source.js';

/** Where the bytes of SQLite's file begin. */
const SECTOR = 4096;
const PATH_SIZE = 512;
const CORPUS_SIZE = PATH_SIZE + 4;
const HEADER_SIZE = CORPUS_SIZE + 8;

export interface PoolLayout {
  readonly kind: ImportKind;
  readonly what: string;
  /** Of path and flags. */
  digest(corpus: Uint8Array, flags: number): [number, number];
}

/** What one file of a pool says of itself. */
type Entry =
  | { readonly state: 'free' | 'temporary' | 'strange' }
  /** Its digest is that of another path: the pool's own VFS would take it for free, and empty it. */
  | { readonly state: 'damaged'; readonly path: string }
  | { readonly state: 'used'; readonly path: string; readonly type: SourceFileType };

const TYPES: readonly (readonly [number, SourceFileType])[] = [
  [VFS.SQLITE_OPEN_MAIN_DB, 'database'],
  [VFS.SQLITE_OPEN_MAIN_JOURNAL, 'journal'],
  [VFS.SQLITE_OPEN_WAL, 'wal'],
  [VFS.SQLITE_OPEN_SUPER_JOURNAL, 'super-journal'],
];

function entryOf(start: Uint8Array, size: number, layout: PoolLayout): Entry {
  if (start.length < HEADER_SIZE || size < SECTOR) {
    return { state: start.every((byte) => byte === 0) ? 'free' : 'strange' };
  }
  const view = new DataView(start.buffer, start.byteOffset, HEADER_SIZE);
  const flags = view.getUint32(PATH_SIZE);
  const end = start.indexOf(0);
  if (end === 0) return { state: 'free' };
  if (end < 0 || end > PATH_SIZE) return { state: 'strange' };
  const path = decode(start.subarray(0, end));
  // Both make a full path of every name. A database file under its own name begins with another text, and zeros where a digest would be.
  if (!path.startsWith('/')) return { state: 'strange' };
  const [first, second] = layout.digest(start.subarray(0, CORPUS_SIZE), flags);
  // Written as the machine has its numbers, and all that run a browser have the low byte first.
  if (view.getUint32(CORPUS_SIZE, true) !== first || view.getUint32(CORPUS_SIZE + 4, true) !== second) {
    return { state: 'damaged', path };
  }
  const type = TYPES.find(([flag]) => flags & flag)?.[1];
  if (!type || flags & VFS.SQLITE_OPEN_DELETEONCLOSE) return { state: 'temporary' };
  return { state: 'used', path, type };
}

/**
 * Is a directory such a pool? Certainly, if a digest is right; by its looks, if there are files that could be free or damaged. An
 * empty directory could be anything.
 */
export async function likeness(
  directory: Directory,
  layout: PoolLayout,
): Promise<'certain' | 'possible' | 'none'> {
  let possible = directory.files.length === 0 && directory.folders.length === 0;
  for (const handle of directory.files) {
    const { start, size } = await peek(handle, HEADER_SIZE);
    const { state } = entryOf(start, size, layout);
    if (state === 'used' || state === 'temporary') return 'certain';
    possible ||= state !== 'strange';
  }
  return possible ? 'possible' : 'none';
}

export async function foundPool(directory: Directory, layout: PoolLayout): Promise<Found> {
  const files = new Map<SourceFile, OpenedFile>();
  const warnings: string[] = [];
  const all = await openAll(directory.files);
  try {
    for (const opened of all) {
      const entry = entryOf(await opened.read(0, HEADER_SIZE), opened.size, layout);
      if (entry.state === 'damaged') warnings.push(damaged(opened, entry.path, layout));
      if (entry.state === 'strange') {
        warnings.push(`'${opened.name}' (${opened.size} bytes) is no file of such a pool, and was left out.`);
      }
      if (entry.state !== 'used') continue;
      const twin = [...files].find(([{ name }]) => name === entry.path);
      if (twin) {
        throw invalidState(
          `Two files of the ${layout.kind} pool are '${entry.path}': '${twin[1].name}' and '${opened.name}'.`,
        );
      }
      files.set({ name: entry.path, type: entry.type }, opened);
    }
  } catch (error) {
    for (const file of all) file.close();
    throw error;
  }
  const release = () => {
    for (const file of all) file.close();
  };
  // The names of a pool's files are random, and so is their order.
  const sorted = new Map([...files].sort(([a], [b]) => (a.name < b.name ? -1 : 1)));
  return {
    kind: layout.kind,
    what: layout.what,
    warnings: warnings.sort(),
    ...fromFiles(sorted, SECTOR),
    release,
  };
}

const damaged = (file: OpenedFile, path: string, { kind }: PoolLayout) =>
  `The pool's file '${file.name}' (${file.size} bytes) names '${path}', and its digest is wrong: it was left out. ` +
  `${kind} would take it for a free one, and empty it. Its bytes after the first ${SECTOR} can be imported by themselves.`;
