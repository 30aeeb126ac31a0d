/** Twenty thousand rows of thirty columns, as objects: as many values as the other tables have, with more names to each. */
import type { AwaitedSubject, Value } from '../subjects/sql.js';
import { type Case, scaled } from '../suite.js';
import { Checksum } from './checksum.js';
import { Random } from './random.js';

const count = 20_000;
const columns = 30;

const kinds: readonly ((random: Random) => Value)[] = [
  (random) => random.integer(-1000, 1e6),
  (random) => random.next() * 1000,
  (random) => random.words(2),
  (random) => (random.chance(0.5) ? null : random.integer(0, 1)),
  (random) => random.words(1),
];

const numbers = Array.from({ length: columns }, (_, i) => i);
const create = `CREATE TABLE wide (${numbers.map((i) => `field${i + 1} ${['INTEGER', 'REAL', 'TEXT', 'INTEGER', 'TEXT'][i % 5]}`).join(', ')})`;
const insert = `INSERT INTO wide VALUES (${numbers.map(() => '?').join(', ')})`;

export const wide: Case<AwaitedSubject> = {
  name: 'wide',
  about: '20,000 rows of thirty columns, as objects',
  uses: ['objects'],
  async start(subject, scale) {
    const random = new Random(30);
    const rows = Array.from({ length: scaled(count, scale) }, () =>
      numbers.map((i) => (kinds[i % kinds.length] as (random: Random) => Value)(random)),
    );
    const database = await subject.open();
    await database.exec(create);
    await database.bulk(insert, rows);
    return {
      run: () => database.objects('SELECT * FROM wide'),
      after: (rows: object[]) => new Checksum().add(rows).toString(),
      end: () => database.close(),
    };
  },
};
