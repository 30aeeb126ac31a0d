/** A hundred thousand rows of six columns: in, out as arrays, out as objects, and one by one. */
import type { Database, SqlSubject, Value } from '../subjects/sql.js';
import { type Case, scaled } from '../suite.js';
import { Checksum, digestOf } from './checksum.js';
import { Random } from './random.js';

const count = 100_000;
const columns = ['id', 'number', 'real', 'text', 'short', 'bytes'];
const create =
  'CREATE TABLE item (id INTEGER PRIMARY KEY, number INTEGER, real REAL, text TEXT, short TEXT, bytes BLOB)';
const insert = 'INSERT INTO item VALUES (?, ?, ?, ?, ?, ?)';

function rowsOf(scale: number): Value[][] {
  const random = new Random(6);
  return Array.from({ length: scaled(count, scale) }, (_, i) => [
    i + 1,
    random.integer(-1e9, 1e9),
    random.next() * 1e6,
    // 21 characters.
    `the text of row ${String(i + 1)
      .padStart(5, '0')
      .slice(-5)}`,
    random.chance(0.3) ? null : random.words(1),
    random.bytes(16),
  ]);
}

function filled(subject: SqlSubject, scale: number): Database {
  const database = subject.open();
  database.exec(create);
  database.bulk(insert, rowsOf(scale));
  return database;
}

/** The whole table as arrays. */
export const arrays: Case<SqlSubject> = {
  name: 'arrays',
  uses: ['arrays'],
  start(subject, scale) {
    const database = filled(subject, scale);
    return {
      run: () => database.arrays('SELECT * FROM item'),
      after: (rows: unknown[][]) => new Checksum().add(rows).toString(),
      end: () => database.close(),
    };
  },
};

/** The whole table as objects. */
export const objects: Case<SqlSubject> = {
  name: 'objects',
  uses: ['objects'],
  start(subject, scale) {
    const database = filled(subject, scale);
    return {
      run: () => database.objects('SELECT * FROM item'),
      after: (rows: object[]) => new Checksum().add(rows).toString(),
      end: () => database.close(),
    };
  },
};

/** As many reads of a row by its key, in random order, by one prepared statement. */
export const point: Case<SqlSubject> = {
  name: 'point',
  uses: ['get'],
  start(subject, scale) {
    const database = filled(subject, scale);
    const rows = scaled(count, scale);
    const random = new Random(7);
    const keys = Array.from({ length: rows }, () => [random.integer(1, rows)]);
    const statement = database.prepare('SELECT * FROM item WHERE id = ?');
    return {
      run() {
        const found: unknown[] = [];
        for (const key of keys) found.push(statement.get(key));
        return found;
      },
      after: (found: unknown[]) => new Checksum().add(found).toString(),
      end: () => database.close(),
    };
  },
};

/** The whole table inserted in one transaction, by one prepared statement. */
export const bulk: Case<SqlSubject> = {
  name: 'bulk',
  uses: ['bulk'],
  start(subject, scale) {
    const rows = rowsOf(scale);
    let database = subject.open();
    return {
      before() {
        database.close();
        database = subject.open();
        database.exec(create);
      },
      run() {
        database.bulk(insert, rows);
      },
      after: () => new Checksum().add(database.arrays(digestOf('item', columns))).toString(),
      end: () => database.close(),
    };
  },
};
