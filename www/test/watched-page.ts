// A page that remembers everything it complained about.

import type { Browser, Page } from 'puppeteer-core';
import { expect } from 'vitest';

export interface WatchedPage {
  page: Page;
  /** Errors, warnings and violations of the content security policy so far. */
  complaints(): Promise<string[]>;
}

declare global {
  interface Window {
    violations: string[];
  }
}

export async function openPage(browser: Browser, url: string): Promise<WatchedPage> {
  const page = await browser.newPage();
  const seen: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warn', 'assert'].includes(message.type())) seen.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => seen.push(`uncaught: ${error instanceof Error ? error.message : error}`));
  page.on('requestfailed', (request) => seen.push(`request failed: ${request.url()}`));
  // Not every browser reports violations where a test driver sees them; the page always can.
  await page.evaluateOnNewDocument(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      window.violations.push(`${event.effectiveDirective} forbids ${event.blockedURI || 'inline code'}`);
    });
  });
  await page.goto(url);
  return {
    page,
    complaints: async () => [...seen, ...(await page.evaluate(() => window.violations))],
  };
}

/**
 * Waits until `look` answers what `matches` wants. Looking is left to the test's own process: a driver's
 * `waitForFunction` evaluates text in the page, which the page's policy forbids.
 */
export async function eventually<Seen>(look: () => Promise<Seen>, matches: (seen: Seen) => void) {
  await expect
    .poll(
      async () => {
        matches(await look());
        return true;
      },
      { timeout: 30_000, interval: 20 },
    )
    .toBe(true);
}
