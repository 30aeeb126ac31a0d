// The benchmarks run in browsers, too.

import { describe, expect, test } from 'vitest';
import { command, little } from './commands.js';
import { suites } from './suites/index.js';

describe.each(['chromium', 'firefox'])('%s', (browser) => {
  test.each(Object.keys(suites))('suite %s', { timeout: 120_000 }, async (suite) => {
    const args = ['--suite', suite, '--browser', browser, ...little, '--json'];
    const { code, stdout, stderr } = await command('bench', ...args);
    expect(code, stderr).toBe(0);
    // Not a word of the page's console.
    expect(stderr).not.toMatch(/^console:|^uncaught:/m);
    const { engine, results } = JSON.parse(stdout) as { engine: string; results: unknown[] };
    expect(engine).toMatch(new RegExp(`^${browser} \\d+$`));
    expect(results.length).toBeGreaterThan(0);
  });
});
