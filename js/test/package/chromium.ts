/** Pages in Chromium, and what they complain of. */
import { kinds, start } from '../../../www/test/browsers.js';

export interface Chromium {
  open(url: string): Promise<OpenPage>;
  close(): Promise<void>;
}

export interface OpenPage {
  /** The text of an element, once it has any. */
  text(selector: string): Promise<string>;
  /** What the page printed. */
  readonly printed: string[];
  /** Its errors and warnings, those of the browser about it among them. */
  readonly complaints: string[];
}

export async function launch(): Promise<Chromium> {
  const kind = kinds.find(({ name }) => name === 'chromium') as (typeof kinds)[number];
  const { browser, close } = await start(kind);
  return { open: (url) => open(url), close };

  async function open(url: string): Promise<OpenPage> {
    const page = await browser.newPage();
    const printed: string[] = [];
    const complaints: string[] = [];
    page.on('console', (message) => {
      const text = message.text();
      // Chromium asks every host for an icon.
      if (message.location().url?.endsWith('/favicon.ico')) return;
      (message.type() === 'log' ? printed : complaints).push(text);
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    const text = async (selector: string) => {
      const filled = `${selector}:not(:empty)`;
      await page.waitForSelector(filled).catch((error) => {
        throw new Error([`${selector} stays empty.`, ...complaints].join('\n'), { cause: error });
      });
      return page.$eval(filled, (element) => element.textContent ?? '');
    };
    return { text, printed, complaints };
  }
}
