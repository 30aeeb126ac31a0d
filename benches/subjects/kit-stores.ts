/** MemoryVFS without this package's SQLite, to be lent to other builds. */
import { initStores, MemoryVFS } from 'sqlite-vfs-kit/stores';

export const fileName = 'benchmark.db';

export async function storesInMemory(): Promise<MemoryVFS> {
  await initStores();
  return new MemoryVFS();
}
