/** A hundred thousand rows of six columns: in, out as arrays, as objects, one by one, and gone through. */
import type { Awaitable, AwaitedDatabase, AwaitedSubject, Value } from '../subjects/sql.js';
import { type Bench, type Case, scaled } from '../suite.js';
import { Checksum, digestOf, sumOf } from './checksum.js';
import { literal } from './literal.js';
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

async function filled(subject: AwaitedSubject, scale: number): Promise<AwaitedDatabase> {
  const database = await subject.open();
  await database.exec(create);
  await database.bulk(insert, rowsOf(scale));
  return database;
}

/** The whole table as arrays. */
export const arrays: Case<AwaitedSubject> = {
  name: 'arrays',
  about: '100,000 rows of six columns, as arrays',
  uses: ['arrays'],
  async start(subject, scale) {
    const database = await filled(subject, scale);
    return {
      run: () => database.arrays('SELECT * FROM item'),
      after: (rows: unknown[][]) => new Checksum().add(rows).toString(),
      end: () => database.close(),
    };
  },
};

/** The whole table as objects. */
export const objects: Case<AwaitedSubject> = {
  name: 'objects',
  about: 'the same rows as objects',
  uses: ['objects'],
  async start(subject, scale) {
    const database = await filled(subject, scale);
    return {
      run: () => database.objects('SELECT * FROM item'),
      after: (rows: object[]) => new Checksum().add(rows).toString(),
      end: () => database.close(),
    };
  },
};

/** The whole table, a row at a time while the query runs: nothing is kept but two sums. */
export const iterate: Case<AwaitedSubject> = {
  name: 'iterate',
  about: 'the same rows, one at a time while the query runs',
  uses: ['each'],
  async start(subject, scale) {
    const database = await filled(subject, scale);
    return {
      async run() {
        let numbers = 0;
        let characters = 0;
        const done = database.each('SELECT * FROM item', (row) => {
          const { number, text } = row as { number: number; text: string };
          numbers += number;
          characters += text.length;
        });
        if (done instanceof Promise) await done;
        return [numbers, characters];
      },
      after: (sums: number[]) => new Checksum().add(sums).toString(),
      end: () => database.close(),
    };
  },
};

/** A query that goes through the whole table, and has one row to answer. */
export const scan: Case<AwaitedSubject> = {
  name: 'scan',
  about: 'a query that goes through all of them and answers one row',
  uses: ['arrays'],
  async start(subject, scale) {
    const database = await filled(subject, scale);
    const sql =
      'SELECT count(*), sum(number), max(real), total(length(text)), count(short), total(length(bytes)) FROM item';
    return {
      run: () => database.arrays(sql),
      after: (rows: unknown[][]) => new Checksum().add(rows).toString(),
      end: () => database.close(),
    };
  },
};

/** As many reads of a row by its key, in random order, by one prepared statement. */
export const point: Case<AwaitedSubject> = {
  name: 'point',
  about: '100,000 reads of a row by its key',
  uses: ['get'],
  async start(subject, scale) {
    const database = await filled(subject, scale);
    const rows = scaled(count, scale);
    const random = new Random(7);
    const keys = Array.from({ length: rows }, () => [random.integer(1, rows)]);
    const statement = await database.prepare('SELECT * FROM item WHERE id = ?');
    return {
      async run() {
        const found: unknown[] = [];
        for (const key of keys) {
          const row = statement.get(key);
          found.push(row instanceof Promise ? await row : row);
        }
        return found;
      },
      after: (found: unknown[]) => new Checksum().add(found).toString(),
      end: () => database.close(),
    };
  },
};

/** The whole table inserted in one transaction, by one prepared statement. */
export const bulk: Case<AwaitedSubject> = {
  name: 'bulk',
  about: '100,000 inserts in one transaction, by one prepared statement',
  uses: ['bulk'],
  start(subject, scale) {
    const rows = rowsOf(scale);
    return inserting(subject, (database) => database.bulk(insert, rows));
  },
};

/** The same as a text of literal inserts, given to one `exec`. */
export const asText: Case<AwaitedSubject> = {
  name: 'dump',
  about: 'the same as a text of SQL',
  uses: ['exec'],
  start(subject, scale) {
    const inserts = rowsOf(scale).map((row) => `INSERT INTO item VALUES(${row.map(literal).join(',')});`);
    const text = ['BEGIN TRANSACTION;', ...inserts, 'COMMIT;', ''].join('\n');
    return inserting(subject, (database) => database.exec(text));
  },
};

/** Into a new table each time. */
async function inserting(
  subject: AwaitedSubject,
  insert: (database: AwaitedDatabase) => Awaitable<void>,
): Promise<Bench> {
  let database = await subject.open();
  return {
    async before() {
      await database.close();
      database = await subject.open();
      await database.exec(create);
    },
    run: () => insert(database),
    after: () => sumOf(database, [digestOf('item', columns)]),
    end: () => database.close(),
  };
}
