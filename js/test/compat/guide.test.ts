// The program of guides/vfses-of-wa-sqlite.md that needs no browser, as it stands there.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { guideOf } from '../guide.js';

const { blocks } = guideOf('vfses-of-wa-sqlite');
// Inside the project, so that the packages are found by their names.
const folder = new URL(`../../../target/vfses-of-wa-sqlite-${process.pid}/`, import.meta.url);

beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true }));

test('sync.js prints what it says', async () => {
  const code = blocks.find(({ name }) => name === 'sync.js')?.code as string;
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  try {
    writeFileSync(new URL('sync.js', folder), code);
    await import(/* @vite-ignore */ new URL('sync.js', folder).href);
    expect(log.mock.calls).toEqual([['Gymnopédie']]);
  } finally {
    log.mockRestore();
  }
});
