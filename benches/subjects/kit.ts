/** This package. */
import { DatabaseSync, getVFS } from 'sqlite-vfs-kit';
import { loadKit } from '../buffers/imports.js';
import { likeNode, type NodeDatabase } from './node-api.js';
import type { Database, SqlSubject } from './sql.js';

const fileName = 'benchmark.db';

/** SQLite's own in-memory database, with no VFS in it: what MemoryVFS is measured against. */
export const kitWithoutVfs = (): Promise<SqlSubject> => kit('kit :memory:', ':memory:');

/** MemoryVFS, the default store. */
export const kitMemory = (): Promise<SqlSubject> => kit('kit memory', fileName);

async function kit(name: string, path: string): Promise<SqlSubject> {
  await loadKit();
  return {
    name,
    how: likeNode.how,
    open(): Database {
      const database = new DatabaseSync(path);
      // A benchmark of the wrong store would go unnoticed.
      const expected = path === fileName ? 'memory' : database.store;
      if (database.store !== expected) throw new Error(`${path} is on ${database.store}`);
      return likeNode.adapt(database as unknown as NodeDatabase, () => {
        if (path === fileName) getVFS('memory').delete(path);
      });
    },
  };
}
