// Our VFSes in builds of SQLite made by others, in real browsers.

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

  test('one store in all builds: read, locked and recovered', async () => {
    const { page } = await openPage(running.browser, `${site.url}adapters.html`);
    const text = () => page.$eval('#answer', (element) => element.textContent ?? '');
    await eventually(text, (answer) => expect(answer).not.toBe(''));
    const shared = (openers: number) => ({
      openers,
      read: [JSON.stringify([[openers, openers * 100_000]])],
      busy: [5],
      recovered: [JSON.stringify([[openers, openers * 100_000]]), '[["ok"]]'],
    });
    expect(JSON.parse(await text())).toEqual({
      builds: ['official', 'wa-sqlite', 'wa-sqlite-async', 'wa-sqlite-jspi'],
      memory: shared(5),
      stores: shared(4),
      map: shared(5),
    });
    await page.close();
  });
});
