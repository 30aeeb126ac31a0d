/** node-sqlite3-wasm: for Node, whose files it uses. It has no rows as arrays, and nothing that would close what was left open. */
import { LeftOut } from '../suite.js';
import { fromNode } from './from-node.js';
import type { SqlSubject } from './sql.js';

type Library = typeof import('node-sqlite3-wasm');
type NativeStatement = ReturnType<InstanceType<Library['Database']>['prepare']>;

export function nodeSqlite3Wasm(): SqlSubject {
  const library = fromNode<Library>('node-sqlite3-wasm');
  if (!library) throw new LeftOut('for Node alone');
  return {
    name: 'node-sqlite3-wasm',
    how: {
      exec: 'db.exec(sql)',
      run: 'stmt.run(values)',
      get: 'stmt.get(values)',
      all: 'stmt.all(values)',
      arrays: 'Object.values(row) for each of db.all(sql)',
      objects: 'db.all(sql)',
      each: 'for (const row of stmt.iterate())',
      bulk: 'BEGIN, stmt.run(row) for each, COMMIT',
    },
    open() {
      const database = new library.Database(':memory:');
      const prepared = new Set<NativeStatement>();
      return {
        exec: (sql) => database.exec(sql),
        prepare(sql) {
          const statement = database.prepare(sql);
          prepared.add(statement);
          return {
            run: (values) => void statement.run(values),
            get: (values) => statement.get(values) ?? undefined,
            all: (values) => statement.all(values),
            finalize() {
              prepared.delete(statement);
              statement.finalize();
            },
          };
        },
        arrays: (sql) => database.all(sql).map((row) => Object.values(row)),
        objects: (sql) => database.all(sql),
        each(sql, look) {
          const statement = database.prepare(sql);
          for (const row of statement.iterate()) look(row);
          statement.finalize();
        },
        bulk(sql, rows) {
          database.exec('BEGIN');
          const statement = database.prepare(sql);
          for (const row of rows) statement.run(row);
          statement.finalize();
          database.exec('COMMIT');
        },
        close() {
          for (const statement of prepared) statement.finalize();
          database.close();
        },
      };
    },
  };
}
