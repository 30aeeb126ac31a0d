/** This package's build that waits for promises. */
import { AsyncDatabase, init, MemoryAsyncVFS, registerVFS, unregisterVFS } from 'sqlite-vfs-kit/jspi';
import type { AsyncSubject } from './async.js';

export async function kitMemoryAsync(): Promise<AsyncSubject> {
  await init();
  return {
    name: 'kit memory-async',
    how: {
      exec: 'await db.exec(sql); a commit is a batch of writes',
      bulk: 'BEGIN, await stmt.run(...row) for each, COMMIT; a commit is a batch of writes',
    },
    async open() {
      // With its files it is gone.
      const vfs = new MemoryAsyncVFS();
      registerVFS(vfs);
      const database = await AsyncDatabase.open('benchmark.db', { vfs: vfs.name });
      return {
        exec: (sql) => database.exec(sql),
        async bulk(sql, rows) {
          await database.exec('BEGIN');
          const statement = await database.prepare(sql);
          for (const row of rows) await statement.run(...row);
          await database.exec('COMMIT');
        },
        async row(sql) {
          const statement = await database.prepare(sql, { returnArrays: true });
          return (await statement.get()) as unknown as unknown[];
        },
        async close() {
          await database.close();
          unregisterVFS(vfs.name);
        },
      };
    },
  };
}
