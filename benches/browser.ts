/** The benchmark runner in a page, which `drive.ts` opens. It runs suites on the main thread. */
import { type Measured, measure, type Options } from './measure.js';
import { suiteNamed } from './suites/index.js';

declare global {
  var benchmark: (suite: string, options: Options) => Promise<Measured>;
}

globalThis.benchmark = async (suite, options) =>
  measure(await suiteNamed(suite), { ...options, progress: (line) => console.info(line) });
