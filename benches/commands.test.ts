// The commands: what they print where, and how they end.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command, little } from './commands.js';

describe('npm run bench', { timeout: 120_000 }, () => {
  test('--json prints JSON and nothing else', async () => {
    const { code, stdout, stderr } = await command('bench', '--suite', 'memory', ...little, '--json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      suite: 'memory',
      engine: `node ${process.versions.node}`,
      runs: 1,
      results: expect.arrayContaining([
        {
          case: 'dump',
          subject: 'kit memory',
          ms: { min: expect.any(Number), median: expect.any(Number), max: expect.any(Number) },
        },
      ]),
    });
  });

  test('--only chooses cases, and --node26 the engine', async () => {
    const args = ['--suite', 'rows', '--only', 'arr,poi', '--node26', ...little, '--json'];
    const { code, stdout, stderr } = await command('bench', ...args);
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout) as { engine: string; results: { case: string; subject: string }[] };
    expect(report.engine).toMatch(/^node 26\./);
    expect(new Set(report.results.map((result) => result.case))).toEqual(new Set(['arrays', 'point']));
    expect(report.results.map((result) => result.subject)).toContain('node:sqlite');
  });

  test('runs what waits for promises in an engine that has JSPI, and says so in others', async () => {
    const args = ['--suite', 'async', ...little, '--json'];
    const node26 = await command('bench', ...args, '--node26');
    expect(node26.code, node26.stderr).toBe(0);
    const { results } = JSON.parse(node26.stdout) as { results: unknown[] };
    expect(results).toHaveLength(6);
    if ('Suspending' in WebAssembly) return;
    const { code, stdout, stderr } = await command('bench', ...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('suite async needs what this engine lacks, JSPI: run it with --node26');
  });

  test('--save keeps the results, and --report makes a document of them', async () => {
    const docs = mkdtempSync(join(tmpdir(), 'benchmarks-'));
    try {
      const args = ['--suite', 'api', '--only', 'scan', ...little, '--save', '--docs', docs];
      const measured = await command('bench', ...args);
      expect(measured.code, measured.stderr).toBe(0);
      const made = await command('bench', '--report', '--docs', docs);
      expect(made.code, made.stderr).toBe(0);
      const markdown = readFileSync(join(docs, 'benchmarks.md'), 'utf8');
      expect(markdown).toContain(`\`npm run bench -- ${args.join(' ')}\``);
      expect(markdown).toContain(`### api, node ${process.versions.node}`);
      const name = `api-node${process.versions.node.split('.')[0]}`;
      expect(readdirSync(join(docs, 'benchmarks')).sort()).toEqual([`${name}.json`, `${name}.svg`]);
    } finally {
      rmSync(docs, { recursive: true });
    }
  });

  test.each([
    [['--suite', 'none'], 'no suite none; there are api, async, buffers, foreign, memory, rows, start'],
    [['--suite', 'rows', '--only', 'none'], 'no such case; it has arrays'],
    [['--suite', 'rows', '--runs', '0'], '--runs 0: not a positive number'],
    [['--suit', 'rows'], "Unknown option '--suit'"],
    [[], 'which suite?'],
  ])('%j fails and says how it is used', async (args, message) => {
    const { code, stdout, stderr } = await command('bench', ...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).toContain('usage: npm run bench');
  });
});

test('npm run size --json adds up the wasm and the JavaScript', { timeout: 120_000 }, async () => {
  interface Sizes {
    raw: number;
    gzip: number;
    brotli: number;
  }
  const { code, stdout, stderr } = await command('size', '--json');
  expect(code, stderr).toBe(0);
  interface Bundle {
    files: (Sizes & { name: string })[];
    total: Sizes;
  }
  const { stores, ...whole } = JSON.parse(stdout) as Bundle & { stores: Bundle };
  expect(whole.files.map(({ name }) => name)).toEqual(['sqlite_vfs_kit_bg.wasm', 'index.min.js']);
  expect(stores.files.map(({ name }) => name)).toEqual(['sqlite_vfs_kit_stores.wasm', 'stores.min.js']);
  // There is no SQLite in it.
  expect(stores.total.brotli).toBeLessThan(whole.total.brotli / 20);
  for (const { files, total } of [whole, stores]) {
    for (const { raw, gzip, brotli } of [...files, total]) {
      expect(raw).toBeGreaterThan(gzip);
      expect(gzip).toBeGreaterThan(brotli);
    }
    for (const key of ['raw', 'gzip', 'brotli'] as const) {
      expect(total[key]).toBe(files.reduce((sum, file) => sum + file[key], 0));
    }
  }
});
