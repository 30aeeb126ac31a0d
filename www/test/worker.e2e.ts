// The library in every kind of worker, under the playground's content security policy.

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

  test('answers from a dedicated worker, a shared one and a service worker', async () => {
    const { page, complaints } = await openPage(running.browser, `${site.url}worker.html`);
    for (const id of ['dedicated', 'shared', 'service']) {
      const text = () => page.$eval(`#${id}`, (element) => element.textContent ?? '');
      await eventually(text, (answer) => expect(answer).not.toBe(''));
      expect(await text(), id).toBe('{"sum":42,"isolated":false}');
    }
    expect(await complaints()).toEqual([]);
    await page.close();
  });
});
