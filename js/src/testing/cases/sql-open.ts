/** Databases by name: opened, found again, refused. */
import { equal, failsWith } from '../assert.js';
import { sqlCases } from '../case.js';
import type { SqlPlace } from '../sql-place.js';
import { assertWhole } from '../sql-place.js';
import { longestName, needsName, SHAPES } from './names.js';
import { assertRows, fillSQL, TABLE } from './sql-fill.js';

const open = sqlCases('sql-open');
const names = sqlCases('sql-names');
const readOnly = sqlCases('sql-read-only', 'read only');

const CANTOPEN = 14;
const READONLY = 8;

/** A database of this name is one of its own, with a journal of its own. */
async function isOwnDatabase(place: SqlPlace, name: string): Promise<void> {
  needsName(place.subject, place.path(name));
  for (const [file, rows] of [
    [name, 30],
    ['other.db', 20],
  ] as const) {
    await place.with(file, (db) => db.exec(`${TABLE}; ${fillSQL(1, rows)}; BEGIN; DELETE FROM t; ROLLBACK`));
  }
  await place.with(name, async (db) => {
    await assertRows(db, 30, 'when it is opened again');
    await db.exec(fillSQL(31, 40));
    await assertWhole(db);
  });
  await place.with('other.db', (db) => assertRows(db, 20, 'of another database'));
}

export const sqlOpenCases = [
  open('keeps-what-is-committed', [], async (place) => {
    await place.with('x.db', (db) => db.exec(`${TABLE}; ${fillSQL(1, 100)}`));
    await place.with('x.db', async (db) => {
      await assertRows(db, 100, 'when it is opened again');
      await assertWhole(db);
    });
  }),

  open('missing-is-refused', [], async (place) => {
    const path = encodeURIComponent(place.path('x.db'));
    await failsWith(CANTOPEN, () => place.openPath(`file:${path}?mode=rw`), 'opening a missing database');
    await failsWith(CANTOPEN, () => place.open('x.db', { readOnly: true }), 'opening one to read it');
    await place.with('x.db', (db) => db.exec(TABLE));
  }),

  open('to-read-writes-nothing', [], async (place) => {
    await place.with('x.db', (db) => db.exec(`${TABLE}; ${fillSQL(1, 10)}`));
    const reader = await place.open('x.db', { readOnly: true });
    await assertRows(reader, 10, 'for a reader');
    await failsWith(READONLY, () => reader.exec('DELETE FROM t'), 'writing by a reader');
    await assertRows(reader, 10, 'after the reader tried to write');
  }),

  open('by-uri', [], async (place) => {
    await place.with('x y.db', (db) => db.exec(`${TABLE}; ${fillSQL(1, 10)}`));
    const path = encodeURIComponent(place.path('x y.db'));
    const db = await place.openPath(`file:${path}?vfs=${encodeURIComponent(await place.vfsName())}`);
    await assertRows(db, 10, 'of a database by its URI');
  }),

  open('many-times', [], async (place) => {
    await place.with('x.db', (db) => db.exec(TABLE));
    const rounds = place.full ? 2000 : 150;
    for (let i = 1; i <= rounds; i++) await place.with('x.db', (db) => db.exec(fillSQL(i, i)));
    await place.with('x.db', (db) => assertRows(db, rounds, 'after all'));
  }),

  open('many-at-a-time', [], async (place) => {
    for (let i = 1; i <= 20; i++) {
      await (await place.open(`${i}.db`)).exec(`${TABLE}; BEGIN; ${fillSQL(1, i)}; COMMIT`);
    }
    for (let i = 1; i <= 20; i++) await assertRows(await place.open(`${i}.db`), i, `of database ${i}`);
  }),

  open('after-a-reload', ['reopening'], async (place) => {
    await place.with('x.db', (db) => db.exec(`${TABLE}; ${fillSQL(1, 1000)}`));
    await place.reopen();
    await place.with('x.db', async (db) => {
      await assertRows(db, 1000, 'after a reload');
      await assertWhole(db);
      await db.exec(fillSQL(1001, 1010));
    });
    await place.reopen();
    await place.with('x.db', (db) => assertRows(db, 1010, 'after another'));
  }),

  ...Object.entries(SHAPES).map(([shape, name]) => names(shape, [], (place) => isOwnDatabase(place, name))),

  ...Object.entries({ ascii: 'x', 'of-four-bytes': '😀' }).map(([kind, letter]) =>
    names(`longest-${kind}`, [], async (place) => {
      const before = place.path('');
      const name = longestName(await place.mounted(), letter, before).slice(before.length);
      await isOwnDatabase(place, name);
    }),
  ),

  readOnly('is-read', [], async (place) => {
    await place.mountWith('x.db', `${TABLE}; ${fillSQL(1, 1000)}`);
    const db = await place.open('x.db', { readOnly: true });
    await assertRows(db, 1000, 'of a database that was put in');
    await assertWhole(db);
  }),

  readOnly('is-not-written', [], async (place) => {
    await place.mountWith('x.db', `${TABLE}; ${fillSQL(1, 10)}`);
    const db = await place.open('x.db');
    await failsWith(READONLY, () => db.exec('DELETE FROM t'), 'writing');
    await assertRows(db, 10, 'after that');
    equal(await db.value('SELECT 1'), 1, 'what the connection answers afterwards');
  }),
];
