// The smallest VFS: what its files cost, and what they read as.

import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { DatabaseSync, init, registerVFS, unregisterVFS, VFS } from '../../src/index.js';

beforeAll(() => init());

let vfs: MapVFS;

beforeEach(() => {
  vfs = new MapVFS('small');
  registerVFS(vfs);
});

afterEach(() => unregisterVFS('small'));

test('growth costs what is written: 30 MB page by page are copied few times', () => {
  const file = vfs.open('x', VFS.SQLITE_OPEN_CREATE);
  const page = new Uint8Array(4096).fill(7);
  let copied = 0;
  let { data } = file.bytes;
  for (let at = 0; at < 30_000_000; at += page.length) {
    file.write(page, at);
    if (file.bytes.data !== data) copied += data.length;
    data = file.bytes.data;
  }
  expect(copied).toBeLessThan(2 * 30_000_000);
});

test('what was cut off reads as zeros when the file grows over it', () => {
  const file = vfs.open('x', VFS.SQLITE_OPEN_CREATE);
  file.write(new Uint8Array(100).fill(1), 0);
  file.truncate(10);
  file.write(new Uint8Array(10).fill(2), 60);
  file.truncate(90);
  const read = new Uint8Array(200).fill(9);
  expect(file.read(read, 0)).toBe(90);
  const expected = [...Array(10).fill(1), ...Array(50).fill(0), ...Array(10).fill(2), ...Array(20).fill(0)];
  expect([...read.subarray(0, 90)]).toEqual(expected);
  expect(file.read(read, 90)).toBe(0);
  expect(file.read(read, 1000)).toBe(0);
});

test('VACUUM makes the file as short as what is in it', () => {
  const db = new DatabaseSync('x.db', { vfs: 'small' });
  db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(5000000)); DELETE FROM t; VACUUM');
  db.close();
  expect(vfs.files.get('x.db')?.size).toBe(8192);
});
