// The code of the guides: written into files under the names that its first lines have, and run in that order.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { unregisterVFS } from '../../src/index.js';
import { unregisterVFS as unregisterAsync } from '../../src/jspi.js';
import { guideOf } from '../guide.js';

const { text: guide, blocks } = guideOf('write-your-own-vfs');

// Inside the project, so that the package is found by its name.
const folder = new URL(`../../../target/guides-${process.pid}/`, import.meta.url);

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  for (const { name, code } of blocks) writeFileSync(new URL(name, folder), code);
});

afterAll(() => rmSync(folder, { recursive: true }));

// A reader runs them one at a time. Here they share an instance.
const registered = [
  ...['tape', 'short tape', 'logged tape'].map((name) => () => unregisterVFS(name)),
  () => unregisterAsync('slow tape'),
];

afterEach(() => {
  for (const unregister of registered) {
    try {
      unregister();
    } catch (error) {
      // Another block's.
      expect((error as Error).message).toMatch(/was registered|not loaded/);
    }
  }
});

test('every block of JavaScript has a name', () => {
  expect(blocks).toHaveLength(guide.match(/^```js$/gm)?.length ?? 0);
});

test.each(blocks.map(({ name, code }) => [name, code]))(
  '%s prints what it says',
  { timeout: 120_000 },
  async (name, code) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    try {
      await import(/* @vite-ignore */ new URL(name, folder).href);
      const printed = log.mock.calls.map((words) => words.join(' '));
      expect(printed).toEqual(
        Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, words]) => words),
      );
    } finally {
      log.mockRestore();
    }
  },
);
