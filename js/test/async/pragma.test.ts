import { expect, test } from 'vitest';
import { AsyncDatabase } from './subject.js';

test('pragma answers rows, or the one value', async () => {
  const db = new AsyncDatabase(':memory:');
  await db.exec('create table t(a, b); pragma user_version = 8');
  expect((await db.pragma('table_info(t)')).map(({ name }) => name)).toEqual(['a', 'b']);
  expect(await db.pragma('user_version', { simple: true })).toBe(8);
  expect(await db.pragma('user_version = 9', { simple: true })).toBe(undefined);
  await expect(db.pragma(5 as never)).rejects.toThrow('The "source" argument must be a string.');
  await expect(db.pragma('table_info(')).rejects.toMatchObject({ code: 'ERR_SQLITE_ERROR' });
  await db.close();
});
