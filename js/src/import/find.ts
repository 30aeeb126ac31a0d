/** Finds out what a source is, and opens it. */
import { invalidArgType, invalidState } from '../errors.js';
import { accessHandlePool } from './access-handle-pool.js';
import { type DatabaseBytes, foundBytes, type ImportBytes, isBytes } from './bytes.js';
import { Directory } from './directory.js';
import { foundFiles } from './files.js';
import { openIdb, storesOf } from './idb.js';
import { STORES as BATCH_ATOMIC, foundBatchAtomic } from './idb-batch-atomic.js';
import { foundMirror, STORES as MIRROR } from './idb-mirror.js';
import { OPAQUE, sahpool } from './opfs-sahpool.js';
import { foundPool, likeness, type PoolLayout } from './pool.js';
import type { Found } from './source.js';

/** Where databases are taken from. */
export type ImportSource =
  | ImportBytes
  | DatabaseBytes
  /** The directory that the official build's `opfs-sahpool` was given; by default it is `.opfs-sahpool`. */
  | { 'opfs-sahpool': FileSystemDirectoryHandle }
  /** The directory that wa-sqlite's `AccessHandlePoolVFS` was given. */
  | { AccessHandlePool: FileSystemDirectoryHandle }
  /** The name of wa-sqlite's `IDBBatchAtomicVFS`, or its `idbName`. */
  | { IDBBatchAtomic: string }
  /** The name of wa-sqlite's `IDBMirrorVFS`. */
  | { IDBMirror: string }
  /** A directory with either pool, or with database files under their own names: found out which. */
  | { opfs: FileSystemDirectoryHandle }
  /** An IndexedDB database of wa-sqlite's: found out of which VFS. */
  | { indexedDB: string };

const FORMS = [
  'database',
  'opfs-sahpool',
  'AccessHandlePool',
  'IDBBatchAtomic',
  'IDBMirror',
  'opfs',
  'indexedDB',
];

export async function find(source: ImportSource): Promise<Found> {
  if (isBytes(source)) return foundBytes({ database: source });
  const given = typeof source === 'object' && source !== null ? FORMS.filter((form) => form in source) : [];
  const form = given[0];
  if (given.length !== 1 || !form) {
    throw invalidArgType(
      `The "source" argument must be bytes (a Uint8Array, an ArrayBuffer, a Blob or a stream), or an object with one of: ${FORMS.join(', ')}.`,
    );
  }
  if (form === 'database') return foundBytes(source as DatabaseBytes);
  const place = (source as Record<string, unknown>)[form];
  if (form === 'indexedDB' || form.startsWith('IDB')) return findIdb(place, form);
  return findDirectory(place, form);
}

// --- OPFS ---

const pools: readonly PoolLayout[] = [sahpool, accessHandlePool];

async function findDirectory(handle: unknown, form: string): Promise<Found> {
  const given = await Directory.list(handle, form);
  const opaque = form === 'AccessHandlePool' ? undefined : given.folder(OPAQUE);
  // Of opfs-sahpool the files are one folder further in.
  if (opaque) return foundPool(await Directory.list(opaque, form), sahpool);
  let asked: PoolLayout | undefined;
  for (const pool of pools) {
    const like = await likeness(given, pool);
    if (form === pool.kind && like === 'possible') asked = pool;
    if (like !== 'certain') continue;
    if (form === pool.kind || form === 'opfs') return foundPool(given, pool);
    throw invalidState(`${expected(form)} It is ${pool.what}: import { '${pool.kind}': … } or { opfs: … }.`);
  }
  if (asked) return foundPool(given, asked);
  if (form === 'opfs') {
    const found = await foundFiles(given);
    if (found.files.some(({ type }) => type === 'database')) return found;
    found.release?.();
  }
  throw invalidState(`${expected(form)} ${await otherwise(given)}`);
}

const expected = (form: string) => `Found no ${form === 'opfs' ? 'database' : `${form} pool`}.`;

/** What is there instead. */
async function otherwise(directory: Directory): Promise<string> {
  if (directory.folder(OPAQUE))
    return `It is ${sahpool.what}: import { '${sahpool.kind}': … } or { opfs: … }.`;
  for (const folder of directory.folders) {
    for await (const name of folder.keys()) {
      if (name === OPAQUE)
        return `Its folder '${folder.name}' is the directory of opfs-sahpool: give that one.`;
    }
  }
  return `The directory '${directory.name}' has ${directory.contents}.`;
}

// --- IndexedDB ---

async function findIdb(name: unknown, form: string): Promise<Found> {
  const database = await openIdb(name, form);
  try {
    const stores = storesOf(database);
    const has = (layout: Record<string, string>) =>
      Object.entries(layout).every(([store, keyPath]) => stores.get(store) === keyPath);
    if (form !== 'IDBMirror' && has(BATCH_ATOMIC)) return await foundBatchAtomic(database);
    if (form !== 'IDBBatchAtomic' && has(MIRROR)) return await foundMirror(database);
    throw invalidState(
      `The IndexedDB database '${name}' is not of ${form === 'indexedDB' ? 'IDBBatchAtomic or IDBMirror' : form}. ${instead(stores, has)}`,
    );
  } catch (error) {
    database.close();
    throw error;
  }
}

function instead(stores: Map<string, string>, has: (layout: Record<string, string>) => boolean): string {
  if (has(BATCH_ATOMIC)) return 'It is of IDBBatchAtomic: import { IDBBatchAtomic: … } or { indexedDB: … }.';
  if (has(MIRROR)) return 'It is of IDBMirror: import { IDBMirror: … } or { indexedDB: … }.';
  if (stores.get('blocks') === BATCH_ATOMIC.blocks) {
    return 'It is of IDBBatchAtomic in an older layout: open it once with a wa-sqlite of today, which brings it up to date.';
  }
  if (stores.size === 0) return 'It has no object stores.';
  return `Its object stores are ${[...stores.keys()].join(', ')}.`;
}
