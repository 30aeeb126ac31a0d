/** A thousand inserts, each its own transaction: what an app does that never says BEGIN. */
import type { AwaitedSubject } from '../subjects/sql.js';
import { type Case, scaled } from '../suite.js';
import { digestOf, sumOf } from './checksum.js';

const schema = 'CREATE TABLE event (id INTEGER PRIMARY KEY, at INTEGER, what TEXT)';

const digest = digestOf('event', ['id', 'at', 'what']);

const insertsOf = (scale: number): string[] =>
  Array.from(
    { length: scaled(1000, scale) },
    (_, i) => `INSERT INTO event VALUES (${i + 1}, ${1700000000 + i * 37}, 'event number ${i + 1}')`,
  );

export const auto1000: Case<AwaitedSubject> = {
  name: 'auto1000',
  about: 'a thousand inserts, each its own transaction',
  uses: ['exec'],
  async start(subject, scale) {
    const inserts = insertsOf(scale);
    let database = await subject.open();
    return {
      async before() {
        await database.close();
        database = await subject.open();
        await database.exec(schema);
      },
      async run() {
        for (const insert of inserts) {
          const done = database.exec(insert);
          if (done instanceof Promise) await done;
        }
      },
      after: () => sumOf(database, [digest]),
      end: () => database.close(),
    };
  },
};
