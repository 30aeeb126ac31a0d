// The tests written in TypeScript: of the package in Node, and of the page in browsers.

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { inProject } from '../paths.mjs';
import { tee } from '../shell.mjs';
import { nativeEnv } from '../toolchain.mjs';
import { crash } from './outcome.mjs';

export async function* js() {
  yield vitest('js, Node', []);
}

/** The tests find the browsers through CHROMIUM_PATH and FIREFOX_PATH. */
export async function* e2e() {
  yield vitest('page, browsers', ['--config', 'vitest.e2e.config.ts']);
}

/** Runs vitest and counts by its report. */
export async function vitest(name, args) {
  const file = inProject('target', 'test', `${name.replaceAll(/\W+/g, '-')}.json`);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  const reports = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { code } = await tee('vitest', ['run', ...args, ...reports], { env: nativeEnv() });
  const counts = readCounts(file);
  return { name, ...counts, ...crash(code, counts) };
}

function readCounts(file) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 0, skipped: 0 };
  }
}
