import { beforeAll, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';

let db: DatabaseSync;

beforeAll(async () => {
  await init();
  db = new DatabaseSync(':memory:');
  db.exec('create table t(a, b)');
});

test('its rows', () => {
  expect(db.pragma('table_info(t)').map(({ name }) => name)).toEqual(['a', 'b']);
  expect(db.pragma('user_version = 7')).toEqual([]);
});

test('its one value', () => {
  db.exec('pragma user_version = 8');
  expect(db.pragma('user_version', { simple: true })).toBe(8);
  expect(db.pragma('user_version = 9', { simple: true })).toBe(undefined);
});

test('what is wrong is named', () => {
  expect(() => db.pragma(5 as never)).toThrowError('The "source" argument must be a string.');
  expect(() => db.pragma('x', { simple: 1 as never })).toThrowError(
    'The "options.simple" argument must be a boolean.',
  );
  expect(() => db.pragma('table_info(')).toThrowError(expect.objectContaining({ code: 'ERR_SQLITE_ERROR' }));
  expect(() => new DatabaseSync(':memory:', { open: false }).pragma('x')).toThrowError(
    'database is not open',
  );
});
