// The browsers the tests drive, and how to start them.

import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import puppeteer, { type Browser, type LaunchOptions } from 'puppeteer-core';

export interface TestBrowser {
  browser: Browser;
  /** Where downloads go. */
  downloads: string;
  close(): Promise<void>;
}

interface Kind {
  name: 'chromium' | 'firefox';
  programs: (string | undefined)[];
  options(downloads: string): LaunchOptions;
}

export const kinds: readonly Kind[] = [
  {
    name: 'chromium',
    programs: [
      process.env.CHROMIUM_PATH,
      'chromium',
      'chromium-browser',
      'google-chrome',
      'google-chrome-stable',
    ],
    options: (downloads) => ({
      browser: 'chrome',
      downloadBehavior: { policy: 'allow', downloadPath: downloads },
      args: [
        // Chromium's sandbox does not start for root, as whom containers run their tests.
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    }),
  },
  {
    name: 'firefox',
    programs: [process.env.FIREFOX_PATH, 'firefox', 'firefox-esr'],
    options: (downloads) => ({
      browser: 'firefox',
      extraPrefsFirefox: {
        // On without a word from 153 on; the long-term release before has it, behind this.
        'javascript.options.wasm_js_promise_integration': true,
        'browser.download.folderList': 2,
        'browser.download.dir': downloads,
        'browser.download.useDownloadDir': true,
        'browser.download.always_ask_before_handling_new_types': false,
        'browser.helperApps.neverAsk.saveToDisk': 'application/vnd.sqlite3',
      },
    }),
  },
];

export async function start({ name, programs, options }: Kind): Promise<TestBrowser> {
  const executablePath = findProgram(programs);
  if (executablePath === undefined) {
    throw new Error(`${name} was not found on PATH; name it with ${name.toUpperCase()}_PATH`);
  }
  const downloads = mkdtempSync(join(tmpdir(), `playground-${name}-`));
  const browser = await puppeteer.launch({ ...options(downloads), executablePath, headless: true });
  return {
    browser,
    downloads,
    close: async () => {
      await browser.close();
      rmSync(downloads, { recursive: true, force: true });
    },
  };
}

function findProgram(names: Kind['programs']): string | undefined {
  const folders = ['', ...(process.env.PATH ?? '').split(delimiter)];
  return names
    .filter((name) => name !== undefined)
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
