/** Inserts, on stores that answer promises. */
import type { AsyncSubject } from '../subjects/async.js';
import { type Bench, type Case, scaled } from '../suite.js';
import { Checksum, digestOf } from './checksum.js';

/** A thousand, each its own transaction. */
export const autocommit: Case<AsyncSubject> = {
  name: 'autocommit',
  about: 'a thousand inserts, each its own transaction',
  uses: ['exec'],
  async start(subject, scale) {
    const inserts = Array.from({ length: scaled(1000, scale) }, (_, i) => {
      const [id, at, what] = event(i);
      return `INSERT INTO event VALUES (${id}, ${at}, '${what}')`;
    });
    return inserting(subject, async (database) => {
      for (const insert of inserts) await database.exec(insert);
    });
  },
};

/** Fifty thousand, in one transaction. */
export const bulk50k: Case<AsyncSubject> = {
  name: 'bulk50k',
  about: 'fifty thousand inserts in one transaction',
  uses: ['bulk'],
  async start(subject, scale) {
    const events = Array.from({ length: scaled(50_000, scale) }, (_, i) => event(i));
    return inserting(subject, (database) => database.bulk('INSERT INTO event VALUES (?, ?, ?)', events));
  },
};

const event = (i: number): [number, number, string] => [i + 1, 1700000000 + i * 37, `event number ${i + 1}`];

type AsyncDatabase = Awaited<ReturnType<AsyncSubject['open']>>;

/** Of a new database each time. */
async function inserting(
  subject: AsyncSubject,
  insert: (database: AsyncDatabase) => Promise<void>,
): Promise<Bench> {
  let database = await subject.open();
  return {
    async before() {
      await database.close();
      database = await subject.open();
      await database.exec('CREATE TABLE event (id INTEGER PRIMARY KEY, at INTEGER, what TEXT)');
    },
    run: () => insert(database),
    async after() {
      const sum = new Checksum();
      return sum.add(await database.row(digestOf('event', ['id', 'at', 'what']))).toString();
    },
    end: () => database.close(),
  };
}
