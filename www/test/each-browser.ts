// The fixture's pages, built and served once, in each browser that tests run in.

import { fileURLToPath } from 'node:url';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { kinds, start, type TestBrowser } from './browsers.js';
import { buildAndServe, type Site } from './site.js';

/** To be asked while a test runs: before, there is neither. */
export interface Place {
  readonly browser: Browser;
  /** Where the fixture's pages are. */
  readonly url: string;
}

/** Declares the same tests for each browser. */
export function inEachBrowser(declare: (place: Place) => void): void {
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

    declare({
      get browser() {
        return running.browser;
      },
      get url() {
        return site.url;
      },
    });
  });
}
