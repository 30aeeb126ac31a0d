// What opening a file of a VFS leaves behind when it fails, and how long names may be.

import { afterEach, beforeAll, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { DatabaseSync, init, registerVFS, unregisterVFS, VFSError } from '../../src/index.js';
import { engine } from '../../src/init.js';
import { errorOf } from './thrown.js';

beforeAll(() => init());

/** A medium on which a file can be open once at a time, like a handle of the origin private file system. */
class HandleVFS extends MapVFS {
  readonly taken = new Set<string | null>();
  opened = 0;
  closed = 0;
  /** What becomes of a file before it is handed out. */
  change: (file: object, path: string | null) => object = (file) => file;

  constructor() {
    super('handles');
  }

  override open(path: string | null, flags: number) {
    if (this.taken.has(path)) throw new VFSError('SQLITE_CANTOPEN', `'${path}' is open elsewhere`);
    const file = super.open(path, flags);
    this.taken.add(path);
    this.opened++;
    const close = () => {
      this.taken.delete(path);
      this.closed++;
    };
    return this.change(Object.assign(file, { close }), path) as typeof file;
  }
}

let vfs: HandleVFS;

function use(): HandleVFS {
  vfs = new HandleVFS();
  registerVFS(vfs);
  return vfs;
}

afterEach(() => {
  unregisterVFS('handles');
  expect([...vfs.taken]).toEqual([]);
  expect(vfs.closed).toBe(vfs.opened);
});

const open = (path = 'x.db', options = {}) => new DatabaseSync(path, { vfs: 'handles', ...options });

test('a file that is not there and may not be made: its words, and nothing is closed that was not opened', () => {
  use();
  const memory = () => engine().memory.u8.length;
  const refused = () => errorOf(() => open('x.db', { readOnly: true }));
  for (let i = 0; i < 100; i++) refused();
  const before = memory();
  for (let i = 0; i < 1000; i++) refused();
  expect(memory()).toBe(before);
  expect(refused()).toMatchObject({
    errcode: 14,
    message: "unable to open database file: handles.open: there is no file 'x.db'",
  });
  expect(vfs.opened).toBe(0);
  expect([...vfs.files.keys()]).toEqual([]);
  const db = open();
  db.exec('CREATE TABLE t (a)');
  db.close();
});

test.each<[string, (file: object) => object]>([
  ['lacks a method', (file) => Object.assign(file, { size: undefined })],
  ['locks by halves', (file) => Object.assign(file, { lock() {} })],
  ['has half a WAL index', (file) => Object.assign(file, { walIndex: {} })],
  ['has no sectors', (file) => Object.assign(file, { sectorSize: () => 0 })],
  [
    'fails when it is asked for its sectors',
    (file) =>
      Object.assign(file, {
        sectorSize() {
          throw new Error('no sectors');
        },
      }),
  ],
])('a file that %s is closed when it is refused', (_, change) => {
  use().change = change;
  expect(errorOf(() => open()).errcode).toBe(14);
  expect(vfs.opened).toBe(1);
  vfs.change = (file) => file;
  open().close();
});

test('a file that is refused and fails to close is refused with its first reason', () => {
  const close = () => {
    vfs.taken.clear();
    vfs.closed++;
    throw new Error('stuck');
  };
  use().change = (file) => Object.assign(file, { close, sectorSize: () => 0 });
  expect(errorOf(() => open()).message).toContain('of sectorSize');
});

test('whichever of several files cannot be opened, the others are closed', () => {
  use();
  const sql = `PRAGMA temp_store = file; CREATE TABLE t (a); ATTACH 'y.db' AS y; CREATE TABLE y.t (a);
    BEGIN; INSERT INTO main.t VALUES (1); INSERT INTO y.t VALUES (1); COMMIT; VACUUM`;
  let failed = 0;
  for (let nth = 1; ; nth++) {
    vfs.files.clear();
    let opened = 0;
    const refuse = new VFSError('SQLITE_CANTOPEN', 'no more handles');
    Object.assign(vfs, {
      open(path: string | null, flags: number) {
        if (++opened === nth) throw refuse;
        return HandleVFS.prototype.open.call(vfs, path, flags);
      },
    });
    let db: DatabaseSync | undefined;
    try {
      db = open();
      db.exec(sql);
    } catch (error) {
      failed++;
      expect((error as Error).message).toContain('no more handles');
    }
    db?.close();
    expect([...vfs.taken]).toEqual([]);
    if (opened < nth) break;
  }
  // The two databases, their journals, that of the two together, and what VACUUM makes.
  expect(failed).toBeGreaterThan(6);
});

test('names up to the limit of the VFS work with all that belongs to them; longer ones are refused before it is asked', () => {
  const limited = Object.assign(new HandleVFS(), { maxPathname: 100 });
  vfs = limited;
  registerVFS(vfs);
  for (const name of ['x'.repeat(100), 'é'.repeat(50), '😀'.repeat(25)]) {
    for (const mode of ['delete', 'truncate', 'persist', 'wal']) {
      const db = open(name);
      db.exec(
        `PRAGMA locking_mode = exclusive; PRAGMA journal_mode = ${mode}; CREATE TABLE t (a); DROP TABLE t`,
      );
      db.close();
    }
    expect([...vfs.files.keys()].filter((file) => file.startsWith(name))).toContain(name);
  }
  const { opened } = vfs;
  for (const name of ['x'.repeat(101), 'é'.repeat(51), '😀'.repeat(26)]) {
    const error = errorOf(() => open(name));
    expect(error.errcode).toBe(782); // CANTOPEN_FULLPATH
    expect(error.message).toContain('100');
  }
  expect(vfs.opened).toBe(opened);
});
