/** The workloads of the memory suite, each call awaited: for libraries whose calls answer promises, and beside them. */
import type { AwaitedDatabase, AwaitedStatement, AwaitedSubject } from '../subjects/sql.js';
import type { Case } from '../suite.js';
import * as auto from './auto1000.js';
import { Checksum } from './checksum.js';
import * as dumped from './dump.js';
import * as day from './queries.js';

export const auto1000: Case<AwaitedSubject> = {
  name: 'auto1000',
  uses: ['exec'],
  async start(subject, scale) {
    const inserts = auto.insertsOf(scale);
    let database = await subject.open();
    return {
      async before() {
        await database.close();
        database = await subject.open();
        await database.exec(auto.schema);
      },
      async run() {
        for (const insert of inserts) await database.exec(insert);
      },
      after: () => sumOf(database, [auto.digest]),
      end: () => database.close(),
    };
  },
};

export const dump: Case<AwaitedSubject> = {
  name: 'dump',
  uses: ['exec'],
  async start(subject, scale) {
    const text = dumped.dumpAt(scale);
    let database = await subject.open();
    return {
      async before() {
        await database.close();
        database = await subject.open();
      },
      run: async () => database.exec(text),
      after: () => sumOf(database, dumped.digests()),
      end: () => database.close(),
    };
  },
};

export const queries: Case<AwaitedSubject> = {
  name: 'queries',
  uses: ['get', 'all', 'run'],
  async start(subject, scale) {
    const asked = day.dayOf(scale);
    let database = await subject.open();
    let prepared: Record<day.Name, AwaitedStatement>;
    return {
      async before() {
        await database.close();
        database = await subject.open();
        await database.exec(day.schema);
        for (const [table, rows] of [
          ['user', asked.users],
          ['issue', asked.issues],
          ['comment', asked.comments],
          ['tag', asked.tags],
        ] as const) {
          await database.bulk(day.inserts[table], rows);
        }
        const entries = Object.entries(day.statements).map(
          async ([name, [, sql]]) => [name, await database.prepare(sql)] as const,
        );
        prepared = Object.fromEntries(await Promise.all(entries)) as Record<day.Name, AwaitedStatement>;
      },
      async run() {
        let rows = 0;
        for (const query of asked.queries) {
          if (typeof query === 'string') {
            await database.exec(query);
            continue;
          }
          const statement = prepared[query.name];
          const [use] = day.statements[query.name];
          if (use === 'run') await statement.run(query.values);
          else if (use === 'get') rows += (await statement.get(query.values)) === undefined ? 0 : 1;
          else rows += (await statement.all(query.values)).length;
        }
        return rows;
      },
      after: async (rows) => `${rows} rows, at last ${await sumOf(database, day.digests)}`,
      end: () => database.close(),
    };
  },
};

async function sumOf(database: AwaitedDatabase, digests: readonly string[]): Promise<string> {
  const sum = new Checksum();
  for (const digest of digests) sum.add(await database.arrays(digest));
  return sum.toString();
}
