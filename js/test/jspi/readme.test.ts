// The programs of README.md, as they stand there.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

// What Vite alone resolves, and its configuration, are tested by building apps with it; what browsers alone have, there.
const blocks = Array.from(readme.matchAll(/^```[jt]s\n([\s\S]*?)^```$/gm), ([, code]) => code as string)
  .filter((code) => /from 'sqlite-vfs-kit/.test(code) && !/\?url|navigator\./.test(code))
  .map((code) => code.replace('./map-vfs.js', '../../js/examples/map-vfs.ts'));

const [first, goesOn, promises, own, other, theirs] = blocks as [
  string,
  string,
  string,
  string,
  string,
  string,
];

// Inside the project, so that the package is found by its name.
const folder = new URL(`../../../target/readme-${process.pid}/`, import.meta.url);

beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true }));

async function printed(name: string, code: string): Promise<unknown[][]> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    writeFileSync(new URL(name, folder), code);
    await import(/* @vite-ignore */ new URL(name, folder).href);
    return log.mock.calls;
  } finally {
    log.mockRestore();
  }
}

test('there are six programs', () => {
  expect(blocks).toHaveLength(6);
});

test('the first one, and what goes on with it', async () => {
  const more = 'console.log(memory.list(), memory.stats().read.calls > 0);';
  expect(await printed('first.ts', `${first}\n${goesOn}\n${more}`)).toEqual([
    ['Gymnopédie No. 1', 1888],
    ['memory'],
    [
      [
        { name: 'copy.db', size: 8192 },
        { name: 'songs.db', size: 8192 },
      ],
      true,
    ],
  ]);
});

test('the one with promises', async () => {
  expect(await printed('promises.ts', promises)).toEqual([]);
});

test('the one with a VFS of its own', async () => {
  const [[write]] = (await printed('own.ts', own)) as [[object]];
  expect(write).toMatchObject({ calls: 2, bytes: 8192, errors: 0 });
});

test('the one in another build', async () => {
  const more = "console.log(db.selectValue('PRAGMA journal_mode'));";
  expect(await printed('other.ts', `${other}\n${more}`)).toEqual([['delete']]);
});

test('the one with a VFS written for wa-sqlite', async () => {
  const more = "db.exec('CREATE TABLE t (a)'); console.log(db.store, [...vfs.mapNameToFile.keys()]);";
  expect(await printed('theirs.ts', `${theirs}\n${more}`)).toEqual([['theirs', ['/songs.db']]]);
});
