// Calls that are suspended while a VFS waits, in real browsers.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kinds, start, type TestBrowser } from './browsers.js';
import { buildAndServe, type Site } from './site.js';
import { eventually, openPage } from './watched-page.js';

let site: Site;

beforeAll(async () => {
  site = await buildAndServe(fileURLToPath(new URL('fixture/vite.config.ts', import.meta.url)));
});

afterAll(() => site.close());

describe.each(kinds)('$name', (kind) => {
  let running: TestBrowser;

  beforeAll(async () => {
    running = await start(kind);
  });

  afterAll(() => running?.close());

  test('connections are interleaved, and memory grows in the middle of reads', async () => {
    const { page, complaints } = await openPage(running.browser, `${site.url}jspi.html`);
    const text = () => page.$eval('#answer', (element) => element.textContent ?? '');
    await eventually(text, (answer) => expect(answer).not.toBe(''));
    expect(JSON.parse(await text())).toEqual({
      interleaved: [1, 2, 3].map((n) => [5 * n, 10_000, `0${n}0${n}`]),
      check: 'ok',
    });
    expect(await complaints()).toEqual([]);
    await page.close();
  });
});
