/** A thousand inserts, each its own transaction: what an app does that never says BEGIN. */
import type { SqlSubject } from '../subjects/sql.js';
import { type Case, scaled } from '../suite.js';
import { Checksum, digestOf } from './checksum.js';

export const schema = 'CREATE TABLE event (id INTEGER PRIMARY KEY, at INTEGER, what TEXT)';

export const digest = digestOf('event', ['id', 'at', 'what']);

export const insertsOf = (scale: number): string[] =>
  Array.from(
    { length: scaled(1000, scale) },
    (_, i) => `INSERT INTO event VALUES (${i + 1}, ${1700000000 + i * 37}, 'event number ${i + 1}')`,
  );

export const auto1000: Case<SqlSubject> = {
  name: 'auto1000',
  uses: ['exec'],
  start(subject, scale) {
    const inserts = insertsOf(scale);
    let database = subject.open();
    return {
      before() {
        database.close();
        database = subject.open();
        database.exec(schema);
      },
      run() {
        for (const insert of inserts) database.exec(insert);
      },
      after() {
        const sum = new Checksum();
        return sum.add(database.arrays(digest)).toString();
      },
      end: () => database.close(),
    };
  },
};
