/** All cases, in the order in which a VFS is best written: files first, then SQLite on them. */
import type { ConformanceCase } from './case.js';
import { deleteCases } from './cases/file-delete.js';
import { largeCases } from './cases/file-large.js';
import { lockCases } from './cases/file-locks.js';
import { moreFileCases } from './cases/file-more.js';
import { nameCases } from './cases/file-names.js';
import { openCases } from './cases/file-open.js';
import { readCases } from './cases/file-read.js';
import { readOnlyCases } from './cases/file-read-only.js';
import { writeCases } from './cases/file-write.js';
import { faultCases } from './cases/sql-faults.js';
import { journalCases } from './cases/sql-journals.js';
import { connectionCases } from './cases/sql-locks.js';
import { sqlOpenCases } from './cases/sql-open.js';
import { pageCases } from './cases/sql-pages.js';
import { walCases } from './cases/sql-wal.js';

/** What a VFS must do, one thing each. */
export const cases: readonly ConformanceCase[] = [
  ...openCases,
  ...readCases,
  ...writeCases,
  ...deleteCases,
  ...nameCases,
  ...largeCases,
  ...lockCases,
  ...moreFileCases,
  ...readOnlyCases,
  ...sqlOpenCases,
  ...journalCases,
  ...pageCases,
  ...connectionCases,
  ...walCases,
  ...faultCases,
];
