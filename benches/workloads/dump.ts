/** What `sqlite3 app.db .dump` writes: a large text of literal inserts in one transaction, given to one `exec`. */
import type { AwaitedSubject } from '../subjects/sql.js';
import type { Case } from '../suite.js';
import { digestOf, sumOf } from './checksum.js';
import { hex, literal } from './literal.js';
import { Random } from './random.js';

/** At least so many bytes. */
const fullSize = 85_000_000;

export const dump: Case<AwaitedSubject> = {
  name: 'dump',
  about: 'an SQL dump of 85 MB, inserts only',
  uses: ['exec'],
  async start(subject, scale) {
    const text = dumpOf(fullSize * scale);
    let database = await subject.open();
    return {
      async before() {
        await database.close();
        database = await subject.open();
      },
      run: () => database.exec(text),
      after: () =>
        sumOf(
          database,
          tables.map(({ name, columns }) => digestOf(name, columns)),
        ),
      end: () => database.close(),
    };
  },
};

interface Table {
  name: string;
  create: string;
  columns: string[];
  /** Rows to each of the other tables'. */
  share: number;
  row(id: number, random: Random): string;
}

/** The data of an app for notes: rows in order of their key, rows by a random key, and a table of pairs. */
const tables: readonly Table[] = [
  {
    name: 'note',
    create:
      'CREATE TABLE note(id INTEGER PRIMARY KEY, folder INTEGER, title TEXT, body TEXT, rank REAL, created INTEGER, edited INTEGER);',
    columns: ['id', 'folder', 'title', 'body', 'rank', 'created', 'edited'],
    share: 5,
    row: (id, random) =>
      [
        id,
        random.integer(1, 400),
        literal(random.words(random.integer(2, 8))),
        random.chance(0.03) ? 'NULL' : literal(random.words(random.integer(10, 120))),
        random.next() * 1000,
        1600000000 + id * 41,
        random.chance(0.5) ? 'NULL' : 1600000000 + id * 41 + random.integer(1, 1e6),
      ].join(','),
  },
  {
    name: 'attachment',
    create:
      'CREATE TABLE attachment(uuid TEXT PRIMARY KEY, note INTEGER, name TEXT, type TEXT, thumbnail BLOB);',
    columns: ['uuid', 'note', 'name', 'thumbnail'],
    share: 1,
    row: (id, random) =>
      [
        literal(hex(random.bytes(16))),
        random.integer(1, id * 5),
        literal(`${random.words(2)}.png`),
        literal('image/png'),
        literal(random.bytes(random.integer(60, 300))),
      ].join(','),
  },
  {
    name: 'tagged',
    create: 'CREATE TABLE tagged(note INTEGER, tag TEXT, PRIMARY KEY(note, tag)) WITHOUT ROWID;',
    columns: ['note', 'tag'],
    share: 5,
    row: (id, random) => [id, literal(random.words(1))].join(','),
  },
];

/** The text, made once: subjects share it. */
let made: { size: number; text: string } | undefined;

function dumpOf(size: number): string {
  if (made?.size === size) return made.text;
  const random = new Random(85);
  const counts = rowCounts(size, new Random(85));
  const lines = ['PRAGMA foreign_keys=OFF;', 'BEGIN TRANSACTION;'];
  for (const [t, table] of tables.entries()) {
    lines.push(table.create);
    for (let id = 1; id <= (counts[t] as number); id++) {
      lines.push(`INSERT INTO ${table.name} VALUES(${table.row(id, random)});`);
    }
  }
  lines.push('COMMIT;', '');
  made = { size, text: lines.join('\n') };
  return made.text;
}

/** How many rows of each table make that many bytes: judged by a sample, and a little more than that. */
function rowCounts(size: number, random: Random): number[] {
  const sampled = 2000;
  let bytes = 0;
  for (const table of tables) {
    let length = 0;
    for (let i = 0; i < sampled; i++) {
      length += `INSERT INTO ${table.name} VALUES(${table.row(i * 40, random)});\n`.length;
    }
    bytes += (length / sampled) * table.share;
  }
  const groups = Math.ceil((size * 1.02) / bytes);
  return tables.map(({ share }) => share * groups);
}
