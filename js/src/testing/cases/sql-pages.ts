/** Pages of every size, files that grow and shrink, and what is in between. */
import { equal, ok } from '../assert.js';
import { BORDERS, pattern } from '../bytes.js';
import { sqlCases } from '../case.js';
import { assertWhole } from '../sql-place.js';
import { assertRows, fillSQL, SPILL, TABLE } from './sql-fill.js';

const pages = sqlCases('pages');
const values = sqlCases('values');
const temporary = sqlCases('sql-temporary', 'temporary files');

const SIZES = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

export const pageCases = [
  ...SIZES.map((size) =>
    pages(`of-${size}`, [], async (place) => {
      await place.with('x.db', async (db) => {
        await db.exec(`PRAGMA page_size = ${size}; ${TABLE}; ${fillSQL(1, 1000, 300)}`);
        await db.exec(`${SPILL}; BEGIN; DELETE FROM t WHERE k % 2; ROLLBACK; DELETE FROM t WHERE k > 900`);
      });
      await place.with('x.db', async (db) => {
        equal(await db.value('PRAGMA page_size'), size, 'page size');
        await assertRows(db, 900, 'when it is opened again');
        await assertWhole(db);
      });
    }),
  ),

  pages('change-their-size', [], async (place) => {
    const db = await place.open();
    await db.exec(`PRAGMA journal_mode = delete; ${TABLE}; ${fillSQL(1, 500, 300)}`);
    for (const size of [...SIZES, 4096, 512, 65536]) {
      await db.exec(`PRAGMA page_size = ${size}; VACUUM`);
      equal(await db.value('PRAGMA page_size'), size, 'page size after VACUUM');
      await assertRows(db, 500, `with pages of ${size}`);
    }
    await assertWhole(db);
  }),

  pages('vacuum-shrinks', [], async (place) => {
    const db = await place.open();
    await db.exec(`${TABLE}; ${fillSQL(1, 3000, 1000)}`);
    const before = await db.value('PRAGMA page_count');
    await db.exec('DELETE FROM t WHERE k > 10; VACUUM');
    const now = await db.value('PRAGMA page_count');
    ok(Number(now) < Number(before) / 10, `VACUUM left ${String(now)} pages of ${String(before)}`);
    await db.close();
    await place.with('x.db', async (again) => {
      await assertRows(again, 10, 'when it is opened again');
      await again.exec(fillSQL(11, 3000, 1000));
      await assertWhole(again);
    });
  }),

  pages('vacuum-into-another-file', [], async (place) => {
    const db = await place.open();
    await db.exec(`${TABLE}; ${fillSQL(1, 500, 300)}`);
    await db.run('VACUUM INTO ?', place.path('copy.db'));
    await place.with('copy.db', async (copy) => {
      await assertRows(copy, 500, 'of the copy');
      await assertWhole(copy);
    });
  }),

  pages('auto-vacuum', [], async (place) => {
    const db = await place.open();
    await db.exec(`PRAGMA auto_vacuum = full; ${TABLE}; ${fillSQL(1, 2000, 500)}`);
    await db.exec('DELETE FROM t WHERE k > 100');
    equal(await db.value('PRAGMA freelist_count'), 0, 'free pages');
    await assertRows(db, 100, 'after it shrank');
    await db.exec(fillSQL(101, 1000, 500));
    await assertWhole(db);
  }),

  pages('incremental-auto-vacuum', [], async (place) => {
    const db = await place.open();
    await db.exec(
      `PRAGMA auto_vacuum = incremental; ${TABLE}; ${fillSQL(1, 2000, 500)}; DELETE FROM t WHERE k > 100`,
    );
    let free = Number(await db.value('PRAGMA freelist_count'));
    ok(free > 50, 'nothing is free');
    while (free > 0) {
      await db.all('PRAGMA incremental_vacuum(20)');
      const now = Number(await db.value('PRAGMA freelist_count'));
      ok(now < free, 'incremental_vacuum gives nothing back');
      free = now;
    }
    await db.exec(fillSQL(101, 300, 500));
    await assertRows(db, 300, 'after it shrank and grew');
    await db.close();
    await place.with('x.db', assertWhole);
  }),

  pages('grow-and-shrink', [], async (place) => {
    const db = await place.open();
    await db.exec(TABLE);
    for (let i = 0; i < (place.full ? 50 : 5); i++) {
      await db.exec(`BEGIN; ${fillSQL(1, 1500, 1000)}; COMMIT; DELETE FROM t; VACUUM`);
      equal(await db.value('PRAGMA page_count'), 2, 'pages of an empty table');
    }
    await assertWhole(db);
  }),

  values('blobs-of-many-sizes', [], async (place) => {
    const sizes = [0, 1, 100, ...BORDERS.flatMap((border) => [border - 1, border, border + 1]), 1_000_000];
    await place.with('x.db', async (db) => {
      await db.exec(TABLE);
      for (const size of sizes) await db.run('INSERT INTO t VALUES (?, ?)', size, pattern(size, size));
    });
    await place.with('x.db', async (db) => {
      for (const size of sizes) {
        const same = await db.value('SELECT v = ? FROM t WHERE k = ?', pattern(size, size), size);
        equal(same, 1, `a blob of ${size} bytes is what was written`);
      }
      await assertWhole(db);
    });
  }),

  values('texts-of-many-sizes', [], async (place) => {
    const sizes = [0, 1, 100, ...BORDERS.flatMap((border) => [border - 1, border, border + 1]), 300_000];
    const text = (size: number) => 'é😀x'.repeat(Math.ceil(size / 4)).slice(0, size);
    await place.with('x.db', async (db) => {
      await db.exec(TABLE);
      for (const size of sizes) await db.run('INSERT INTO t VALUES (?, ?)', size, text(size));
    });
    await place.with('x.db', async (db) => {
      for (const size of sizes) {
        equal(
          await db.value('SELECT v = ? FROM t WHERE k = ?', text(size), size),
          1,
          `a text of ${size} units`,
        );
      }
    });
  }),

  values('that-grow-and-shrink', [], async (place) => {
    const db = await place.open();
    await db.exec(`${TABLE}; INSERT INTO t VALUES (1, x'00'), (2, x'01')`);
    for (const size of [10, 5000, 70_000, 3, 300_000, 0, 4096]) {
      await db.run('UPDATE t SET v = ? WHERE k = 1', pattern(size));
      equal(
        await db.value('SELECT v = ? FROM t WHERE k = 1', pattern(size)),
        1,
        `a value that became ${size} bytes`,
      );
      equal(await db.value("SELECT v = x'01' FROM t WHERE k = 2"), 1, 'the value beside it');
    }
    await assertWhole(db);
  }),

  values('in-an-index', [], async (place) => {
    const db = await place.open();
    await db.exec(
      `${TABLE}; CREATE INDEX i ON t (v); ${fillSQL(1, 3000, 50)}; DELETE FROM t WHERE k % 3 = 0`,
    );
    equal(await db.value("SELECT count(*) FROM t INDEXED BY i WHERE v > ''"), 2000, 'rows by the index');
    await db.exec('REINDEX; ANALYZE');
    await assertWhole(db);
  }),

  temporary('sorts', [], async (place) => {
    const db = await place.open();
    await db.exec(`PRAGMA temp_store = file; PRAGMA cache_size = 10; ${TABLE}; ${fillSQL(1, 5000, 400)}`);
    const sorted = await db.column('SELECT v FROM t ORDER BY v DESC, k');
    equal(sorted.length, 5000, 'rows');
    ok(
      sorted.every((v, i) => i === 0 || String(sorted[i - 1]) >= String(v)),
      'a large sort is out of order',
    );
  }),

  temporary('index', [], async (place) => {
    const db = await place.open();
    await db.exec(`PRAGMA temp_store = file; PRAGMA cache_size = 10; ${TABLE}; ${fillSQL(1, 5000, 400)}`);
    await db.exec('CREATE INDEX i ON t (v)');
    await assertWhole(db);
  }),

  temporary('tables', [], async (place) => {
    const db = await place.open();
    await db.exec(
      `PRAGMA temp_store = file; PRAGMA temp.cache_size = 5; CREATE TEMP TABLE t (k INTEGER PRIMARY KEY, v)`,
    );
    await db.exec(`${fillSQL(1, 2000, 400)}; BEGIN; DELETE FROM t WHERE k > 5; ROLLBACK`);
    await assertRows(db, 2000, 'of a temporary table');
    equal((await db.column('PRAGMA temp.integrity_check')).join(), 'ok', 'integrity_check of it');
    const other = await place.open('y.db');
    equal(await other.value('SELECT count(*) FROM sqlite_temp_schema'), 0, 'tables of another connection');
  }),

  temporary('database-without-a-name', [], async (place) => {
    const db = await place.openPath('');
    await db.exec(`${SPILL}; ${TABLE}; ${fillSQL(1, 2000, 400)}`);
    await assertRows(db, 2000, 'of a database without a name');
    const other = await place.openPath('');
    equal(await other.value('SELECT count(*) FROM sqlite_schema'), 0, 'tables of another one');
  }),

  temporary('statement-journals', [], async (place) => {
    const db = await place.open();
    await db.exec(`PRAGMA temp_store = file; ${SPILL}; ${TABLE}; ${fillSQL(1, 2000, 300)}`);
    await db.exec(`BEGIN; SAVEPOINT a; UPDATE t SET v = 'x' || v; ROLLBACK TO a`);
    await assertRows(db, 2000, 'after a large savepoint was rolled back');
    await db.exec('COMMIT');
    await assertWhole(db);
  }),
];
