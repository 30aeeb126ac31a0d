/** What it takes SQLite to wait: on stores in memory that answer promises, so that nothing but the waiting costs time. */
import type { AsyncSubject } from '../subjects/async.js';
import type { Suite } from '../suite.js';
import { autocommit, bulk50k } from '../workloads/async.js';

export const async: Suite<AsyncSubject> = {
  name: 'async',
  about:
    'What it takes SQLite to wait, on stores in memory that answer promises, so that nothing but the waiting costs time.',
  runs: 7,
  lacks: () =>
    'Suspending' in WebAssembly && 'promising' in WebAssembly
      ? undefined
      : 'JSPI: run it with --node26, or --browser chromium or firefox',
  async subjects() {
    // Loaded here: what needs JSPI is not for every engine.
    const { kitMemoryAsync } = await import('../subjects/kit-async.js');
    const { waSqliteAsyncify, waSqliteJspi } = await import('../subjects/wa-sqlite.js');
    return [await kitMemoryAsync(), await waSqliteJspi(), await waSqliteAsyncify()];
  },
  cases: [autocommit, bulk50k],
  baseline: ['wa-sqlite jspi', 'wa-sqlite asyncify'],
  requirements: [
    { case: 'autocommit', subject: 'kit memory-async', atMost: 0.8 },
    { case: 'bulk50k', subject: 'kit memory-async', atMost: 0.8 },
  ],
};
