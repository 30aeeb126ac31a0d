/** Tables that cases write and compare. */
import { equal } from '../assert.js';
import type { SqlDatabase } from '../engine.js';

/** Makes the table `t`. */
export const TABLE = 'CREATE TABLE t (k INTEGER PRIMARY KEY, v)';

/** SQL that puts rows `from` to `to` into `t`, each with `size` bytes that tell it from every other. */
export function fillSQL(from: number, to: number, size = 100): string {
  return `INSERT INTO t WITH RECURSIVE c(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM c WHERE i < ${to})
    SELECT i, substr(replace(hex(zeroblob(${Math.ceil(size / 8)})), '00', printf('%08x', i * 2654435761 % 4294967296)), 1, ${size}) FROM c`;
}

/** How many rows `t` has, and that all of them are as `fillSQL` made them. */
export async function assertRows(db: SqlDatabase, rows: number, what: string): Promise<void> {
  equal(await db.value('SELECT count(*) FROM t'), rows, `rows ${what}`);
  const bad = await db.value(
    `SELECT count(*) FROM t WHERE instr(v, printf('%08x', k * 2654435761 % 4294967296)) != 1`,
  );
  equal(bad, 0, `rows that are not what was written, ${what}`);
}

/** Lets so few pages stay in the cache that a transaction is written to the file before it commits. */
export const SPILL = 'PRAGMA cache_size = 5; PRAGMA cache_spill = 5';

/** Sets the journal mode, and checks that it took effect. */
export async function setMode(db: SqlDatabase, mode: string): Promise<void> {
  equal(await db.value(`PRAGMA journal_mode = ${mode}`), mode, `answer of PRAGMA journal_mode = ${mode}`);
}
