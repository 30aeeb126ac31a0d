/** What happens when the VFS fails: on purpose, for lack of space, or by a loss of power. */

import * as VFS from '../../vfs-constants.js';
import { VFSError } from '../../vfs-error.js';
import { equal, failsWith, ok } from '../assert.js';
import { Random } from '../bytes.js';
import { sqlCases } from '../case.js';
import type { SqlDatabase } from '../engine.js';
import type { FaultMethod, FaultVFS } from '../fault-vfs.js';
import type { Need } from '../needs.js';
import { type Recording, restore, type Unsynced } from '../recording.js';
import { assertWhole, type SqlPlace } from '../sql-place.js';
import { assertRows, fillSQL, SPILL, setMode, TABLE } from './sql-fill.js';

const fault = sqlCases('fault', 'javascript');
const space = sqlCases('space', 'javascript');
const crash = sqlCases('crash', 'javascript');
const batch = sqlCases('sql-batch', 'javascript', 'batch atomic');

const FULL = 13;
const { SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_MAIN_JOURNAL } = VFS;

/** Modes whose transactions outlive a loss of power, and what each needs. */
const CRASH_MODES: Readonly<Record<string, Need[]>> = { delete: [], truncate: [], persist: [], wal: ['wal'] };

/** A method that fails: on a file of which kind, with which code of SQLite's, and what calls it. */
interface Failing {
  readonly method: FaultMethod;
  readonly kind?: number;
  readonly errcode: number;
  readonly act?: string;
}

const INSERT = fillSQL(1001, 1010);

const FAILING: Readonly<Record<string, Failing>> = {
  read: { method: 'read', kind: SQLITE_OPEN_MAIN_DB, errcode: 266, act: 'SELECT sum(length(v)) FROM t' },
  write: { method: 'write', kind: SQLITE_OPEN_MAIN_DB, errcode: 778 },
  'write-of-journal': { method: 'write', kind: SQLITE_OPEN_MAIN_JOURNAL, errcode: 778 },
  sync: { method: 'sync', kind: SQLITE_OPEN_MAIN_DB, errcode: 1034 },
  'sync-of-journal': { method: 'sync', kind: SQLITE_OPEN_MAIN_JOURNAL, errcode: 1034 },
  truncate: { method: 'truncate', kind: SQLITE_OPEN_MAIN_DB, errcode: 1546, act: 'VACUUM' },
  size: { method: 'size', kind: SQLITE_OPEN_MAIN_DB, errcode: 1802 },
  'open-of-journal': { method: 'open', kind: SQLITE_OPEN_MAIN_JOURNAL, errcode: 14 },
  'delete-of-journal': { method: 'delete', kind: SQLITE_OPEN_MAIN_JOURNAL, errcode: 2570 },
  exists: { method: 'exists', errcode: 3338 },
  lock: { method: 'lock', kind: SQLITE_OPEN_MAIN_DB, errcode: 3850 },
};

function needsOf(method: FaultMethod, kind: number | undefined): Need[] {
  if (method === 'lock') return ['own locks'];
  // Once a batch is committed there is no way back, so a sync that fails after it undoes nothing.
  return method === 'sync' || kind === SQLITE_OPEN_MAIN_JOURNAL ? ['journal files'] : [];
}

/** A database with a thousand rows and nothing in its cache, on a VFS that can be made to fail. */
async function faultyDatabase(place: SqlPlace, rows = 1000): Promise<[FaultVFS, SqlDatabase]> {
  const vfs = await place.faulty();
  await place.with('x.db', async (db) => {
    await db.exec(`PRAGMA journal_mode = delete; ${TABLE}; ${fillSQL(1, 2 * rows, 300)}`);
    // What is deleted leaves room that VACUUM can give back.
    await db.exec(`DELETE FROM t WHERE k > ${rows}`);
  });
  return [vfs, await place.open()];
}

export const faultCases = [
  ...Object.entries(FAILING).map(([name, { method, kind, errcode, act = INSERT }]) =>
    fault(`in-${name}`, needsOf(method, kind), async (place) => {
      const [vfs, db] = await faultyDatabase(place);
      const error = new RangeError('the tape is torn');
      const remove = vfs.add({ method, ...(kind === undefined ? {} : { kind }), error });
      const thrown = await failsWith(errcode, () => db.exec(act), `SQL while ${method} fails`);
      remove();
      ok(thrown.cause === error, 'the error of SQL does not have what the VFS threw as its cause');
      // The connection goes on.
      if (!(await isAutocommit(db))) await db.exec('ROLLBACK');
      await assertRows(db, 1000, 'after a call that failed');
      await db.exec(fillSQL(2001, 2010));
      equal(await db.value('SELECT count(*) FROM t'), 1010, 'rows when all is well again');
      await assertWhole(db, 'when all is well again');
      await db.close();
      await place.with('x.db', assertWhole);
    }),
  ),

  fault('in-open', [], async (place) => {
    const vfs = await place.faulty();
    const error = new RangeError('the tape is torn');
    const remove = vfs.add({ method: 'open', error });
    const thrown = await failsWith(14, () => place.open(), 'opening while open fails');
    remove();
    ok(thrown.cause === error, 'the error does not have what the VFS threw as its cause');
    await place.with('x.db', (db) => db.exec(`${TABLE}; ${fillSQL(1, 10)}`));
  }),

  fault('anywhere', [], async (place) => {
    // The n-th call of each method fails, for every n that a transaction has.
    const methods: FaultMethod[] = ['open', 'read', 'write', 'sync', 'truncate', 'size', 'delete', 'exists'];
    const vfs = await place.faulty();
    await place.with('x.db', (db) =>
      db.exec(`PRAGMA journal_mode = delete; ${TABLE}; ${fillSQL(1, 300, 300)}`),
    );
    let base = 300;
    for (const method of methods) {
      for (let nth = 1; nth < (place.full ? 1000 : 12); nth++) {
        const db = await place.open().catch(() => undefined);
        ok(db !== undefined, 'the database cannot be opened where nothing fails');
        await db.exec(SPILL);
        const before = vfs.calls(method);
        const remove = vfs.add({ method, nth });
        const failed = await db
          .exec(
            `BEGIN; UPDATE t SET v = v || 'x' WHERE k % 9 = 0; ${fillSQL(base + 1, base + 40, 300)}; COMMIT`,
          )
          .then(
            () => false,
            () => true,
          );
        remove();
        const reached = vfs.calls(method) - before >= nth;
        if (failed && !(await isAutocommit(db))) await db.exec('ROLLBACK').catch(() => {});
        await db.close().catch(() => {});
        base = await place.with('x.db', async (again) => {
          await assertWhole(again, `after ${method} number ${nth} failed`);
          const rows = Number(await again.value('SELECT max(k) FROM t'));
          ok(
            rows === base || rows === base + 40,
            `part of a transaction is there after ${method} number ${nth} failed`,
          );
          ok(
            failed || rows === base + 40,
            `a transaction that succeeded is gone, where ${method} number ${nth} failed`,
          );
          await assertRows(again, rows, `after ${method} number ${nth} failed`);
          return rows;
        });
        if (!reached) break;
      }
    }
  }),

  ...(['delete', 'wal'] as const).map((mode) =>
    space(`ends-in-${mode}`, mode === 'wal' ? ['wal'] : [], async (place) => {
      const vfs = await place.faulty();
      const open = async () => {
        const db = await place.open();
        if (mode === 'wal') await db.exec('PRAGMA locking_mode = exclusive');
        await setMode(db, mode);
        return db;
      };
      let db = await open();
      await db.exec(`${TABLE}; ${fillSQL(1, 300, 300)}`);
      let base = 300;
      const step = place.full ? 1 : 3;
      for (let nth = 1; nth < 400; nth += step) {
        await db.exec(SPILL);
        const before = vfs.calls('write');
        const error = new VFSError('SQLITE_FULL', 'there is no space');
        // It stays full, and the last write was cut short.
        const remove = vfs.add({ method: 'write', from: nth, error, bytes: 100 });
        const sql = `BEGIN; UPDATE t SET v = v || 'x' WHERE k % 9 = 0; ${fillSQL(base + 1, base + 60, 300)}; COMMIT`;
        const failure = await db.exec(sql).then(
          () => undefined,
          (error: { errcode?: number }) => error,
        );
        const reached = vfs.calls('write') - before >= nth;
        if (failure && !(await isAutocommit(db))) await db.exec('ROLLBACK').catch(() => {});
        remove();
        equal(
          failure === undefined ? FULL : (failure.errcode ?? 0) & 255,
          FULL,
          `code of a full store, write ${nth}`,
        );
        const rows = Number(await db.value('SELECT max(k) FROM t'));
        equal(rows, failure ? base : base + 60, `rows after space ended at write ${nth}`);
        await assertRows(db, rows, `after space ended at write ${nth}`);
        await assertWhole(db, `after space ended at write ${nth}`);
        await db.close();
        base = rows;
        db = await open();
        if (!reached) break;
      }
      await db.exec(fillSQL(base + 1, base + 500, 300));
      await assertRows(db, base + 500, 'once there is space again');
      await assertWhole(db);
    }),
  ),

  batch('needs-no-journal', [], async (place) => {
    const [vfs, db] = await faultyDatabase(place, 50);
    await db.value('SELECT count(*) FROM t');
    vfs.add({ method: 'open', kind: SQLITE_OPEN_MAIN_JOURNAL });
    vfs.add({ method: 'write', kind: SQLITE_OPEN_MAIN_JOURNAL });
    await db.exec(fillSQL(51, 60));
    vfs.clear();
    await assertRows(db, 60, 'after a commit as a batch');
    await assertWhole(db);
  }),

  batch('fails-as-a-whole', [], async (place) => {
    const [vfs, db] = await faultyDatabase(place, 500);
    for (let nth = 1; nth < 20; nth++) {
      const remove = vfs.add({ method: 'write', from: nth, error: new VFSError('SQLITE_FULL'), bytes: 10 });
      const failed = await db.exec(`UPDATE t SET v = v || 'x' WHERE k % 50 = 0`).then(
        () => false,
        () => true,
      );
      remove();
      await assertRows(db, 500, `after write ${nth} of a batch failed`);
      await assertWhole(db, `after write ${nth} of a batch failed`);
      if (!failed) break;
    }
  }),

  ...Object.entries(CRASH_MODES).flatMap(([mode, needs]) =>
    (['lost', 'kept', 'reordered', 'torn'] as const).map((unsynced) =>
      crash(`${unsynced}-in-${mode}`, needs, (place) => crashEverywhere(place, mode, unsynced)),
    ),
  ),

  crash('attached', ['attached databases'], async (place) => {
    const vfs = await place.faulty();
    for (const name of ['a.db', 'b.db']) {
      await place.with(name, (db) => db.exec(`PRAGMA synchronous = extra; ${TABLE}; ${fillSQL(1, 10)}`));
    }
    const recording = vfs.record();
    const db = await place.open('a.db');
    await db.run('ATTACH ? AS b', place.path('b.db'));
    await db.exec('PRAGMA synchronous = extra; PRAGMA b.synchronous = extra');
    for (const last of [8, 6, 4]) {
      await db.exec(`BEGIN; DELETE FROM main.t WHERE k > ${last}; DELETE FROM b.t WHERE k > ${last}; COMMIT`);
    }
    await db.close();
    for (const point of points(recording, place.full ? 1000 : 40)) {
      for (const unsynced of ['lost', 'kept', { reordered: point }] satisfies Unsynced[]) {
        await afterCrash(place, recording, point, unsynced, async (when) => {
          const counts: number[] = [];
          // The second file first: it has to find out about the other by itself.
          for (const name of ['b.db', 'a.db']) {
            await place.with(name, async (db) => {
              await assertWhole(db, when);
              counts.push(Number(await db.value('SELECT count(*) FROM t')));
            });
          }
          equal(counts[0], counts[1], `rows of both files ${when}`);
        });
      }
    }
  }),
];

/** Some of a recording's points, first and last among them. */
function points(recording: Recording, most: number): number[] {
  const all = recording.changes.length;
  const step = Math.max(1, all / most);
  const chosen = new Set([0, all]);
  for (let at = 0; at < all; at += step) chosen.add(Math.floor(at));
  return [...chosen].sort((a, b) => a - b);
}

/** Puts what a crash leaves into an empty place, and looks at it. */
async function afterCrash(
  place: SqlPlace,
  recording: Recording,
  point: number,
  unsynced: Unsynced,
  look: (when: string) => Promise<void>,
): Promise<void> {
  await place.unmount();
  const vfs = await place.mount((vfs) => vfs);
  await restore(vfs, recording.crashAt(point, unsynced));
  const how = typeof unsynced === 'string' ? unsynced : JSON.stringify(unsynced);
  await look(`after a crash at change ${point} of ${recording.changes.length}, unsynced ${how}`);
}

async function crashEverywhere(
  place: SqlPlace,
  mode: string,
  kind: 'lost' | 'kept' | 'reordered' | 'torn',
): Promise<void> {
  const vfs = await place.faulty();
  const recording = vfs.record();
  /** Of each transaction: how many changes there had been when it was durable, and what it left. */
  const durable: { changes: number; sum: number }[] = [{ changes: 0, sum: 0 }];
  const open = async () => {
    const db = await place.open();
    // Alone, so that a log needs no index; said before anything is read.
    if (mode === 'wal') await db.exec('PRAGMA locking_mode = exclusive');
    // It is EXTRA that makes the deletion of a journal durable.
    await db.exec('PRAGMA synchronous = extra; PRAGMA page_size = 1024');
    await setMode(db, mode);
    return db;
  };
  const db = await open();
  const random = new Random(mode.length);
  for (let i = 1; i <= 8; i++) {
    const sql = [
      i === 1 ? `${TABLE}; CREATE TABLE sum (n INTEGER); INSERT INTO sum VALUES (0)` : '',
      fillSQL(i * 100, i * 100 + random.below(80), 200),
      i % 3 === 0 ? `UPDATE t SET v = v || 'x' WHERE k % 5 = ${random.below(5)}` : '',
      i % 4 === 0 ? `DELETE FROM t WHERE k % 3 = ${random.below(3)}` : '',
      `UPDATE sum SET n = ${i}`,
    ];
    await db.exec(`BEGIN; ${sql.filter(Boolean).join('; ')}; COMMIT`);
    durable.push({ changes: recording.changes.length, sum: i });
  }
  await db.close();
  const seeds = place.full ? [1, 2, 3, 4, 5] : [1];
  for (const point of points(recording, place.full ? 10_000 : 30)) {
    for (const seed of kind === 'lost' || kind === 'kept' ? [0] : seeds) {
      const unsynced: Unsynced =
        kind === 'reordered'
          ? { reordered: point * 10 + seed }
          : kind === 'torn'
            ? { torn: point * 10 + seed }
            : kind;
      await afterCrash(place, recording, point, unsynced, async (when) => {
        const again = await open();
        await assertWhole(again, when);
        const tables = await again.value("SELECT count(*) FROM sqlite_schema WHERE name = 'sum'");
        const found = tables === 0 ? 0 : Number(await again.value('SELECT n FROM sum'));
        const least = durable.filter(({ changes }) => changes <= point).at(-1)?.sum ?? 0;
        ok(found >= least, `${when}: transaction ${least} was durable, and only ${found} of them are there`);
        ok(found <= least + 1, `${when}: transaction ${found} is there, which had not begun`);
        if (tables !== 0) await assertRows(again, Number(await again.value('SELECT count(*) FROM t')), when);
        await again.close();
      });
    }
  }
}

async function isAutocommit(db: SqlDatabase): Promise<boolean> {
  // A transaction within a transaction is an error.
  try {
    await db.exec('BEGIN');
  } catch {
    return false;
  }
  await db.exec('ROLLBACK');
  return true;
}
