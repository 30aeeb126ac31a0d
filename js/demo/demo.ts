// A first program: a database on MemoryVFS, filled, queried, exported and watched. Run it with `npm run demo`.

import { readFileSync } from 'node:fs';
import { DatabaseSync, getVFS, init, sqliteVersion } from '../src/index.js';
import { examples, fill, tables } from './datasets.js';
import { heading, printRows } from './print.js';

// The data files lie beside the code of the package that ships them.
const dataFile = (name: string): URL => new URL(`../data/${name}`, import.meta.resolve('vega-datasets'));

await init();

const db = new DatabaseSync('sample.sqlite');
const start = performance.now();
fill(db, ({ file }) => readFileSync(dataFile(file), 'utf8'));
heading(
  `SQLite ${sqliteVersion()}, store "${db.store}": loaded in ${Math.round(performance.now() - start)} ms`,
);
printRows(
  tables.map(({ name }) => ({
    table: name,
    ...db.prepare(`SELECT count(*) AS rows FROM ${name}`).get(),
  })),
);

for (const { title, sql } of examples.slice(0, 3)) {
  heading(title);
  printRows(db.prepare(sql).all(), 8);
}

heading('A statement with parameters, run in a transaction');
db.exec('BEGIN');
const cancel = db.prepare('DELETE FROM flights WHERE origin = :from AND destination = :to');
const { changes } = cancel.run({ from: 'SEA', to: 'PDX' });
db.exec('ROLLBACK');
console.log(`${changes} flights cancelled, and after ROLLBACK all are back.`);

heading('An error');
try {
  db.exec("INSERT INTO flights VALUES (1, '2001-01-01', 'SEA', 'NOWHERE', 0, 0)");
} catch (error) {
  const { code, errcode, message } = error as Error & { code: string; errcode: number };
  console.log(`${code} ${errcode}: ${message}`);
}

heading('Export, and import under another name');
const memory = getVFS();
const file = memory.export('sample.sqlite');
memory.import('copy.sqlite', file);
const copy = new DatabaseSync('copy.sqlite');
const count = 'SELECT count(*) AS flights, sum(delay) AS minutes FROM flights';
const same = JSON.stringify(copy.prepare(count).get()) === JSON.stringify(db.prepare(count).get());
copy.close();
printRows(memory.list());
console.log(same ? 'Both answer alike.' : 'They differ!');

heading('What SQLite asked of the store');
printRows(
  Object.entries(memory.stats())
    .filter(([, { calls }]) => calls > 0)
    .map(([operation, { calls, bytes }]) => ({ operation, calls, bytes })),
);

db.close();
// The demo is also a check: a copy that differs is a failure.
process.exitCode = same ? 0 : 1;
