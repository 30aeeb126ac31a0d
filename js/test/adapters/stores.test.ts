// MemoryVFS of the wasm file without SQLite, as a VFS like any other.

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { FacadeVFS, VFS } from '../../src/index.js';
import { initStores, MemoryVFS } from '../../src/stores.js';
import { cases } from '../../src/testing.js';

const file = new URL('../../src/wasm/sqlite_vfs_kit_stores.wasm', import.meta.url);

beforeAll(() => initStores());

describe('the conformance kit', () => {
  let made = 0;
  const subject = { name: 'MemoryVFS', create: () => new MemoryVFS({ name: `memory ${++made}` }) };
  const lacking = ['reopening', 'large files', 'shared wal', 'full names', 'read only', 'journal files'];

  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const expected = one.needs.some((need) => lacking.includes(need)) ? 'not promised' : 'passed';
    const result = await one.run(subject, {});
    expect(result.outcome, JSON.stringify(result)).toBe(expected);
  });
});

test('the wasm file needs nothing of its host, and has no SQLite in it', () => {
  const module = new WebAssembly.Module(readFileSync(file));
  expect(WebAssembly.Module.imports(module)).toEqual([]);
  const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
  expect(exported.filter((name) => name !== 'memory' && !name.startsWith('kit_foreign_'))).toEqual([]);
  expect(readFileSync(file).includes('CREATE TABLE')).toBe(false);
  expect(readFileSync(file).length).toBeLessThan(60_000);
});

test('is loaded once, and must be', async () => {
  expect(initStores()).toBe(initStores());
  vi.resetModules();
  const fresh = await import('../../src/stores.js');
  expect(() => new fresh.MemoryVFS()).toThrow('await initStores() first');
  await expect(fresh.initStores({ wasm: new URL('missing.wasm', import.meta.url) })).rejects.toThrow(
    'could not be fetched',
  );
  const other = readFileSync(new URL('../../src/wasm/sqlite_vfs_kit_bg.wasm', import.meta.url));
  await expect(fresh.initStores({ wasm: other })).rejects.toThrow();
  await fresh.initStores({ wasm: readFileSync(file) });
  expect(new fresh.MemoryVFS()).toBeInstanceOf(Object);
});

test('options are looked at', () => {
  expect(new MemoryVFS()).toBeInstanceOf(FacadeVFS);
  expect(new MemoryVFS().name).toBe('memory');
  for (const options of [
    { maxBytes: -2 },
    { maxBytes: 1.5 },
    { maxBytes: '7' },
    { name: 7 },
    { name: 'a\0' },
    null,
  ]) {
    expect(() => new MemoryVFS(options as never), JSON.stringify(options)).toThrow(/must be/);
  }
});

test('two stores know nothing of each other', () => {
  const [one, other] = [new MemoryVFS(), new MemoryVFS()];
  const flags = VFS.SQLITE_OPEN_MAIN_DB | VFS.SQLITE_OPEN_CREATE | VFS.SQLITE_OPEN_READWRITE;
  const opened = one.open('x.db', flags);
  opened.write(new Uint8Array([1, 2, 3]), 0);
  expect([one.exists('x.db'), other.exists('x.db')]).toEqual([true, false]);
  opened.close();
  expect(() => opened.size()).toThrow('this file was closed');
  expect(() => other.open('', flags)).toThrow('at least one byte');
});
