// The library in every kind of worker, under the playground's content security policy.

import { expect, test } from 'vitest';
import { inEachBrowser } from './each-browser.js';
import { eventually, openPage } from './watched-page.js';

inEachBrowser((place) => {
  test('answers from a dedicated worker, a shared one and a service worker', async () => {
    const { page, complaints } = await openPage(place.browser, `${place.url}worker.html`);
    // Firefox has service workers that are modules from 147 on; its long-term release, 140, refuses them.
    const [, major] = /^firefox\/(\d+)/i.exec(await place.browser.version()) ?? [];
    const hasModules = major === undefined || Number(major) >= 147;
    for (const id of hasModules ? ['dedicated', 'shared', 'service'] : ['dedicated', 'shared']) {
      const text = () => page.$eval(`#${id}`, (element) => element.textContent ?? '');
      await eventually(text, (answer) => expect(answer).not.toBe(''));
      expect(await text(), id).toBe('{"sum":42,"isolated":false}');
    }
    if (hasModules) expect(await complaints()).toEqual([]);
    await page.close();
  });
});
