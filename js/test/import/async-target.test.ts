// Into a VFS whose methods answer promises, which is the other build's.

import { beforeAll, expect, test } from 'vitest';
import { importFrom } from '../../src/import.js';
import { AsyncDatabase, init, MemoryAsyncVFS, registerVFS } from '../../src/jspi.js';
import { nativeFiles, SONGS, walFiles } from './native.js';

const vfs = new MemoryAsyncVFS('slow shelf');
beforeAll(async () => {
  await init();
  registerVFS(vfs);
});

async function count(): Promise<unknown> {
  const db = await AsyncDatabase.open('songs.db', { vfs: 'slow shelf' });
  const row = await (await db.prepare('SELECT count(*) AS n FROM song')).get();
  await db.close();
  return row?.n;
}

test('a database arrives, and is replaced when asked', async () => {
  const small = nativeFiles((db) => db.exec(SONGS)).database;
  const { databases } = await importFrom(small, { vfs, path: 'songs.db' });
  expect(databases[0]).toMatchObject({ vfs: 'slow shelf', path: 'songs.db', replaced: false });
  expect(await count()).toBe(2);
  await expect(importFrom(small, { vfs, path: 'songs.db' })).rejects.toThrow(
    "There is a 'songs.db' on 'slow shelf' already",
  );
  const more = await importFrom(walFiles(), { vfs, path: 'songs.db', replace: true });
  expect(more.databases[0]).toMatchObject({ replaced: true, normalised: true });
  expect(await count()).toBe(2002);
});
