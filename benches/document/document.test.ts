// docs/benchmarks.md, made of a few small results.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Suite } from '../suite.js';
import { documentOf, sizeLimit } from './document.js';
import { type Kept, keptIn, nameOf, type Saved, save } from './saved.js';

const suite: Suite = {
  name: 'example',
  about: 'What an example shows.',
  runs: 3,
  subjects: async () => [],
  cases: ['one', 'two'].map((name) => ({
    name,
    about: `work number ${name}`,
    uses: ['thing'],
    start: () => ({ run: () => {}, after: () => '' }),
  })),
  baseline: ['a', 'b'],
  requirements: [
    { case: 'one', subject: 'ours', atMost: 0.5, aim: 0.25 },
    { case: 'two', subject: 'ours', atMost: 0.5 },
    { case: 'two', subject: 'ours', atMost: 1, over: ['native'] },
  ],
};

const times: Record<string, Record<string, number>> = {
  one: { ours: 4, a: 10, b: 20 },
  two: { ours: 6, a: 11, b: 10 },
};

const saved: Saved = {
  suite: 'example',
  engine: 'node 20.1.2',
  runs: 3,
  command: 'npm run bench -- --suite example --save',
  date: '2026-11-30',
  machine: '2 × a processor, 8 GiB',
  versions: { 'sqlite-vfs-kit': '0.1.0', 'peer|a': '1.2.3' },
  sqlite: { ours: '3.54.1', a: '3.49.0' },
  leftOut: [{ subject: 'native', why: 'of another planet' }],
  results: Object.entries(times).flatMap(([work, subjects]) =>
    Object.entries(subjects).map(([subject, median]) => ({
      case: work,
      subject,
      ms: { min: median - 1, median, max: median + 1 },
    })),
  ),
  how: Object.keys(times).flatMap(() => ['ours(sql)', 'a.b(sql)', 'b.c(sql)']),
};

const sizes = (brotli: number): NonNullable<Kept['sizes']> => {
  const total = { raw: 3 * brotli, gzip: 2 * brotli, brotli };
  const files = [{ name: 'all.wasm', ...total }];
  return { files, total, stores: { files, total } };
};

const folder = mkdtempSync(join(tmpdir(), 'benchmarks-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('shows medians, limits, and how each subject is driven', async () => {
  const { markdown, pictures } = await documentOf({ results: [saved] }, [suite]);
  const lines = markdown.split('\n');
  expect(lines).toContain('| one | 4.00 (0.40x) | 10.0 (1.00x) | 20.0 (2.00x) |');
  expect(lines).toContain('| two | 6.00 (0.60x) | 11.0 (1.10x) | 10.0 (1.00x) |');
  expect(lines).toContain('|  | ours (3.54.1) | a (3.49.0) | b |');
  expect(lines).toContain('- `one`: work number one');
  expect(lines).toContain('native is left out: of another planet.');
  expect(lines).toContain('| one | ours | the fastest of a, b | 0.50x (aim: 0.25x) | 0.40x | reached |');
  expect(lines).toContain('| two | ours | the fastest of a, b | 0.50x | 0.60x | **not reached** |');
  // What there was nothing to compare with is not judged.
  expect(lines).toContain('1 of 2 limits are reached.');
  expect(lines).toContain(
    '- example, node 20.1.2: two, ours at most 0.50x that of the fastest of a, b; it is 0.60x',
  );
  expect(lines).toContain('| ours | one, two | `ours(sql)` |');
  expect(lines).toContain('`npm run bench -- --suite example --save` (3 timed runs)');
  expect(lines).toContain('| machine | 2 × a processor, 8 GiB |');
  expect(lines).toContain('| peer\\|a | 1.2.3 |');
  expect(lines).toContain(
    '![example in node 20.1.2: milliseconds of each subject, by case](benchmarks/example-node20.svg)',
  );
  expect(Object.keys(pictures)).toEqual(['example-node20.svg']);
});

test('says where the time goes of what did not get there', async () => {
  const profile = [
    { where: 'wasm', share: 0.714 },
    { where: 'decode', share: 0.2 },
  ];
  const results = saved.results.map((one) => (one.subject === 'ours' ? { ...one, profile } : one));
  const { markdown } = await documentOf({ results: [{ ...saved, results }] }, [suite]);
  expect(markdown).toContain('it is 0.60x. Where its time goes: wasm 71 %, decode 20 %\n');
  expect(markdown.match(/Where its time goes/g)).toHaveLength(1);
});

test('draws a bar for each subject of each case, and ours in a colour of their own', async () => {
  const { pictures } = await documentOf({ results: [saved] }, [suite]);
  const svg = pictures['example-node20.svg'] as string;
  expect(svg).toMatch(/^<svg .*<\/svg>\n$/s);
  expect(svg.match(/aria-roledescription="bar"/g)).toHaveLength(6);
  expect(svg.match(/aria-roledescription="bar"[^>]*fill="#2f6fb5"/g)).toHaveLength(2);
  for (const text of ['one', 'two', 'ours', 'a', 'b', '10.0']) expect(svg).toContain(`>${text}</text>`);
  // The same results make the same file.
  const again = await documentOf({ results: [saved] }, [suite]);
  expect(again.pictures).toEqual(pictures);
});

test('holds sizes to their limit, and shows choices', async () => {
  const choice = { choice: 'flag', measured: 'one', unit: 'ms', before: 20, after: 15, kept: true } as const;
  const within = await documentOf({ results: [], sizes: sizes(sizeLimit), choices: [choice] }, [suite]);
  expect(within.markdown).toContain('1 of 1 limits are reached.');
  expect(within.markdown).toContain('| together | 1,170,000 | 780,000 | 390,000 |');
  expect(within.markdown).toContain('At most 390,000 by brotli: reached.');
  expect(within.markdown).toContain('| flag | one | 20.0 ms | 15.0 ms | -25.0 % | kept |');
  const over = await documentOf({ results: [], sizes: sizes(sizeLimit + 1) }, [suite]);
  expect(over.markdown).toContain('0 of 1 limits are reached.');
  expect(over.markdown).toContain('- size: at most 390,000 bytes by brotli; it is 390,001');
  expect(over.markdown).toContain('At most 390,000 by brotli: **not reached**.');
  expect(over.markdown).not.toContain('## choices');
});

test('says that nothing was measured when there is nothing', async () => {
  const { markdown, pictures } = await documentOf(keptIn(join(folder, 'none')), [suite]);
  expect(markdown).toContain('Nothing has been measured yet.');
  expect(pictures).toEqual({});
});

test('keeps results with the machine, versions and command, one file for each suite and engine', () => {
  const { machine, versions, command, date, ...report } = saved;
  const file = save(report, ['--suite', 'example', '--save'], folder);
  expect(file).toBe(join(folder, 'benchmarks', 'example-node20.json'));
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Saved;
  expect(kept).toMatchObject(report);
  expect(kept.command).toBe(command);
  expect(kept.machine).toMatch(/^\d+ × .+, \d+ GiB, /);
  expect(kept.date).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(kept.versions['sqlite-vfs-kit']).toMatch(/^\d+\.\d+\.\d+/);
  expect(kept.versions['@sqlite.org/sqlite-wasm']).toBe('3.54.1-build1');
  for (const version of Object.values(kept.versions)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(keptIn(folder).results).toEqual([kept]);
  expect(nameOf({ suite: 'api', engine: 'chromium 148' })).toBe('api-chromium');
});
