// The programs of guides/other-builds.md, as they stand there.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const guide = readFileSync(new URL('../../../guides/other-builds.md', import.meta.url), 'utf8');
const programs = Array.from(
  guide.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm),
  ([, name, code]) => [name as string, code as string] as const,
);

// Inside the project, so that the packages are found by their names.
const folder = new URL(`../../../target/other-builds-${process.pid}/`, import.meta.url);
const wasm = createRequire(import.meta.url).resolve('@journeyapps/wa-sqlite/dist/wa-sqlite.wasm');

beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true }));

test('there are three', () => {
  expect(programs).toHaveLength(3);
});

test.each(programs)('%s', async (name, code) => {
  const read = `(await import('node:fs')).readFileSync(${JSON.stringify(wasm)})`;
  // In Node that build does not find its file by itself.
  const runs = code.replace('SQLiteESMFactory()', `SQLiteESMFactory({ wasmBinary: ${read} })`);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    writeFileSync(new URL(name, folder), runs);
    await import(/* @vite-ignore */ new URL(name, folder).href);
    expect(log.mock.calls).toEqual([[name === 'both.js' ? 'Clair de lune' : 'Gymnopédie']]);
  } finally {
    log.mockRestore();
  }
});
