/** An IndexedDB database, opened to be read and never made. */
import { invalidArgType, invalidState } from '../errors.js';

/** Records that are had in memory at once. */
const BATCH = 64;

export async function openIdb(name: unknown, argument: string): Promise<IDBDatabase> {
  if (typeof name !== 'string') {
    throw invalidArgType(`The "source.${argument}" argument must be the name of an IndexedDB database.`);
  }
  if (typeof indexedDB === 'undefined') throw invalidState('There is no IndexedDB here.');
  const missing = () => invalidState(`There is no IndexedDB database '${name}' at this origin.`);
  return new Promise((resolve, reject) => {
    // Without a version it opens the one there is. Of one that is not there it would make the first: aborted, none is made.
    const request = indexedDB.open(name);
    let made = false;
    request.onupgradeneeded = () => {
      made = true;
      request.transaction?.abort();
    };
    request.onsuccess = () => {
      const database = request.result;
      // Whoever wants to delete it, or to change its layout, has to wait for nobody here.
      database.onversionchange = () => database.close();
      resolve(database);
    };
    request.onerror = () => reject(made ? missing() : request.error);
  });
}

export function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The key paths of its object stores, by their names. */
export function storesOf(database: IDBDatabase): Map<string, string> {
  const names = Array.from(database.objectStoreNames);
  if (names.length === 0) return new Map();
  const transaction = database.transaction(names, 'readonly');
  return new Map(names.map((name) => [name, String(transaction.objectStore(name).keyPath)]));
}

/**
 * The records of a store whose keys are between two, in the order of their keys. While they come, nothing else may be waited for: the
 * transaction would end.
 */
export async function* records<T>(
  store: IDBObjectStore,
  from: IDBValidKey[],
  to: IDBValidKey[],
  keyOf: (record: T) => IDBValidKey[],
): AsyncGenerator<T> {
  let range = IDBKeyRange.bound(from, to);
  for (;;) {
    const batch = (await done(store.getAll(range, BATCH))) as T[];
    yield* batch;
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH) return;
    range = IDBKeyRange.bound(keyOf(last), to, true);
  }
}
