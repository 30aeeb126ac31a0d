// A VFS written in JavaScript, used for long: nothing is left of what was opened, done, and failed.

import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { DatabaseSync, init, registerVFS, unregisterVFS, VFSError } from '../../src/index.js';
import { engine } from '../../src/init.js';

beforeAll(() => init());

const COUNT = process.env.SQLITE_VFS_KIT_FULL ? 200_000 : 4000;

let vfs: MapVFS;

beforeEach(() => {
  vfs = new MapVFS('long');
  registerVFS(vfs);
});

afterEach(() => unregisterVFS('long'));

/** Memory must be as large after `COUNT` steps as after a quarter of them. */
function steady(step: (i: number) => void): void {
  for (let i = 0; i < COUNT / 4; i++) step(i);
  const before = engine().memory.u8.length;
  for (let i = COUNT / 4; i < COUNT; i++) step(i);
  expect(engine().memory.u8.length).toBe(before);
}

test(`${COUNT} transactions, each with a journal that is made and deleted`, () => {
  const db = new DatabaseSync('x.db', { vfs: 'long' });
  db.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b)');
  const update = db.prepare('INSERT OR REPLACE INTO t VALUES (?, ?)');
  steady((i) => update.run(i % 500, `value ${i}`));
  db.close();
  expect([...vfs.files.keys()]).toEqual(['x.db']);
});

test('databases that are opened and closed', () => {
  steady((i) => {
    const db = new DatabaseSync(`${i % 3}.db`, { vfs: 'long' });
    db.exec('PRAGMA user_version');
    db.close();
  });
});

test('errors', () => {
  const db = new DatabaseSync('x.db', { vfs: 'long' });
  db.exec('CREATE TABLE t (a)');
  Object.assign(vfs, {
    open() {
      throw new VFSError('SQLITE_CANTOPEN', 'x'.repeat(1000));
    },
  });
  steady((i) => expect(() => db.exec(`INSERT INTO t VALUES (${i})`)).toThrow('xxx'));
  delete (vfs as Partial<MapVFS>).open;
  db.exec('INSERT INTO t VALUES (1)');
  expect(db.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 1 });
  db.close();
});
