// From what a test runner printed, and how it ended, to numbers.

import { stripVTControlCharacters } from 'node:util';
import { tee } from '../shell.mjs';

/** Runs one check that is a test by itself: it passes by ending well. */
export async function check(name, command, args, options) {
  const { code } = await tee(command, args, options);
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}

/** Runs something that closes each of its test binaries the way Rust's test harness does. */
export async function rustTests(name, command, args, options) {
  const { code, text } = await tee(command, args, options);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, passed, failed, ignored] of stripVTControlCharacters(text).matchAll(
    /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/gm,
  )) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
    counts.skipped += Number(ignored);
  }
  return { name, ...counts, ...crash(code, counts) };
}

/** A bad end that no failed test explains (a compiler error, a browser that did not start) counts as one. */
export function crash(code, { failed }) {
  return code !== 0 && failed === 0 ? { failed: 1, trouble: `ended with ${code}` } : {};
}
