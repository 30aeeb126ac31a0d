/**
 * The kinds of work that SQLite's own speedtest1 goes through, in words and data of this project: inserts in order and not, ranges and
 * patterns with an index and without, updates and deletions by one and by many, joins, keys that are texts, and the rest of what SQL
 * is used for. Its time is that of all of them together.
 */
import type { Awaitable, AwaitedDatabase, AwaitedSubject, Value } from '../subjects/sql.js';
import { type Case, scaled } from '../suite.js';
import { Checksum } from './checksum.js';
import { Random } from './random.js';

/** Rows of a table. */
const count = 2000;

/** What is done to the database: statements at once, one for each of many rows in a transaction, or a query with many values. */
type Step = { exec: string } | { bulk: string; rows: Value[][] } | { ask: string; values: Value[][] };

export const speed: Case<AwaitedSubject> = {
  name: 'speed',
  about: "the kinds of work that SQLite's own speedtest1 goes through, in statements of this project",
  uses: ['exec', 'bulk', 'get'],
  async start(subject, scale) {
    const steps = stepsOf(scaled(count, scale));
    let database = await subject.open();
    return {
      async before() {
        await database.close();
        database = await subject.open();
      },
      async run() {
        const found: unknown[] = [];
        for (const step of steps) await take(step, database, found);
        return found;
      },
      after: (found: unknown[]) => new Checksum().add(found).toString(),
      end: () => database.close(),
    };
  },
};

/** What queries answer goes to `found`. */
async function take(step: Step, database: AwaitedDatabase, found: unknown[]): Promise<void> {
  if ('exec' in step) return done(database.exec(step.exec));
  if ('bulk' in step) return done(database.bulk(step.bulk, step.rows));
  const prepared = database.prepare(step.ask);
  const statement = prepared instanceof Promise ? await prepared : prepared;
  for (const values of step.values) {
    const row = statement.get(values);
    found.push(row instanceof Promise ? await row : row);
  }
  await statement.finalize?.();
}

async function done(answer: Awaitable<void>): Promise<void> {
  if (answer instanceof Promise) await answer;
}

/** Made once: subjects share them. */
let made: { count: number; steps: readonly Step[] } | undefined;

function stepsOf(count: number): readonly Step[] {
  if (made?.count !== count) made = { count, steps: [...steps(count)] };
  return made.steps;
}

const digits = ['nil', 'one', 'two', 'tres', 'four', 'cinq', 'six', 'sept', 'ocho', 'nine'];

/** A number as a text of some length, by which it is found in another order. */
const spelled = (number: number): string =>
  [...String(number)]
    .reverse()
    .map((digit) => digits[Number(digit)])
    .join('-');

function* steps(n: number): Generator<Step> {
  const random = new Random(1);
  const numbers = (length: number): number[] => Array.from({ length }, (_, i) => i + 1);
  const row = (key: number): Value[] => {
    const number = random.integer(1, n * 10);
    return [key, number, spelled(number)];
  };
  /** Of ranges, each over a hundredth of the table's numbers at most. */
  const ranges = (length: number, most: number): Value[][] =>
    numbers(length).map(() => {
      const from = random.integer(1, most);
      return [from, from + random.integer(1, Math.ceil(most / 100))];
    });
  const patterns = (length: number): Value[][] =>
    numbers(length).map(() => [`%${spelled(random.integer(10, 99))}%`]);
  const shuffled = (length: number): number[] => {
    const all = numbers(length);
    for (let i = length - 1; i > 0; i--) {
      const other = random.integer(0, i);
      [all[i], all[other]] = [all[other] as number, all[i] as number];
    }
    return all;
  };
  const some = Math.ceil(n / 5);

  // New rows.
  yield {
    exec: `CREATE TABLE heap (a INTEGER, b INTEGER, c TEXT);
      CREATE TABLE ordered (a INTEGER PRIMARY KEY, b INTEGER, c TEXT);
      CREATE TABLE scattered (a INTEGER PRIMARY KEY, b INTEGER, c TEXT) WITHOUT ROWID;`,
  };
  yield { bulk: 'INSERT INTO heap VALUES (?, ?, ?)', rows: numbers(n).map(row) };
  yield { bulk: 'INSERT INTO ordered VALUES (?, ?, ?)', rows: numbers(n).map(row) };
  yield { bulk: 'INSERT INTO scattered VALUES (?, ?, ?)', rows: shuffled(n).map(row) };

  // Questions without an index.
  yield {
    ask: 'SELECT count(*) AS n, avg(b) AS mean, total(length(c)) AS length FROM heap WHERE b BETWEEN ? AND ?',
    values: ranges(25, n * 10),
  };
  yield { ask: 'SELECT count(*) AS n, min(b) AS least FROM heap WHERE c LIKE ?', values: patterns(10) };
  yield {
    ask: `SELECT group_concat(a) AS them FROM (SELECT a FROM heap WHERE c LIKE ? ORDER BY b DESC, a LIMIT 1000)`,
    values: patterns(10),
  };
  yield {
    ask: `SELECT group_concat(c) AS them FROM (SELECT c FROM heap WHERE c LIKE ? ORDER BY c LIMIT 10)`,
    values: patterns(10),
  };

  // With one.
  yield {
    exec: `CREATE INDEX heap_a ON heap (a); CREATE INDEX heap_b ON heap (b); CREATE INDEX heap_c ON heap (c);
      CREATE INDEX ordered_b ON ordered (b); CREATE INDEX scattered_c ON scattered (c, b);`,
  };
  yield {
    ask: 'SELECT count(*) AS n, avg(b) AS mean, total(length(c)) AS length FROM heap WHERE b BETWEEN ? AND ?',
    values: ranges(some, n * 10),
  };
  yield {
    ask: 'SELECT count(*) AS n, avg(b) AS mean, total(length(c)) AS length FROM ordered WHERE a BETWEEN ? AND ?',
    values: ranges(some, n),
  };
  yield {
    ask: "SELECT count(*) AS n, max(b) AS most FROM heap WHERE c BETWEEN ? AND ? || '~'",
    values: numbers(some).map(() => {
      const text = spelled(random.integer(100, 999));
      return [text, text];
    }),
  };
  yield {
    exec: `CREATE TABLE indexed (a INTEGER, b INTEGER, c TEXT);
      CREATE INDEX indexed_a ON indexed (a); CREATE INDEX indexed_b ON indexed (b); CREATE INDEX indexed_c ON indexed (c);`,
  };
  yield { bulk: 'INSERT INTO indexed VALUES (?, ?, ?)', rows: shuffled(n).map(row) };

  // The whole of a table.
  yield { exec: 'DELETE FROM ordered; INSERT INTO ordered SELECT a, b, c FROM heap;' };
  yield { exec: 'VACUUM' };
  yield { exec: 'ALTER TABLE ordered ADD COLUMN d INTEGER DEFAULT 7' };
  yield { ask: 'SELECT sum(d) AS sum FROM ordered WHERE d > ?', values: [[0]] };
  yield { bulk: 'UPDATE ordered SET d = b * 2 WHERE b BETWEEN ? AND ?', rows: ranges(some, n * 10) };
  yield {
    bulk: 'UPDATE ordered SET d = b * 3 WHERE a = ?',
    rows: shuffled(n).map((key) => [key]),
  };
  yield { exec: "UPDATE ordered SET d = b * 4, c = c || '.'" };
  yield { ask: 'SELECT sum(d) AS sum, max(c) AS last FROM ordered WHERE d > ?', values: [[0]] };

  // Fewer rows, and more again.
  yield { bulk: 'DELETE FROM indexed WHERE b BETWEEN ? AND ?', rows: ranges(some, n * 10) };
  yield { bulk: 'DELETE FROM scattered WHERE a = ?', rows: shuffled(n).map((key) => [key]) };
  yield {
    exec: `REPLACE INTO scattered (a, b, c) SELECT a, b, c FROM ordered;
      REPLACE INTO ordered (a, b, c) SELECT a, b, c FROM heap WHERE a % 2 = b % 2;`,
  };

  // Several tables.
  yield {
    ask: `SELECT count(*) AS n, min(heap.c) AS first, max(heap.c) AS last FROM ordered, heap, scattered, heap AS again
      WHERE again.a = scattered.a AND scattered.a = ordered.a AND heap.a = ordered.a AND ordered.a BETWEEN ? AND ? + 3`,
    values: numbers(some).map(() => {
      const key = random.integer(1, n);
      return [key, key];
    }),
  };
  yield {
    ask: `SELECT sum(a) AS sum, max(c) AS last,
        avg((SELECT a FROM ordered WHERE 5 + ordered.b = heap.b) + a) AS mean, max(c) AS most
      FROM heap WHERE a <= ?`,
    values: [[n]],
  };
  yield {
    ask: `SELECT count(*) AS n FROM heap WHERE EXISTS (SELECT 1 FROM scattered WHERE scattered.a = heap.b % ?)`,
    values: [[n]],
  };

  // Rows that are replaced and read one by one, by a number and by a text.
  const keys = Array.from({ length: n * 3 }, () => random.integer(1, n));
  yield {
    exec: `CREATE TABLE numbered (k INTEGER PRIMARY KEY, v TEXT); CREATE TABLE named (k TEXT PRIMARY KEY, v INTEGER) WITHOUT ROWID;`,
  };
  yield {
    bulk: 'REPLACE INTO numbered VALUES (?, ?)',
    rows: keys.map((key, i) => [key, spelled(key + i)]),
  };
  yield { ask: 'SELECT v FROM numbered WHERE k = ?', values: keys.map((key) => [key]) };
  yield { bulk: 'REPLACE INTO named VALUES (?, ?)', rows: keys.map((key, i) => [spelled(key), i]) };
  yield { ask: 'SELECT v FROM named WHERE k = ?', values: keys.map((key) => [spelled(key)]) };

  // And the rest.
  yield { ask: 'SELECT count(*) AS n FROM (SELECT DISTINCT c FROM heap WHERE a > ?)', values: [[0]] };
  yield {
    ask: `WITH RECURSIVE step (n, length) AS (
        SELECT ?, 0 UNION ALL SELECT CASE n % 2 WHEN 0 THEN n / 2 ELSE 3 * n + 1 END, length + 1 FROM step WHERE n > 1
      ) SELECT max(length) AS length, max(n) AS most FROM step`,
    values: numbers(Math.ceil(n / 50)).map((i) => [i * 7]),
  };
  yield {
    ask: `SELECT sum(place * n) AS sum FROM (
        SELECT a % ? AS n, rank() OVER (PARTITION BY b % 100 ORDER BY b, a) AS place FROM heap
      )`,
    values: [[10]],
  };
  yield { ask: 'SELECT * FROM pragma_integrity_check WHERE 1 = ?', values: [[1]] };
  yield { exec: 'ANALYZE' };
}
