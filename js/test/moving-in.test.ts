// The guides for those who come from elsewhere and have Node: the program before, on the peer itself, then the one after.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { DatabaseSync, getVFS, init } from '../src/index.js';
import { guideOf, outputOf } from './guide.js';

// Inside the project, so that the packages are found by their names.
const target = new URL(`../../target/moving-in-${process.pid}/`, import.meta.url);

afterAll(() => rmSync(target, { recursive: true, force: true }));
afterEach(async () => {
  await init();
  const memory = getVFS();
  for (const { name } of memory.list()) memory.delete(name);
});

async function printed(file: URL): Promise<string[]> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    await import(/* @vite-ignore */ file.href);
    return log.mock.calls.map((words) => words.join(' '));
  } finally {
    log.mockRestore();
  }
}

/** It is compiled when it is installed, and not everywhere that is possible. */
const hasBetterSqlite3 = existsSync(new URL('better-sqlite3/node_modules/better-sqlite3', import.meta.url));

describe.each([
  ['coming-from-sql-js', true],
  ['coming-from-better-sqlite3', hasBetterSqlite3],
])('%s', (name, hasPeer) => {
  const guide = guideOf(name);
  const folder = new URL(`${name}/`, target);
  mkdirSync(folder, { recursive: true });
  for (const { name, code } of guide.blocks) writeFileSync(new URL(name, folder), code);

  test.skipIf(!hasPeer)('before.js prints what it says', async () => {
    expect(await printed(new URL('before.js', folder))).toEqual(outputOf(guide));
    expect(existsSync(new URL('songs.sqlite', folder))).toBe(true);
  });

  test('after.js prints the same', async () => {
    if (!hasPeer) writeFileSync(new URL('songs.sqlite', folder), await theirs());
    expect(await printed(new URL('after.js', folder))).toEqual(outputOf(guide));
  });
});

/** The database that `before.js` leaves. */
async function theirs(): Promise<Uint8Array> {
  await init();
  const db = new DatabaseSync('theirs.db');
  db.exec(`CREATE TABLE song (title TEXT, year INTEGER);
    INSERT INTO song VALUES ('Gymnopédie No. 1', 1888), ('Clair de lune', 1905)`);
  db.close();
  return getVFS().export('theirs.db');
}
