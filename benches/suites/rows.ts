/** How fast rows come out and go in, against other libraries. */
import { kitMemory } from '../subjects/kit.js';
import { nodeSqlite } from '../subjects/node-sqlite.js';
import { official } from '../subjects/official.js';
import { type SqlSubject, sqliteVersion } from '../subjects/sql.js';
import { sqlJs } from '../subjects/sql-js.js';
import { available, type Suite } from '../suite.js';
import { arrays, bulk, objects, point } from '../workloads/rows.js';

export const rows: Suite<SqlSubject> = {
  name: 'rows',
  about: 'How fast rows come out and go in, beside other libraries.',
  runs: 5,
  ...available({
    'kit memory': kitMemory,
    'sql.js': sqlJs,
    official: () => official(),
    'node:sqlite': nodeSqlite,
  }),
  sqlite: sqliteVersion,
  cases: [arrays, objects, point, bulk],
  // The wasm ones.
  baseline: ['sql.js', 'official'],
  requirements: [
    { case: 'arrays', subject: 'kit memory', atMost: 0.8 },
    { case: 'objects', subject: 'kit memory', atMost: 0.5 },
    { case: 'point', subject: 'kit memory', atMost: 0.5 },
    { case: 'bulk', subject: 'kit memory', atMost: 0.9 },
  ],
};
