/** What is in the tarball, and what the linters of packages say of it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { VERSION } from '../../src/version.js';
import { install, runTool } from './app.js';

let folder: string;
let files: string[];
beforeAll(async () => {
  folder = join(await install('node'), 'node_modules/sqlite-vfs-kit');
  files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
});

test('the files: what runs, its types and maps, the licences, and no more', () => {
  const top = files.filter((name) => !name.startsWith('dist/')).sort();
  expect(top).toEqual([
    'CHANGELOG.md',
    'LICENSE-APACHE',
    'LICENSE-MIT',
    'NOTICE',
    'README.md',
    'package.json',
  ]);
  const inside = files.filter((name) => name.startsWith('dist/'));
  const source = new URL('../../src/', import.meta.url);
  const modules = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('wasm/'),
  );
  const expected = modules
    .map((name) => `dist/${name.slice(0, -3)}`)
    .flatMap((name) => [`${name}.js`, `${name}.js.map`, `${name}.d.ts`]);
  const wasm = ['', '_jspi'].flatMap((build) =>
    ['.js', '.d.ts', '_bg.wasm'].map((end) => `dist/wasm/sqlite_vfs_kit${build}${end}`),
  );
  // They need no glue of their own.
  const alone = ['_fts3_bg', '_stores'].map((name) => `dist/wasm/sqlite_vfs_kit${name}.wasm`);
  expect(inside.sort()).toEqual([...expected, ...wasm, ...alone].sort());
});

test('maps have their sources with them', () => {
  for (const name of files.filter((name) => name.endsWith('.map'))) {
    const { sources, sourcesContent } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    expect(sourcesContent).toHaveLength(sources.length);
    expect(sourcesContent).not.toContain(null);
  }
});

test('it is small beside SQLite', () => {
  const size = (names: string[]) =>
    names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1024;
  const wasm = size(files.filter((name) => name.endsWith('.wasm')));
  // Apps load nothing of the conformance kit, and most neither adapters nor what takes in VFSes and databases of others.
  const others = ['dist/testing', 'dist/adapters', 'dist/compat', 'dist/import'];
  const loaded = files.filter(
    (name) => !others.some((other) => name.startsWith(other)) && !name.endsWith('.wasm'),
  );
  expect(size(loaded)).toBeLessThan(wasm / 2);
});

test('one version everywhere', () => {
  const cargo = readFileSync(new URL('../../../Cargo.toml', import.meta.url), 'utf8');
  expect(/^version = "(.+)"$/m.exec(cargo)?.[1]).toBe(manifest.version);
  expect(VERSION).toBe(manifest.version);
});

describe('the linters of packages', () => {
  test('publint', async () => {
    const { ok, output } = await runTool('publint', folder, inject('tarball'), '--strict');
    expect(output).toContain('All good!');
    expect(ok).toBe(true);
  });

  test('attw', async () => {
    // ESM alone. `./wasm` is no module: what a file of that name becomes is the bundler's choice.
    const options = [
      '--profile',
      'esm-only',
      '--exclude-entrypoints',
      'wasm',
      'fts3/wasm',
      'jspi/wasm',
      'stores/wasm',
      '--format',
      'json',
    ];
    const { ok, output } = await runTool('attw', folder, inject('tarball'), ...options);
    const { analysis } = JSON.parse(output);
    expect(ok, JSON.stringify(analysis.problems, null, 2)).toBe(true);
    expect(Object.keys(analysis.entrypoints)).toEqual([
      '.',
      './import',
      './adapters/sqlite-wasm',
      './adapters/wa-sqlite',
      './compat/wa-sqlite',
      './jspi',
      './node-compat',
      './stores',
      './testing',
      './package.json',
    ]);
  });
});
