/** better-sqlite3: native code, compiled for the Node that it was installed with, and for no other. */

import { LeftOut } from '../suite.js';
import { fromNode } from './from-node.js';
import type { SqlSubject, Value } from './sql.js';

type Library = new (
  path: string,
) => {
  exec(sql: string): void;
  prepare(sql: string): NativeStatement;
  transaction(work: (rows: readonly Value[][]) => void): (rows: readonly Value[][]) => void;
  close(): void;
};

interface NativeStatement {
  run(...values: Value[]): unknown;
  get(...values: Value[]): object | undefined;
  all(...values: Value[]): object[];
  iterate(...values: Value[]): Iterable<object>;
  raw(): { all(): unknown[][] };
}

export function betterSqlite3(): SqlSubject {
  const Database = load();
  return {
    name: 'better-sqlite3',
    how: {
      exec: 'db.exec(sql)',
      run: 'stmt.run(...values)',
      get: 'stmt.get(...values)',
      all: 'stmt.all(...values)',
      arrays: 'stmt.raw().all()',
      objects: 'stmt.all()',
      each: 'for (const row of stmt.iterate())',
      bulk: 'stmt.run(...row) for each, in a db.transaction()',
    },
    open() {
      const database = new Database(':memory:');
      return {
        exec: (sql) => database.exec(sql),
        prepare(sql) {
          const statement = database.prepare(sql);
          return {
            run: (values) => void statement.run(...values),
            get: (values) => statement.get(...values),
            all: (values) => statement.all(...values),
          };
        },
        arrays: (sql) => database.prepare(sql).raw().all(),
        objects: (sql) => database.prepare(sql).all(),
        each(sql, look) {
          for (const row of database.prepare(sql).iterate()) look(row);
        },
        bulk(sql, rows) {
          const statement = database.prepare(sql);
          database.transaction((rows) => {
            for (const row of rows) statement.run(...row);
          })(rows);
        },
        close: () => database.close(),
      };
    },
  };
}

function load(): Library {
  let library: Library | undefined;
  try {
    library = fromNode<Library>('better-sqlite3', 'js/test/better-sqlite3');
    // The native part is loaded with the first database.
    if (library) new library(':memory:').close();
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'MODULE_NOT_FOUND') throw new LeftOut('it could not be installed here');
    if (code === 'ERR_DLOPEN_FAILED') throw new LeftOut('its native code is compiled for another Node');
    throw error;
  }
  if (!library) throw new LeftOut('native code, for Node alone');
  return library;
}
