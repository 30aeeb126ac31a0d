/** Runs a suite in a browser: serves the page that was built for it, opens it and waits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import puppeteer, { type Browser, type LaunchOptions } from 'puppeteer-core';
import { preview } from 'vite';
import { kinds } from '../www/test/browsers.js';
import type { Measured, Options } from './measure.js';
import { Mistaken } from './suite.js';

export async function measureInBrowser(
  name: string,
  folder: string,
  suite: string,
  { progress, ...options }: Options,
): Promise<Measured & { engine: string }> {
  // A profile on disk, as people have it: in a private window storage is memory, and its figures are others. (Puppeteer's own
  // is removed before the browser has let go of it at times.)
  const profile = mkdtempSync(join(tmpdir(), 'benchmark-'));
  const server = await preview({
    configFile: false,
    root: dirname(folder),
    build: { outDir: folder },
    logLevel: 'warn',
    // Each start is to be a first one, with nothing in the browser's cache.
    preview: { host: '127.0.0.1', headers: { 'Cache-Control': 'no-store' } },
  });
  let browser: Browser | undefined;
  try {
    browser = await launch(name, profile);
    const page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'info') progress?.(message.text());
      else console.error(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => console.error('uncaught:', error));
    await page.goto(server.resolvedUrls?.local[0] as string);
    await page.waitForFunction(() => 'benchmark' in globalThis);
    const measured = await page.evaluate(
      (suite, options) => globalThis.benchmark(suite, options),
      suite,
      options,
    );
    return { engine: await engineOf(name, browser), ...measured };
  } finally {
    await browser?.close();
    await server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

function launch(name: string, profile: string): Promise<Browser> {
  const kind = kinds.find((kind) => kind.name === name);
  if (!kind) throw new Mistaken(`no browser ${name}; there are ${kinds.map(({ name }) => name).join(', ')}`);
  const executablePath = process.env[`${name.toUpperCase()}_PATH`];
  if (!executablePath) throw new Mistaken(`where is ${name}? ${name.toUpperCase()}_PATH says it`);
  const options: LaunchOptions = kind.options(profile);
  return puppeteer.launch({
    ...options,
    // Collecting between runs: `measure.ts`.
    ...(options.args && { args: [...options.args, '--js-flags=--expose-gc'] }),
    extraPrefsFirefox: {
      ...options.extraPrefsFirefox,
      // Clocks of a millisecond are coarse, and the main thread is busy for long on purpose.
      'privacy.reduceTimerPrecision': false,
      'dom.max_script_run_time': 0,
    },
    userDataDir: profile,
    executablePath,
    headless: true,
    // A suite takes as long as it takes.
    protocolTimeout: 0,
  });
}

/** "chromium 156". */
async function engineOf(name: string, browser: Browser): Promise<string> {
  return `${name} ${/\/(\d+)/.exec(await browser.version())?.[1] ?? '?'}`;
}
