/** What MemoryVFS costs: the same SQLite with it and without. */
import { kitMemory, kitWithoutVfs } from '../subjects/kit.js';
import type { SqlSubject } from '../subjects/sql.js';
import type { Suite } from '../suite.js';
import { auto1000 } from '../workloads/auto1000.js';
import { dump } from '../workloads/dump.js';
import { queries } from '../workloads/queries.js';

export const memory: Suite<SqlSubject> = {
  name: 'memory',
  about: 'What MemoryVFS costs: the same SQLite with it and without.',
  runs: 9,
  subjects: async () => [await kitWithoutVfs(), await kitMemory()],
  cases: [auto1000, dump, queries],
  baseline: ['kit :memory:'],
  requirements: [
    { case: 'auto1000', subject: 'kit memory', atMost: 1.5 },
    { case: 'dump', subject: 'kit memory', atMost: 1.03 },
    { case: 'queries', subject: 'kit memory', atMost: 1.05 },
  ],
};
