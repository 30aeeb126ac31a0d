/** Drives whatever has the API of `node:sqlite`: this package, and Node. */
import type { Database, Kind, Statement, Value } from './sql.js';

/** As much of the API as is used here. */
export interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}

interface NodeStatement {
  run(...values: Value[]): unknown;
  get(...values: Value[]): object | undefined;
  all(...values: Value[]): object[];
  iterate(...values: Value[]): Iterable<object>;
  setReturnArrays(enabled: boolean): void;
}

export const likeNode: {
  how: Readonly<Record<Kind, string>>;
  adapt(database: NodeDatabase, closed?: () => void): Database;
} = {
  how: {
    exec: 'db.exec(sql)',
    run: 'stmt.run(...values)',
    get: 'stmt.get(...values)',
    all: 'stmt.all(...values)',
    arrays: 'setReturnArrays(true), stmt.all()',
    objects: 'stmt.all()',
    each: 'for (const row of stmt.iterate())',
    bulk: 'BEGIN, stmt.run(...row) for each, COMMIT',
  },
  adapt: (database, closed) => ({
    exec: (sql) => database.exec(sql),
    prepare: (sql) => adaptStatement(database.prepare(sql)),
    arrays(sql) {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all() as unknown[][];
    },
    objects: (sql) => database.prepare(sql).all(),
    each(sql, look) {
      for (const row of database.prepare(sql).iterate()) look(row);
    },
    bulk(sql, rows) {
      database.exec('BEGIN');
      const statement = database.prepare(sql);
      for (const row of rows) statement.run(...row);
      database.exec('COMMIT');
    },
    close() {
      database.close();
      closed?.();
    },
  }),
};

function adaptStatement(statement: NodeStatement): Statement {
  return {
    run: (values) => void statement.run(...values),
    get: (values) => statement.get(...values),
    all: (values) => statement.all(...values),
  };
}
