// Calls that are suspended while a VFS waits, in real browsers.

import { expect, test } from 'vitest';
import { inEachBrowser } from './each-browser.js';
import { eventually, openPage } from './watched-page.js';

inEachBrowser((place) => {
  test('connections are interleaved, and memory grows in the middle of reads', async () => {
    const { page, complaints } = await openPage(place.browser, `${place.url}jspi.html`);
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
