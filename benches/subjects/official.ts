/**
 * SQLite's own build for the web, by its object-oriented API #1. Its wrappers of the C API are no faster for rows (measured), and
 * `sqlite3_bind_text` among them fails for strings in this version; for plain SQL, `sqlite3_exec` is by far the faster one.
 */
import load from '@sqlite.org/sqlite-wasm';
import { register } from 'sqlite-vfs-kit/adapters/sqlite-wasm';
import { fileName, storesInMemory } from './kit-stores.js';
import type { SqlSubject } from './sql.js';

export const official = async (name = 'official'): Promise<SqlSubject> => subject(name, await load());

/** MemoryVFS, lent to it. */
export async function kitInOfficial(): Promise<SqlSubject> {
  const sqlite3 = await load();
  const vfs = await storesInMemory();
  register(sqlite3, vfs, { name: 'kit' });
  return subject('kit memory in official', sqlite3, {
    filename: fileName,
    vfs: 'kit',
    removed: () => vfs.delete(fileName, false),
  });
}

/** A database that is not SQLite's own in memory. */
interface Place {
  filename: string;
  vfs: string;
  removed(): void;
}

function subject(name: string, { capi, oo1 }: Awaited<ReturnType<typeof load>>, place?: Place): SqlSubject {
  return {
    name,
    how: {
      exec: 'capi.sqlite3_exec(db, sql, …)',
      run: 'stmt.bind(values).stepReset()',
      get: 'stmt.bind(values).step(), stmt.get({})',
      all: 'stmt.bind(values), then stmt.step() and stmt.get({})',
      arrays: 'db.selectArrays(sql)',
      objects: 'db.selectObjects(sql)',
      each: "db.exec({ sql, rowMode: 'object', callback })",
      bulk: 'BEGIN, stmt.bind(row).stepReset() for each, COMMIT',
    },
    open() {
      const database = place ? new oo1.DB({ ...place, flags: 'c' }) : new oo1.DB(':memory:');
      const exec = (sql: string) =>
        void database.checkRc(capi.sqlite3_exec(database.pointer as number, sql, 0, 0, 0));
      return {
        exec,
        prepare(sql) {
          const statement = database.prepare(sql);
          return {
            run: (values) => void statement.bind(values).stepReset(),
            get(values) {
              const row = statement.bind(values).step() ? statement.get({}) : undefined;
              statement.reset();
              return row as object | undefined;
            },
            all(values) {
              const rows: object[] = [];
              statement.bind(values);
              while (statement.step()) rows.push(statement.get({}) as object);
              statement.reset();
              return rows;
            },
            finalize: () => void statement.finalize(),
          };
        },
        arrays: (sql) => database.selectArrays(sql),
        objects: (sql) => database.selectObjects(sql),
        each: (sql, callback) => void database.exec({ sql, rowMode: 'object', callback }),
        bulk(sql, rows) {
          exec('BEGIN');
          const statement = database.prepare(sql);
          for (const row of rows) statement.bind(row).stepReset();
          statement.finalize();
          exec('COMMIT');
        },
        close() {
          database.close();
          place?.removed();
        },
      };
    },
  };
}
