// The VFS that takes every liberty the interface leaves, under SQLite.

import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RowVFS } from '../../examples/row-vfs.js';
import { DatabaseSync, init, registerVFS, unregisterVFS } from '../../src/index.js';

beforeAll(() => init());

let outer: DatabaseSync;
let vfs: RowVFS;

beforeEach(() => {
  outer = new DatabaseSync(':memory:');
  vfs = new RowVFS('rows', outer);
  registerVFS(vfs);
});

afterEach(() => {
  unregisterVFS('rows');
  outer.close();
});

const open = (path: string) => new DatabaseSync(path, { vfs: 'rows' });

const check = (db: DatabaseSync) =>
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });

describe.each(['delete', 'truncate', 'persist', 'memory'])('journal_mode=%s', (mode) => {
  test('commits, rolls back, and is there again', () => {
    const db = open('X.db');
    db.exec(
      `PRAGMA journal_mode = ${mode}; PRAGMA temp_store = file; CREATE TABLE t (n INTEGER PRIMARY KEY, bytes BLOB)`,
    );
    const insert = db.prepare('INSERT INTO t VALUES (?, ?)');
    const bytes = (n: number) => new Uint8Array((n * 977) % 20_000).fill(n);
    db.exec('BEGIN');
    for (let n = 1; n <= 60; n++) insert.run(n, bytes(n));
    db.exec('COMMIT; BEGIN; DELETE FROM t WHERE n % 2; UPDATE t SET bytes = zeroblob(5000); ROLLBACK');
    db.exec('SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s; DELETE FROM t WHERE n > 50; VACUUM');
    db.close();
    const again = open('x.DB');
    check(again);
    const rows = again.prepare('SELECT n, bytes FROM t').all() as { n: number; bytes: Uint8Array }[];
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    for (const row of rows) expect(row.bytes).toEqual(bytes(row.n));
    again.close();
    expect(vfs.commits).toBeGreaterThan(3);
  });
});

test('a sort that needs temporary files leaves none behind', () => {
  const db = open('sorted.db');
  db.exec(`PRAGMA temp_store = file; PRAGMA cache_size = 10; CREATE TABLE t (a);
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO t SELECT printf('%05d %s', (i * 7919) % 3000, hex(zeroblob(100))) FROM n`);
  const sorted = db.prepare('SELECT substr(a, 1, 5) AS a FROM t ORDER BY a', { returnArrays: true }).all();
  expect(sorted.flat()).toEqual(Array.from({ length: 3000 }, (_, i) => String(i).padStart(5, '0')));
  db.close();
  expect(outer.prepare('SELECT name FROM file').all()).toEqual([{ name: 'sorted.db' }]);
});

test('connections lock each other out', () => {
  const [one, two] = [open('x.db'), open('x.db')];
  one.exec('CREATE TABLE t (a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
  expect(() => two.exec('BEGIN IMMEDIATE')).toThrow('database is locked');
  two.exec('BEGIN; SELECT * FROM t');
  expect(() => one.exec('COMMIT')).toThrow('database is locked');
  two.exec('COMMIT');
  one.exec('COMMIT');
  expect(two.prepare('SELECT a FROM t').all()).toEqual([{ a: 1 }]);
  one.close();
  two.close();
});

test('a journal that was left behind is played back', () => {
  const db = open('x.db');
  db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(20000))');
  db.exec('PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE t SET a = randomblob(20000)');
  // What is in the rows now is what a crash would leave.
  const left = new DatabaseSync(':memory:');
  left.deserialize(outer.serialize());
  db.close();
  unregisterVFS('rows');
  registerVFS(new RowVFS('rows', left));
  const again = open('x.db');
  check(again);
  expect(again.prepare('SELECT a = zeroblob(20000) AS same FROM t').get()).toEqual({ same: 1 });
  again.close();
  left.close();
});

test('pragmas and file controls of its own', () => {
  const db = open('x.db');
  db.exec('CREATE TABLE t (a)');
  expect(db.prepare('PRAGMA pieces', { returnArrays: true }).get()).toEqual(['9']);
  expect(db.prepare('PRAGMA quiet').all()).toEqual([]);
  expect(() => db.exec('PRAGMA mmap_size = 1000')).toThrow('rows are not mapped into memory');
  db.close();
});
