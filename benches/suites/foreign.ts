/** What MemoryVFS costs in builds of SQLite made by others, beside what they have for memory themselves. */
import type { AwaitedSubject } from '../subjects/sql.js';
import type { Suite } from '../suite.js';
import { auto1000 } from '../workloads/auto1000.js';
import { dump } from '../workloads/dump.js';
import { queries } from '../workloads/queries.js';

export const foreign: Suite<AwaitedSubject> = {
  name: 'foreign',
  about:
    'What MemoryVFS costs in builds of SQLite made by others, beside what they have for memory themselves.',
  runs: 7,
  async subjects() {
    const { kitInWaSqlite, waSqliteMemory } = await import('../subjects/wa-sqlite-sync.js');
    const { kitInOfficial, official } = await import('../subjects/official.js');
    return [
      await kitInWaSqlite(),
      await waSqliteMemory(),
      await kitInOfficial(),
      await official('official :memory:'),
    ];
  },
  cases: [auto1000, dump, queries],
  baseline: ['wa-sqlite memory'],
  requirements: [
    { case: 'auto1000', subject: 'kit memory in wa-sqlite', atMost: 1 },
    { case: 'dump', subject: 'kit memory in wa-sqlite', atMost: 1 },
    { case: 'queries', subject: 'kit memory in wa-sqlite', atMost: 1 },
  ],
};
