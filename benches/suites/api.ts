/**
 * How fast SQLite is through its API, for everything that apps do with it: beside the builds for the web, and beside native code where
 * there is some.
 */
import { kitMemory, kitWithoutVfs } from '../subjects/kit.js';
import { type AwaitedSubject, sqliteVersion } from '../subjects/sql.js';
import { available, part, type Requirement, type Suite } from '../suite.js';
import { auto1000 } from '../workloads/auto1000.js';
import { bigtext } from '../workloads/bigtext.js';
import { queries } from '../workloads/queries.js';
import { arrays, asText, bulk, iterate, objects, point, scan } from '../workloads/rows.js';
import { speed } from '../workloads/speed.js';
import { wide } from '../workloads/wide.js';

const atMost =
  (over: readonly string[] | undefined) =>
  (wanted: Record<string, number | { atMost: number; aim: number }>): Requirement[] =>
    Object.entries(wanted).map(([name, most]) => ({
      case: name,
      subject: 'kit memory',
      ...(typeof most === 'number' ? { atMost: most } : most),
      ...(over && { over }),
    }));

export const api: Suite<AwaitedSubject> = {
  name: 'api',
  about:
    'All that apps do with SQLite through its API, beside the other builds for the web, and beside native code where there is some.',
  runs: 7,
  // Loaded one by one: what an engine cannot run, it need not even read.
  ...available<AwaitedSubject>({
    'kit :memory:': kitWithoutVfs,
    'kit memory': kitMemory,
    'official :memory:': async () => (await import('../subjects/official.js')).official('official :memory:'),
    'sql.js': async () => (await import('../subjects/sql-js.js')).sqlJs(),
    'wa-sqlite :memory:': async () => (await import('../subjects/wa-sqlite-sync.js')).waSqliteWithoutVfs(),
    'wa-sqlite memory': async () => (await import('../subjects/wa-sqlite-sync.js')).waSqliteMemory(),
    'node-sqlite3-wasm': async () => (await import('../subjects/node-sqlite3-wasm.js')).nodeSqlite3Wasm(),
    'better-sqlite3': async () => (await import('../subjects/better-sqlite3.js')).betterSqlite3(),
    'node:sqlite': async () => (await import('../subjects/node-sqlite.js')).nodeSqlite(),
  }),
  sqlite: sqliteVersion,
  cases: [
    auto1000,
    bulk,
    asText,
    arrays,
    objects,
    point,
    scan,
    // 25,000 statements: with all of them, some subjects would take half a minute a run.
    part(0.1, queries),
    wide,
    bigtext,
    iterate,
    speed,
  ],
  best: 'the fastest of the other builds in wasm',
  // Those.
  baseline: ['official :memory:', 'sql.js', 'wa-sqlite :memory:', 'wa-sqlite memory', 'node-sqlite3-wasm'],
  requirements: [
    ...atMost(undefined)({
      auto1000: 0.2,
      bulk: 0.8,
      dump: 0.85,
      arrays: { atMost: 0.7, aim: 0.6 },
      objects: { atMost: 0.4, aim: 0.3 },
      point: 0.4,
      scan: 0.85,
      wide: 0.5,
    }),
    ...atMost(['better-sqlite3'])({ arrays: 0.6, objects: 0.6, point: 1.3, bulk: 1.4, scan: 1.4 }),
    ...atMost(['node:sqlite'])({ arrays: 0.9, objects: 0.7, point: 1.5 }),
  ],
};
