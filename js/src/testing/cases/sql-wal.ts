/** Write-ahead logs: readers and a writer side by side. */
import { equal, failsWith, ok } from '../assert.js';
import { sqlCases } from '../case.js';
import type { SqlDatabase } from '../engine.js';
import { assertWhole, type SqlPlace } from '../sql-place.js';
import { assertRows, fillSQL, SPILL, setMode, TABLE } from './sql-fill.js';

const wal = sqlCases('wal', 'shared wal');
const alone = sqlCases('wal', 'wal');

const BUSY = 5;
const BUSY_SNAPSHOT = 517;

async function openWal(place: SqlPlace): Promise<SqlDatabase> {
  const db = await place.open();
  await setMode(db, 'wal');
  await db.exec(`PRAGMA synchronous = normal; ${TABLE}`);
  return db;
}

const rows = (db: SqlDatabase) => db.value('SELECT count(*) FROM t');

export const walCases = [
  wal('takes-effect', [], async (place) => {
    const db = await openWal(place);
    equal(await db.value('PRAGMA locking_mode'), 'normal', 'locking mode');
    const other = await place.open();
    equal(await other.value('PRAGMA journal_mode'), 'wal', 'journal mode of another connection');
    await other.exec(fillSQL(1, 10));
    equal(await rows(db), 10, 'rows that the first sees');
  }),

  wal('readers-keep-their-snapshot', ['several connections'], async (place) => {
    const writer = await openWal(place);
    const reader = await place.open();
    await reader.exec('BEGIN');
    equal(await rows(reader), 0, 'rows that a reader sees');
    for (let i = 1; i <= 100; i++) {
      await writer.exec(fillSQL(i, i));
      if (i % 20 === 0) {
        equal(await rows(reader), 0, 'rows of a snapshot while a writer commits');
        equal(await rows(await place.open()), i, 'rows that a new reader sees');
      }
    }
    await reader.exec('COMMIT');
    await assertRows(reader, 100, 'once the snapshot is given up');
  }),

  wal('what-is-not-committed-is-not-seen', ['several connections'], async (place) => {
    const writer = await openWal(place);
    const reader = await place.open();
    await writer.exec(`${SPILL}; BEGIN; ${fillSQL(1, 1000, 500)}`);
    equal(await rows(reader), 0, 'rows of a transaction that is in the log, and not committed');
    await writer.exec('COMMIT');
    await assertRows(reader, 1000, 'once it is committed');
  }),

  wal('old-snapshots-are-not-written', ['several connections'], async (place) => {
    const [one, other] = [await openWal(place), await place.open()];
    await other.exec('BEGIN');
    equal(await rows(other), 0, 'rows');
    await one.exec(fillSQL(1, 1));
    await failsWith(BUSY_SNAPSHOT, () => other.exec(fillSQL(2, 2)), 'writing on an old snapshot');
    await other.exec(`ROLLBACK; ${fillSQL(2, 2)}`);
    await assertRows(one, 2, 'afterwards');
  }),

  wal('many-readers', ['several connections'], async (place) => {
    const writer = await openWal(place);
    // More than the five marks that a WAL index has for readers.
    const readers: SqlDatabase[] = [];
    for (let i = 0; i < 12; i++) {
      const reader = await place.open();
      await reader.exec('BEGIN');
      equal(await rows(reader), i, 'rows of a new snapshot');
      readers.push(reader);
      await writer.exec(fillSQL(i + 1, i + 1));
    }
    for (const [i, reader] of readers.entries()) {
      equal(await rows(reader), i, 'rows of an old snapshot');
      await reader.exec('COMMIT');
      equal(await rows(reader), 12, 'rows afterwards');
    }
  }),

  wal('many-frames', [], async (place) => {
    const db = await place.open();
    await db.exec('PRAGMA page_size = 512');
    await setMode(db, 'wal');
    // A region of the index is for 4096 frames.
    await db.exec(`PRAGMA wal_autocheckpoint = 0; ${TABLE}; BEGIN; ${fillSQL(1, 9000, 400)}; COMMIT`);
    const frames = Object.values((await db.all('PRAGMA wal_checkpoint'))[0] ?? {})[1];
    ok(
      typeof frames === 'number' && frames > 8192,
      `the log has ${String(frames)} frames; expected were more`,
    );
    await assertRows(await place.open(), 9000, 'for another connection');
    await assertWhole(db);
  }),

  ...['passive', 'full', 'restart', 'truncate'].map((kind) =>
    wal(`checkpoint-${kind}`, [], async (place) => {
      const db = await openWal(place);
      for (let i = 0; i < 5; i++) {
        await db.exec(fillSQL(i * 100 + 1, i * 100 + 100));
        const [busy, log, done] = Object.values((await db.all(`PRAGMA wal_checkpoint(${kind})`))[0] ?? {});
        equal(busy, 0, 'busy, where nobody reads');
        equal(Number(log), Number(done), 'frames of the log, and those of them that are in the database');
      }
      await assertRows(db, 500, 'after checkpoints');
      await db.close();
      await place.with('x.db', assertWhole);
    }),
  ),

  wal('checkpoint-beside-a-reader', ['several connections'], async (place) => {
    const db = await openWal(place);
    await db.exec(fillSQL(1, 10));
    const reader = await place.open();
    await reader.exec('BEGIN');
    equal(await rows(reader), 10, 'rows');
    await db.exec(fillSQL(11, 500));
    await db.exec('PRAGMA wal_checkpoint(passive)');
    equal((await db.column('PRAGMA wal_checkpoint(truncate)'))[0], 1, 'busy, while somebody reads');
    equal(await rows(reader), 10, 'rows of the snapshot after checkpoints');
    await reader.exec('COMMIT');
    equal((await db.column('PRAGMA wal_checkpoint(truncate)'))[0], 0, 'busy, when nobody does');
    await assertRows(reader, 500, 'afterwards');
  }),

  wal('log-is-bounded', [], async (place) => {
    const db = await openWal(place);
    for (let i = 0; i < 60; i++) await db.exec(fillSQL(i * 100 + 1, i * 100 + 100, 1000));
    const frames = Object.values((await db.all('PRAGMA wal_checkpoint'))[0] ?? {})[1];
    ok(
      typeof frames === 'number' && frames < 2000,
      `the log has ${String(frames)} frames, and is never begun anew`,
    );
    await assertRows(db, 6000, 'after all');
  }),

  wal('goes-back-to-delete', ['several connections'], async (place) => {
    const db = await openWal(place);
    await db.exec(fillSQL(1, 10));
    const other = await place.open();
    equal(await rows(other), 10, 'rows');
    await failsWith(
      BUSY,
      () => db.exec('PRAGMA journal_mode = delete'),
      'leaving WAL beside another connection',
    );
    await other.close();
    await setMode(db, 'delete');
    await db.exec(fillSQL(11, 20));
    await assertRows(await place.open(), 20, 'in the other mode');
  }),

  wal('is-found-by-the-next-connection', [], async (place) => {
    const db = await openWal(place);
    await db.exec(fillSQL(1, 10));
    await db.close();
    const next = await place.open();
    equal(await next.value('PRAGMA journal_mode'), 'wal', 'journal mode');
    await assertRows(next, 10, 'for the next connection');
  }),

  wal('readers-that-only-read', [], async (place) => {
    const writer = await openWal(place);
    await writer.exec(fillSQL(1, 10));
    const reader = await place.open('x.db', { readOnly: true });
    await assertRows(reader, 10, 'for one that only reads');
    await writer.exec(fillSQL(11, 20));
    await assertRows(reader, 20, 'for one that only reads, later');
    await writer.close();
    await assertRows(reader, 20, 'for the last one out');
  }),

  alone('exclusively', [], async (place) => {
    const db = await place.open();
    await db.exec('PRAGMA locking_mode = exclusive');
    await setMode(db, 'wal');
    await db.exec(
      `${TABLE}; ${fillSQL(1, 2000, 500)}; PRAGMA wal_checkpoint(truncate); ${fillSQL(2001, 2010)}`,
    );
    await assertRows(db, 2010, 'in the log');
    await assertWhole(db);
    await db.close();
    const next = await place.open();
    await next.exec('PRAGMA locking_mode = exclusive');
    await assertRows(next, 2010, 'when it is opened again');
  }),

  alone('after-a-reload', ['reopening'], async (place) => {
    const db = await place.open();
    await db.exec('PRAGMA locking_mode = exclusive');
    await setMode(db, 'wal');
    await db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = full; ${TABLE}; ${fillSQL(1, 500)}`);
    // Nobody closed it: all there is of the rows is in the log.
    await place.reopen();
    const next = await place.open();
    await next.exec('PRAGMA locking_mode = exclusive');
    await assertRows(next, 500, 'recovered from the log after a reload');
    await assertWhole(next);
    await next.close();
    await db.close().catch(() => {});
  }),
];
