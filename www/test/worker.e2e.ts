// The library in every kind of worker, under the playground's content security policy.

import { expect, test } from 'vitest';
import { inEachBrowser } from './each-browser.js';
import { eventually, openPage } from './watched-page.js';

inEachBrowser((place) => {
  test('answers from a dedicated worker, a shared one and a service worker', async () => {
    const { page, complaints } = await openPage(place.browser, `${place.url}worker.html`);
    for (const id of ['dedicated', 'shared', 'service']) {
      const text = () => page.$eval(`#${id}`, (element) => element.textContent ?? '');
      await eventually(text, (answer) => expect(answer).not.toBe(''));
      expect(await text(), id).toBe('{"sum":42,"isolated":false}');
    }
    expect(await complaints()).toEqual([]);
    await page.close();
  });
});
