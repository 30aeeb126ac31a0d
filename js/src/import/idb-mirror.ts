/** wa-sqlite's IDBMirrorVFS: databases as blocks of a page each, beside the last transactions. Journals are never there. */
import { missingBlocks, notThere } from './blocks.js';
import { done, records } from './idb.js';
import type { Found, SourceFile } from './source.js';

interface Block {
  path: string;
  offset: number;
  data: Uint8Array;
}

interface Transaction {
  path: string;
  txId: number;
  /** Of the database after it. Blocks that lie beyond are not deleted. */
  fileSize: number;
}

export const STORES = { blocks: 'path,offset', tx: 'path,txId' };

export async function foundMirror(database: IDBDatabase): Promise<Found> {
  const blocks = database.transaction('blocks', 'readonly').objectStore('blocks');
  return {
    kind: 'IDBMirror',
    what: `an IDBMirror database of IndexedDB, '${database.name}',`,
    files: await databases(blocks),
    warnings: [],
    async copy(files, sink) {
      const transaction = database.transaction(['blocks', 'tx'], 'readonly');
      for (const file of files) {
        const size = await sizeOf(transaction.objectStore('tx'), file.name);
        await copyBlocks(transaction.objectStore('blocks'), file, size, (bytes, offset) =>
          sink(file, bytes, offset),
        );
      }
    },
    release: () => database.close(),
  };
}

/** Each has at least one block: its first, or if that is lost any other. */
async function databases(blocks: IDBObjectStore): Promise<SourceFile[]> {
  const found: SourceFile[] = [];
  let after: IDBValidKey = [];
  for (;;) {
    // Strings come before arrays, and numbers before both: the next path is beyond all keys that begin with this one.
    const key = (await done(blocks.getKey(IDBKeyRange.lowerBound(after, true)))) as
      | [string, number]
      | undefined;
    if (!key) return found;
    found.push({ name: key[0], type: 'database' });
    after = [key[0], []];
  }
}

/** As the last transaction left it; undefined if none is recorded. */
async function sizeOf(transactions: IDBObjectStore, path: string): Promise<number | undefined> {
  const range = IDBKeyRange.bound([path, 0], [path, []]);
  const cursor = await done(transactions.openCursor(range, 'prev'));
  return (cursor?.value as Transaction | undefined)?.fileSize;
}

async function copyBlocks(
  blocks: IDBObjectStore,
  file: SourceFile,
  size: number | undefined,
  write: (bytes: Uint8Array, offset: number) => void,
): Promise<void> {
  let end = 0;
  let seen = false;
  const all = records<Block>(blocks, [file.name, 0], [file.name, []], (block) => [block.path, block.offset]);
  for await (const { offset, data } of all) {
    seen = true;
    if (size !== undefined && offset >= size) break;
    if (offset > end) throw missingBlocks(file, end, offset);
    write(data.subarray(0, size === undefined ? data.length : size - offset), offset);
    end = Math.max(end, offset + data.length);
  }
  if (!seen) throw notThere(file);
  if (size !== undefined && end < size) throw missingBlocks(file, end, size);
}
