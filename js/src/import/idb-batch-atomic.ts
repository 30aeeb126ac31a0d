/**
 * wa-sqlite's IDBBatchAtomicVFS: files of any kind as blocks. A block lies under the negative of its offset, so that the first key from
 * there on is the block that holds a byte; and under a version that counts down, so that the newest comes first.
 */
import { missingBlocks, notThere } from './blocks.js';
import { done, records } from './idb.js';
import { type Found, type SourceFile, typeByName } from './source.js';

interface Metadata {
  name: string;
  fileSize: number;
  /** Of the newest transaction that was committed. */
  version: number;
  /** Of one that was begun: its blocks, of lower versions, do not count. */
  pendingVersion?: number;
}

interface Block {
  path: string;
  /** 0 or less. */
  offset: number;
  version: number;
  data: Uint8Array;
}

export const STORES = { blocks: 'path,offset,version', metadata: 'name' };

export async function foundBatchAtomic(database: IDBDatabase): Promise<Found> {
  const metadata = (await done(
    database.transaction('metadata', 'readonly').objectStore('metadata').getAll(),
  )) as Metadata[];
  return {
    kind: 'IDBBatchAtomic',
    what: `an IDBBatchAtomic database of IndexedDB, '${database.name}',`,
    files: metadata.map(({ name }) => ({ name, type: typeByName(name) })),
    warnings: [],
    async copy(files, sink) {
      const transaction = database.transaction(['blocks', 'metadata'], 'readonly');
      for (const file of files) {
        const found = (await done(transaction.objectStore('metadata').get(file.name))) as
          | Metadata
          | undefined;
        if (!found) throw notThere(file);
        await copyBlocks(transaction.objectStore('blocks'), file, found, (bytes, offset) =>
          sink(file, bytes, offset),
        );
      }
    },
    release: () => database.close(),
  };
}

/** From its end to its beginning, as the keys are. */
async function copyBlocks(
  blocks: IDBObjectStore,
  file: SourceFile,
  { fileSize, version, pendingVersion }: Metadata,
  write: (bytes: Uint8Array, offset: number) => void,
): Promise<void> {
  let end = fileSize;
  const all = records<Block>(blocks, [file.name, -fileSize], [file.name, 0, []], (block) => [
    block.path,
    block.offset,
    block.version,
  ]);
  for await (const block of all) {
    const start = -block.offset;
    // A block beyond the end, an older version of one that came already, or one of a transaction that was not committed.
    if (start >= end || (pendingVersion !== undefined && block.version < version)) continue;
    // SQLite leaves gaps in journals, where one of its headers begins with a sector.
    if (start + block.data.length < end && file.type === 'database') {
      throw missingBlocks(file, start + block.data.length, end);
    }
    write(block.data.subarray(0, end - start), start);
    end = start;
  }
  if (end > 0 && file.type === 'database') throw missingBlocks(file, 0, end);
}
