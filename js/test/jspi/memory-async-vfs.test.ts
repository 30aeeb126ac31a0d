// MemoryAsyncVFS: a store all of whose methods are waited for. Real JSPI only.

import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AsyncDatabase, init, MemoryAsyncVFS, registerVFS, unregisterVFS, VFS } from '../../src/jspi.js';
import { cases, type SqlEngine, type Subject } from '../../src/testing.js';

beforeAll(() => init());

const engine: SqlEngine = {
  init,
  register: registerVFS,
  unregister: unregisterVFS,
  open: (path, options) => AsyncDatabase.open(path, options),
};

const subject: Subject<MemoryAsyncVFS> = { name: 'memory-async', create: () => new MemoryAsyncVFS() };

/** What it has not, or not of what other stores have. */
const lacking = ['read only', 'reopening', 'own locks', 'full names', 'large files', 'journal files', 'sync'];

describe('what SQLite expects of it', () => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const expected = one.needs.some((need) => lacking.includes(need)) ? 'not promised' : 'passed';
    expect((await one.run(subject, { engine })).outcome).toBe(expected);
  });
});

describe.each<['microtask' | number]>([['microtask'], [1]])('with a delay of %s', (delay) => {
  beforeEach(() => registerVFS(new MemoryAsyncVFS('slow', { delay })));
  afterEach(() => unregisterVFS('slow'));

  test('keeps a database that is closed and opened again', async () => {
    const first = new AsyncDatabase('kept.db', { vfs: 'slow' });
    await first.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1), ('two')");
    expect(first.store).toBe('slow');
    await first.close();
    const second = new AsyncDatabase('kept.db', { vfs: 'slow' });
    const all = await second.prepare('SELECT a FROM t');
    expect(await all.all()).toEqual([{ a: 1 }, { a: 'two' }]);
    await second.close();
  });

  test.each(['delete', 'truncate', 'persist', 'wal'])('in journal mode %s', async (mode) => {
    const db = new AsyncDatabase('mode.db', { vfs: 'slow' });
    const pragma = await db.prepare(`PRAGMA journal_mode=${mode}`);
    expect(await pragma.get()).toEqual({ journal_mode: mode });
    await db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    await db.exec('BEGIN; INSERT INTO t VALUES (2); ROLLBACK');
    // Another connection, beside it.
    const other = new AsyncDatabase('mode.db', { vfs: 'slow' });
    expect(await (await other.prepare('SELECT a FROM t')).all()).toEqual([{ a: 1 }]);
    expect(await (await other.prepare('PRAGMA integrity_check')).get()).toEqual({ integrity_check: 'ok' });
    await other.close();
    await db.close();
  });
});

test('is called memory-async, and waits for a microtask, unless told otherwise', async () => {
  const vfs = new MemoryAsyncVFS();
  expect(vfs.name).toBe('memory-async');
  const order: string[] = [];
  const asked = vfs.exists('x').then(() => order.push('answered'));
  order.push('asked');
  setTimeout(() => order.push('timer'));
  await asked;
  expect(order).toEqual(['asked', 'answered']);
});

describe('a file', () => {
  const open = (path: string | null, flags = VFS.SQLITE_OPEN_CREATE) =>
    new MemoryAsyncVFS().open(path, flags);
  const contentOf = async (file: Awaited<ReturnType<typeof open>>) => {
    const bytes = new Uint8Array(await file.size());
    expect(await file.read(bytes, 0)).toBe(bytes.length);
    return bytes;
  };

  test('is read and written across chunks, with zeros where nothing was written', async () => {
    const file = await open(null);
    await file.write(new Uint8Array(10).fill(7), 65_531);
    const content = await contentOf(file);
    expect(content).toHaveLength(65_541);
    expect(content.subarray(0, 65_531).every((byte) => byte === 0)).toBe(true);
    expect(content.subarray(65_531).every((byte) => byte === 7)).toBe(true);
    expect(await file.read(new Uint8Array(10), 65_540)).toBe(1);
    expect(await file.read(new Uint8Array(10), 100_000)).toBe(0);
  });

  test('is zero where it was cut off and grew again', async () => {
    const file = await open(null);
    await file.write(new Uint8Array(100).fill(7), 0);
    await file.truncate(40);
    await file.truncate(100);
    const content = await contentOf(file);
    expect(content.subarray(0, 40)).toEqual(new Uint8Array(40).fill(7));
    expect(content.subarray(40)).toEqual(new Uint8Array(60));
  });

  test('is as it was after a batch that is rolled back', async () => {
    const file = await open(null);
    await file.write(
      new Uint8Array(5000).map((_, i) => i),
      0,
    );
    const before = await contentOf(file);
    await file.fileControl?.(VFS.SQLITE_FCNTL_BEGIN_ATOMIC_WRITE, 0);
    await file.write(new Uint8Array(4096).fill(1), 0);
    await file.write(new Uint8Array(4096).fill(2), 0);
    await file.write(new Uint8Array(100_000).fill(3), 4096);
    await file.fileControl?.(VFS.SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE, 0);
    expect(await contentOf(file)).toEqual(before);
    await file.truncate(10_000);
    expect((await contentOf(file)).subarray(5000)).toEqual(new Uint8Array(5000));
  });

  test('has what a batch wrote after it is committed, and a rollback later changes nothing', async () => {
    const file = await open(null);
    await file.fileControl?.(VFS.SQLITE_FCNTL_BEGIN_ATOMIC_WRITE, 0);
    await file.write(new Uint8Array(10).fill(1), 0);
    await file.fileControl?.(VFS.SQLITE_FCNTL_COMMIT_ATOMIC_WRITE, 0);
    await file.fileControl?.(VFS.SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE, 0);
    expect(await contentOf(file)).toEqual(new Uint8Array(10).fill(1));
  });

  test('is made only when asked to be, and gone when it was to be', async () => {
    const vfs = new MemoryAsyncVFS();
    await expect(vfs.open('a', VFS.SQLITE_OPEN_READWRITE)).rejects.toThrow("there is no file 'a'");
    const file = await vfs.open('a', VFS.SQLITE_OPEN_CREATE | VFS.SQLITE_OPEN_DELETEONCLOSE);
    expect(await vfs.exists('a')).toBe(true);
    await expect(vfs.open('a', VFS.SQLITE_OPEN_CREATE | VFS.SQLITE_OPEN_EXCLUSIVE)).rejects.toThrow(
      "'a' exists already",
    );
    await file.close();
    expect(await vfs.exists('a')).toBe(false);
  });
});
