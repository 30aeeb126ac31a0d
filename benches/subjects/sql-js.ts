/** sql.js, by its prepared statements, and by `exec` where that answers whole results. */
import initSqlJs from 'sql.js';
import type { SqlSubject } from './sql.js';

export async function sqlJs(): Promise<SqlSubject> {
  const inBrowser = typeof document !== 'undefined' || typeof WorkerGlobalScope !== 'undefined';
  const library = await initSqlJs({
    // It warns of its old function names when they are there, and they are of no use here.
    ...{ useOldExtensionFunctions: false },
    // In Node it finds its own file.
    ...(inBrowser && { locateFile: () => wasmAddress() }),
  });
  return {
    name: 'sql.js',
    how: {
      exec: 'db.run(sql)',
      run: 'stmt.run(values)',
      get: 'stmt.bind(values), stmt.step(), stmt.getAsObject()',
      all: 'stmt.bind(values), then stmt.step() and stmt.getAsObject()',
      arrays: 'db.exec(sql)[0].values',
      objects: 'stmt.step() and stmt.getAsObject()',
      each: 'stmt.step() and stmt.getAsObject()',
      bulk: 'BEGIN, stmt.run(row) for each, COMMIT',
    },
    open() {
      const database = new library.Database();
      return {
        exec: (sql) => void database.run(sql),
        prepare(sql) {
          const statement = database.prepare(sql);
          return {
            run: (values) => statement.run(values),
            // Binding resets it: no need to do it here.
            get: (values) =>
              statement.bind(values) && statement.step() ? statement.getAsObject() : undefined,
            all(values) {
              const rows: object[] = [];
              statement.bind(values);
              while (statement.step()) rows.push(statement.getAsObject());
              return rows;
            },
            finalize: () => void statement.free(),
          };
        },
        arrays: (sql) => database.exec(sql)[0]?.values ?? [],
        objects(sql) {
          const rows: object[] = [];
          const statement = database.prepare(sql);
          while (statement.step()) rows.push(statement.getAsObject());
          statement.free();
          return rows;
        },
        each(sql, look) {
          const statement = database.prepare(sql);
          while (statement.step()) look(statement.getAsObject());
          statement.free();
        },
        bulk(sql, rows) {
          database.run('BEGIN');
          const statement = database.prepare(sql);
          for (const row of rows) statement.run(row);
          statement.free();
          database.run('COMMIT');
        },
        close: () => database.close(),
      };
    },
  };
}

/** Written out like this, Vite puts the file into what it builds. */
const wasmAddress = (): string =>
  new URL('../../node_modules/sql.js/dist/sql-wasm-browser.wasm', import.meta.url).href;

declare const WorkerGlobalScope: unknown;
