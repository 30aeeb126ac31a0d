// Whether a VFS answers promises is what it declares. How its functions look does not matter: a compiler for older engines makes
// plain functions of async ones, and libraries have promises of their own.

import { afterEach, beforeAll, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import {
  DatabaseSync,
  type FacadeVFS,
  init as initSync,
  registerVFS as registerSync,
  unregisterVFS as unregisterSync,
} from '../../src/index.js';
import { AsyncDatabase, init, registerVFS, unregisterVFS } from '../../src/jspi.js';

beforeAll(() => Promise.all([init(), initSync()]));
afterEach(() => unregisterVFS('declared'));

type Method = (...args: unknown[]) => unknown;

/** Each method of a MapVFS and of its files, made into another by `change`. */
function changed(change: (method: Method, name: string) => Method): FacadeVFS {
  const vfs = new MapVFS('declared');
  const all = (object: object, names: readonly string[]) => {
    const methods = object as Record<string, Method>;
    for (const name of names) methods[name] = change((methods[name] as Method).bind(object), name);
  };
  const open = vfs.open.bind(vfs);
  vfs.open = (path, flags) => {
    const file = open(path, flags);
    all(file, ['read', 'write', 'truncate', 'sync', 'size', 'close']);
    return file;
  };
  all(vfs, ['open', 'delete', 'exists']);
  return Object.assign(vfs, { async: true });
}

/** A promise that is none of the language's. */
const thenable = (value: unknown) => ({
  // biome-ignore lint/suspicious/noThenProperty: it is one
  then: (settled: (value: unknown) => void) => void setTimeout(settled, 0, value),
});

/** Does what an async function does, without being one. */
const plain =
  (method: Method): Method =>
  (...args) =>
    new Promise((resolve) => resolve(method(...args)));

const LATE = ['read', 'size', 'open'];

test.each<[string, (method: Method, name: string) => Method]>([
  [
    'async functions',
    (method) =>
      async (...args) =>
        method(...args),
  ],
  ['plain functions that answer promises', plain],
  [
    'functions that answer promises of a library',
    (method) =>
      (...args) =>
        thenable(method(...args)),
  ],
  ['functions that answer at once', (method) => method],
  ['functions of both kinds', (method, name) => (LATE.includes(name) ? plain(method) : method)],
])('methods may be %s', async (_, change) => {
  registerVFS(changed(change));
  const db = await AsyncDatabase.open('x.db', { vfs: 'declared' });
  await db.exec(
    "CREATE TABLE t (a); INSERT INTO t VALUES ('one'), (zeroblob(9000)); DELETE FROM t WHERE a > 'one'",
  );
  await db.exec('BEGIN; DELETE FROM t; ROLLBACK; VACUUM');
  expect(await (await db.prepare('SELECT a FROM t')).all()).toEqual([{ a: 'one' }]);
  await db.close();
});

test('the same VFS is refused by SQLite that does not wait, and works there when it declares nothing', async () => {
  const vfs = changed((method) => method);
  expect(() => registerSync(vfs)).toThrow('use sqlite-vfs-kit/jspi');
  registerSync(Object.assign(vfs, { async: undefined }));
  const db = new DatabaseSync('x.db', { vfs: 'declared' });
  db.exec('CREATE TABLE t (a)');
  db.close();
  unregisterSync('declared');
  registerVFS(Object.assign(vfs, { async: true }));
});

test('a file that is refused is closed before anybody is told', async () => {
  let closed = false;
  const vfs = changed((method, name) => async (...args) => {
    const answer = method(...args);
    if (name === 'open') Object.assign(answer as object, { sectorSize: () => 0 });
    if (name === 'close') {
      await new Promise((resolve) => setImmediate(resolve));
      closed = true;
    }
    return answer;
  });
  registerVFS(vfs);
  await expect(AsyncDatabase.open('x.db', { vfs: 'declared' })).rejects.toThrow('of sectorSize');
  expect(closed).toBe(true);
});
