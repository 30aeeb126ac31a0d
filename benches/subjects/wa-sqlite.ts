/** wa-sqlite's builds that wait for promises, with the VFS in memory that is its example. */
import { Factory, SQLITE_ROW } from '@journeyapps/wa-sqlite';
import { MemoryAsyncVFS } from '@journeyapps/wa-sqlite/src/examples/MemoryAsyncVFS.js';
import type { AsyncSubject } from './async.js';
import { bytesOf, href } from './wa-sqlite-files.js';

type Build = (options: { wasmBinary: ArrayBufferView | ArrayBuffer }) => Promise<unknown>;

/** With JavaScript Promise Integration. */
export const waSqliteJspi = async (): Promise<AsyncSubject> =>
  subject(
    'wa-sqlite jspi',
    // @ts-expect-error It is in the package, and not in its types.
    (await import('@journeyapps/wa-sqlite/dist/wa-sqlite-jspi.mjs')).default as Build,
    await bytesOf('wa-sqlite-jspi.wasm', () =>
      href(new URL('../../node_modules/@journeyapps/wa-sqlite/dist/wa-sqlite-jspi.wasm', import.meta.url)),
    ),
  );

/** With code in the module that saves and restores its stack. */
export const waSqliteAsyncify = async (): Promise<AsyncSubject> =>
  subject(
    'wa-sqlite asyncify',
    (await import('@journeyapps/wa-sqlite/dist/wa-sqlite-async.mjs')).default as Build,
    await bytesOf('wa-sqlite-async.wasm', () =>
      href(new URL('../../node_modules/@journeyapps/wa-sqlite/dist/wa-sqlite-async.wasm', import.meta.url)),
    ),
  );

async function subject(
  name: string,
  build: Build,
  wasmBinary: ArrayBufferView | ArrayBuffer,
): Promise<AsyncSubject> {
  const module = await build({ wasmBinary });
  const sqlite = Factory(module);
  // Its own `create` makes one that does not wait.
  const vfs = new (MemoryAsyncVFS as unknown as new (name: string, module: unknown) => Files)(
    'memory',
    module,
  );
  sqlite.vfs_register(vfs as never, false);
  return {
    name,
    how: {
      exec: 'await sqlite3.exec(db, sql); a commit has a rollback journal',
      bulk: 'BEGIN, bind_collection(stmt, row), await step(stmt), await reset(stmt) for each, COMMIT; a rollback journal',
    },
    async open() {
      const db = await sqlite.open_v2('benchmark.db', undefined, 'memory');
      const exec = async (sql: string) => void (await sqlite.exec(db, sql));
      return {
        exec,
        async bulk(sql, rows) {
          await exec('BEGIN');
          for await (const statement of sqlite.statements(db, sql)) {
            for (const row of rows) {
              sqlite.bind_collection(statement, row);
              await sqlite.step(statement);
              await sqlite.reset(statement);
            }
          }
          await exec('COMMIT');
        },
        async row(sql) {
          for await (const statement of sqlite.statements(db, sql)) {
            if ((await sqlite.step(statement)) === SQLITE_ROW) return sqlite.row(statement);
          }
          return [];
        },
        async close() {
          await sqlite.close(db);
          vfs.mapNameToFile.clear();
        },
      };
    },
  };
}

interface Files {
  readonly mapNameToFile: Map<string, unknown>;
}
