/** Every journal mode with every `synchronous`. Mode `off` is not among them: a connection that is `defensive` has none. */
import { equal, failsWith } from '../assert.js';
import { sqlCases } from '../case.js';
import type { SqlDatabase } from '../engine.js';
import type { Need } from '../needs.js';
import { assertWhole, type SqlPlace } from '../sql-place.js';
import { assertRows, fillSQL, SPILL, setMode, TABLE } from './sql-fill.js';

const journal = sqlCases('journal');
const transaction = sqlCases('transaction');
const attached = sqlCases('attached', 'attached databases');

const SYNCHRONOUS = ['off', 'normal', 'full', 'extra'];
const FILE_MODES = ['delete', 'truncate', 'persist', 'memory'];

/** Modes, the locking mode in which each is used, and what it needs. */
const MODES: readonly [name: string, mode: string, exclusive: boolean, needs: Need[]][] = [
  ...FILE_MODES.map((mode): [string, string, boolean, Need[]] => [mode, mode, false, []]),
  ['wal', 'wal', false, ['shared wal']],
  ['wal-exclusive', 'wal', true, ['wal']],
];

const CONSTRAINT = 19;

async function openIn(place: SqlPlace, mode: string, exclusive: boolean, more = ''): Promise<SqlDatabase> {
  const db = await place.open();
  if (exclusive) await db.exec('PRAGMA locking_mode = exclusive');
  await setMode(db, mode);
  await db.exec(more);
  return db;
}

export const journalCases = [
  ...MODES.flatMap(([name, mode, exclusive, needs]) =>
    SYNCHRONOUS.map((synchronous) =>
      journal(`${name}-${synchronous}`, needs, async (place) => {
        const db = await openIn(place, mode, exclusive, `PRAGMA synchronous = ${synchronous}; ${TABLE}`);
        await db.exec(fillSQL(1, 100));
        await db.exec(`BEGIN; ${fillSQL(101, 200)}; COMMIT`);
        await db.exec(`BEGIN; DELETE FROM t WHERE k > 50; ${fillSQL(1000, 1100)}; ROLLBACK`);
        await assertRows(db, 200, 'after a transaction was rolled back');
        // The same, beyond what the cache holds.
        await db.exec(`${SPILL}; BEGIN; ${fillSQL(201, 2000, 500)}; ROLLBACK`);
        await assertRows(db, 200, 'after a large transaction was rolled back');
        await db.exec(`BEGIN; ${fillSQL(201, 2000, 500)}; UPDATE t SET v = v || 'x' WHERE k % 7 = 0; COMMIT`);
        await assertRows(db, 2000, 'after a large transaction');
        await db.exec('DELETE FROM t WHERE k > 500');
        await assertWhole(db);
        await db.close();
        await place.with('x.db', async (again) => {
          if (exclusive) await again.exec('PRAGMA locking_mode = exclusive');
          await assertRows(again, 500, 'when it is opened again');
          await assertWhole(again);
        });
      }),
    ),
  ),

  journal('each-leads-to-each', [], async (place) => {
    const db = await place.open();
    await db.exec(TABLE);
    let rows = 0;
    for (const from of FILE_MODES) {
      for (const to of FILE_MODES) {
        for (const mode of [from, to]) {
          await setMode(db, mode);
          await db.exec(fillSQL(rows + 1, rows + 2));
          rows += 2;
        }
      }
    }
    await assertRows(db, rows, 'after all');
    await assertWhole(db);
  }),

  journal('wal-and-back', ['wal'], async (place) => {
    const db = await place.open();
    await db.exec(`PRAGMA locking_mode = exclusive; ${TABLE}`);
    let rows = 0;
    for (const mode of [...FILE_MODES, ...FILE_MODES]) {
      for (const next of ['wal', mode]) {
        await setMode(db, next);
        await db.exec(fillSQL(rows + 1, rows + 10));
        rows += 10;
      }
    }
    await assertRows(db, rows, 'after all');
    await assertWhole(db);
  }),

  ...FILE_MODES.map((mode) =>
    transaction(`statement-is-undone-in-${mode}`, [], async (place) => {
      const db = await openIn(place, mode, false, `${TABLE}; CREATE UNIQUE INDEX i ON t (v); ${SPILL}`);
      await db.exec(`BEGIN; ${fillSQL(1, 500, 300)}`);
      await failsWith(
        CONSTRAINT,
        () => db.exec('UPDATE t SET v = CASE WHEN k < 490 THEN v || k ELSE 1 END'),
        'a statement that breaks a constraint half way through',
      );
      await assertRows(db, 500, 'after a statement failed');
      await db.exec('COMMIT');
      await assertRows(db, 500, 'after the transaction was committed');
      await assertWhole(db);
    }),
  ),

  transaction('savepoints', [], async (place) => {
    const db = await place.open();
    await db.exec(
      `${TABLE}; ${SPILL}; BEGIN; ${fillSQL(1, 100, 500)}; SAVEPOINT a; ${fillSQL(101, 300, 500)}`,
    );
    await db.exec(`SAVEPOINT b; ${fillSQL(301, 900, 500)}; UPDATE t SET v = 'x'; ROLLBACK TO b`);
    await assertRows(db, 300, 'after the inner savepoint');
    await db.exec('DELETE FROM t; RELEASE b; ROLLBACK TO a');
    await assertRows(db, 100, 'after the outer savepoint');
    await db.exec(`${fillSQL(101, 120, 500)}; RELEASE a; COMMIT`);
    await assertRows(db, 120, 'after all');
    await assertWhole(db);
  }),

  transaction('savepoint-without-transaction', [], async (place) => {
    const db = await place.open();
    await db.exec(`${TABLE}; SAVEPOINT a; ${fillSQL(1, 50)}; ROLLBACK TO a; ${fillSQL(1, 20)}; RELEASE a`);
    await assertRows(db, 20, 'after it was released');
  }),

  transaction('schema-is-undone', [], async (place) => {
    const db = await place.open();
    await db.exec(
      `${TABLE}; ${fillSQL(1, 100)}; BEGIN; DROP TABLE t; CREATE TABLE u (a); CREATE INDEX i ON u (a)`,
    );
    await db.exec('ROLLBACK');
    equal((await db.column('SELECT name FROM sqlite_schema')).join(), 't', 'what the schema has');
    await assertRows(db, 100, 'of a table that was dropped and is back');
  }),

  transaction('is-undone-by-closing', [], async (place) => {
    await place.with('x.db', (db) => db.exec(`${TABLE}; ${fillSQL(1, 10)}`));
    await place.with('x.db', (db) => db.exec(`${SPILL}; BEGIN; ${fillSQL(11, 1000, 500)}`));
    await place.with('x.db', async (db) => {
      await assertRows(db, 10, 'after a connection was closed within a transaction');
      await assertWhole(db);
    });
  }),

  transaction('is-undone-after-a-reload', ['reopening'], async (place) => {
    for (const mode of ['delete', 'truncate', 'persist']) {
      const name = `${mode}.db`;
      await place.with(name, (db) => db.exec(`${TABLE}; ${fillSQL(1, 1000, 200)}`));
      const db = await place.open(name);
      await setMode(db, mode);
      // Part of it is in the file already, and the journal is all that says how it was.
      await db.exec(`${SPILL}; BEGIN; UPDATE t SET v = 'gone'; ${fillSQL(1001, 2000, 300)}`);
      await place.reopen();
      await place.with(name, async (again) => {
        await assertRows(again, 1000, `after a reload in the middle of a transaction, ${mode}`);
        await assertWhole(again);
      });
      await db.close().catch(() => {});
    }
  }),

  ...[...FILE_MODES, 'wal'].map((mode) =>
    attached(`both-or-none-in-${mode}`, mode === 'wal' ? ['shared wal'] : [], async (place) => {
      for (const name of ['a.db', 'b.db']) {
        await place.with(name, async (db) => {
          await setMode(db, mode);
          await db.exec(`${TABLE}; ${fillSQL(1, 10)}`);
        });
      }
      const db = await place.open('a.db');
      await db.run('ATTACH ? AS b', place.path('b.db'));
      if (mode !== 'wal') await db.exec(`PRAGMA journal_mode = ${mode}; PRAGMA b.journal_mode = ${mode}`);
      await db.exec('BEGIN; DELETE FROM main.t; DELETE FROM b.t; ROLLBACK');
      equal(
        await db.value('SELECT (SELECT count(*) FROM main.t) + (SELECT count(*) FROM b.t)'),
        20,
        'rows of both',
      );
      await db.exec('BEGIN; DELETE FROM main.t WHERE k > 5; DELETE FROM b.t WHERE k > 5; COMMIT');
      await db.close();
      for (const name of ['a.db', 'b.db']) {
        await place.with(name, async (db) => {
          await assertRows(db, 5, `of ${name}`);
          await assertWhole(db);
        });
      }
    }),
  ),

  attached('with-the-longest-names', [], async (place) => {
    const before = place.path('');
    const room = ((await place.mounted())?.maxPathname ?? 1024) - new TextEncoder().encode(before).length;
    const [a, b] = ['a'.repeat(room), 'b'.repeat(room)];
    for (const name of [a, b]) await place.with(name, (db) => db.exec(`${TABLE}; ${fillSQL(1, 10)}`));
    const db = await place.open(a);
    await db.run('ATTACH ? AS b', place.path(b));
    await db.exec('BEGIN; DELETE FROM main.t WHERE k > 5; DELETE FROM b.t WHERE k > 5; COMMIT');
    await db.close();
    for (const name of [a, b]) await place.with(name, (db) => assertRows(db, 5, 'of one with a long name'));
  }),
];
