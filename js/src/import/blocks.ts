/** What can be wrong with a file that is kept as blocks. */
import { sqliteError } from '../errors.js';
import type { SourceFile } from './source.js';

const SQLITE_CORRUPT = 11;
const SQLITE_CANTOPEN = 14;

export const missingBlocks = ({ name }: SourceFile, from: number, to: number) =>
  sqliteError(
    `'${name}' is not whole: its bytes ${from} to ${to - 1} are missing at the source, which was left as it is`,
    SQLITE_CORRUPT,
    'database disk image is malformed',
  );

export const notThere = ({ name }: SourceFile) =>
  sqliteError(`'${name}' is gone from the source`, SQLITE_CANTOPEN, 'unable to open database file');
