// Our VFSes in builds of SQLite made by others, in real browsers.

import { expect, test } from 'vitest';
import { inEachBrowser } from './each-browser.js';
import { eventually, openPage } from './watched-page.js';

inEachBrowser((place) => {
  test('one store in all builds: read, locked and recovered', async () => {
    const { page } = await openPage(place.browser, `${place.url}adapters.html`);
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
