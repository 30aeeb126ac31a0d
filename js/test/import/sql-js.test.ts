// What sql.js exports.

import initSqlJs, { type SqlJsStatic } from 'sql.js';
import { beforeAll, expect, test } from 'vitest';
import { importFrom } from '../../src/import.js';
import { DatabaseSync, getVFS, init } from '../../src/index.js';
import { MANY, SONGS } from './native.js';

let sqlJs: SqlJsStatic;
beforeAll(async () => {
  await init();
  sqlJs = await initSqlJs();
});

test('an export of sql.js', async () => {
  const theirs = new sqlJs.Database();
  theirs.exec(`${SONGS}; ${MANY}; PRAGMA user_version = 7`);
  const exported = theirs.export();
  const before = exported.slice();
  const { databases } = await importFrom(exported, { path: 'songs.db' });
  expect(databases[0]).toMatchObject({
    size: exported.length,
    journalMode: 'rollback',
    check: { pragma: 'integrity_check', result: 'ok' },
  });
  expect(exported).toEqual(before);
  expect(getVFS().export('songs.db')).toEqual(before);
  const db = new DatabaseSync('songs.db');
  const sql = 'SELECT title, year FROM song ORDER BY id';
  expect(db.prepare(sql, { returnArrays: true }).all()).toEqual(theirs.exec(sql)[0]?.values);
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 7 });
  db.close();
  theirs.close();
});
