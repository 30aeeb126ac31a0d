/** Who has to wait for whom. */
import { equal, failsWith } from '../assert.js';
import { sqlCases } from '../case.js';
import type { SqlDatabase } from '../engine.js';
import type { Need } from '../needs.js';
import { assertWhole, type SqlPlace } from '../sql-place.js';
import { assertRows, fillSQL, setMode, TABLE } from './sql-fill.js';

const locks = sqlCases('connections', 'several connections');

const BUSY = 5;
const FILE_MODES = ['delete', 'truncate', 'persist', 'memory'];
const ALL_MODES: readonly [mode: string, needs: Need[]][] = [
  ...FILE_MODES.map((mode): [string, Need[]] => [mode, []]),
  ['wal', ['shared wal']],
];

/** Two connections to a database with ten rows. */
async function two(place: SqlPlace, mode = 'delete'): Promise<[SqlDatabase, SqlDatabase]> {
  const one = await place.open();
  await setMode(one, mode);
  await one.exec(`${TABLE}; ${fillSQL(1, 10)}`);
  const other = await place.open();
  if (mode !== 'wal') await setMode(other, mode);
  return [one, other];
}

const rows = (db: SqlDatabase) => db.value('SELECT count(*) FROM t');

export const connectionCases = [
  ...ALL_MODES.map(([mode, needs]) =>
    locks(`second-writer-is-busy-in-${mode}`, needs, async (place) => {
      const [one, other] = await two(place, mode);
      await one.exec('BEGIN IMMEDIATE');
      await failsWith(BUSY, () => other.exec('DELETE FROM t'), 'writing beside BEGIN IMMEDIATE');
      await failsWith(BUSY, () => other.exec('BEGIN IMMEDIATE'), 'a second BEGIN IMMEDIATE');
      await one.exec(`${fillSQL(11, 20)}; COMMIT`);
      await other.exec(fillSQL(21, 30));
      await assertRows(one, 30, 'of both');
      await assertWhole(one);
    }),
  ),

  ...ALL_MODES.map(([mode, needs]) =>
    locks(`interleaved-in-${mode}`, needs, async (place) => {
      const pair = await two(place, mode);
      const rounds = place.full ? 1000 : 60;
      for (let i = 0; i < rounds; i++) {
        await (pair[i % 2] as SqlDatabase).exec(fillSQL(11 + i, 11 + i, 700));
        equal(await rows(pair[(i + 1) % 2] as SqlDatabase), 11 + i, 'rows that the other sees');
      }
      for (const db of pair) {
        await assertRows(db, 10 + rounds, 'after all');
        await assertWhole(db);
      }
    }),
  ),

  locks('readers-go-on-beside-a-writer', [], async (place) => {
    const [writer, reader] = await two(place);
    await writer.exec(`BEGIN IMMEDIATE; ${fillSQL(11, 20)}`);
    equal(await rows(reader), 10, 'rows that a reader sees beside a writer');
    equal(await rows(writer), 20, 'rows that the writer sees');
    await writer.exec('COMMIT');
    equal(await rows(reader), 20, 'rows that a reader sees afterwards');
  }),

  locks('commit-waits-for-readers', [], async (place) => {
    const [writer, reader] = await two(place);
    const late = await place.open();
    await reader.exec('BEGIN');
    equal(await rows(reader), 10, 'rows that a reader sees');
    await writer.exec(`BEGIN; ${fillSQL(11, 20)}`);
    await failsWith(BUSY, () => writer.exec('COMMIT'), 'committing beside a reader');
    // Meanwhile no new one is let in, so the writer gets its turn.
    await failsWith(BUSY, () => rows(late), 'a new reader while a writer waits');
    equal(await rows(reader), 10, 'rows that the reader sees still');
    await reader.exec('COMMIT');
    await writer.exec('COMMIT');
    equal(await rows(late), 20, 'rows afterwards');
  }),

  locks('exclusive-shuts-readers-out', [], async (place) => {
    const [one, other] = await two(place);
    await one.exec('BEGIN EXCLUSIVE');
    await failsWith(BUSY, () => rows(other), 'reading beside BEGIN EXCLUSIVE');
    await one.exec('ROLLBACK');
    equal(await rows(other), 10, 'rows afterwards');
  }),

  ...ALL_MODES.map(([mode, needs]) =>
    locks(`two-readers-that-want-to-write-in-${mode}`, needs, async (place) => {
      const pair = await two(place, mode);
      for (const db of pair) {
        await db.exec('BEGIN');
        equal(await rows(db), 10, 'rows');
      }
      const [one, other] = pair;
      await one.exec(fillSQL(11, 11));
      await failsWith(BUSY, () => other.exec(fillSQL(12, 12)), 'writing beside another writer');
      await other.exec('ROLLBACK');
      await one.exec('COMMIT');
      equal(await rows(other), 11, 'rows afterwards');
    }),
  ),

  ...ALL_MODES.map(([mode, needs]) =>
    locks(`closing-gives-locks-back-in-${mode}`, needs, async (place) => {
      const [one, other] = await two(place, mode);
      await one.exec(`BEGIN IMMEDIATE; ${fillSQL(11, 20)}`);
      await one.close();
      equal(await rows(other), 10, 'rows of a transaction that was never committed');
      await other.exec(`BEGIN EXCLUSIVE; ${fillSQL(11, 12)}; COMMIT`);
      await assertRows(other, 12, 'afterwards');
    }),
  ),

  locks('exclusive-locking-mode', [], async (place) => {
    const [one, other] = await two(place);
    await one.exec(`PRAGMA locking_mode = exclusive; ${fillSQL(11, 11)}`);
    await failsWith(BUSY, () => rows(other), 'reading beside locking_mode = exclusive');
    await one.exec('PRAGMA locking_mode = normal; SELECT * FROM t');
    equal(await rows(other), 11, 'rows once it is left');
  }),

  locks('other-files-are-not-in-the-way', [], async (place) => {
    const [a, b] = [await place.open('a.db'), await place.open('b.db')];
    for (const db of [a, b]) await db.exec(`${TABLE}; BEGIN EXCLUSIVE; ${fillSQL(1, 5)}`);
    for (const db of [a, b]) await db.exec('COMMIT');
    for (const db of [a, b]) await assertRows(db, 5, 'of each');
  }),

  locks('sees-a-changed-schema', [], async (place) => {
    const [one, other] = await two(place);
    equal(await rows(other), 10, 'rows');
    await one.exec('ALTER TABLE t ADD COLUMN w DEFAULT 7; VACUUM');
    equal(await other.value('SELECT sum(w) FROM t'), 70, 'a column that another connection added');
  }),
];
