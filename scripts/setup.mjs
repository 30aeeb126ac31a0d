// Makes this machine ready to build and test the project. It may be run at any time, by itself or
// from the other scripts: what is there already is left alone, and then it takes about a second.
//
//   node scripts/setup.mjs            everything
//   node scripts/setup.mjs build      only what a build needs; likewise: npm, js, package, test
//
// It installs system packages only on Debian and only as root. Elsewhere it stops with the one
// line that says what is missing.

import { pathToFileURL } from 'node:url';
import { setUpBrowsers } from './setup/browsers.mjs';
import { setUpCargoTool } from './setup/cargo-tools.mjs';
import { setUpClang } from './setup/clang.mjs';
import { setUpBetterSqlite3, setUpNode26, setUpNpmPackages } from './setup/npm-packages.mjs';
import { setUpRustForWasm } from './setup/rust-for-wasm.mjs';
import { main, Stop } from './shell.mjs';

/** The steps in the order in which they can run, the ones that say "no" early first. */
const steps = {
  npm: setUpNpmPackages,
  node26: setUpNode26,
  'better-sqlite3': setUpBetterSqlite3,
  rust: setUpRustForWasm,
  clang: setUpClang,
  browsers: setUpBrowsers,
  'wasm-bindgen': () => setUpCargoTool('wasm-bindgen'),
  'wasm-pack': () => setUpCargoTool('wasm-pack'),
  geckodriver: () => setUpCargoTool('geckodriver'),
};

/** What each use of the project needs. */
const needs = {
  npm: ['npm'],
  build: ['npm', 'rust', 'clang', 'wasm-bindgen'],
  js: ['npm', 'node26', 'better-sqlite3', 'rust', 'clang', 'wasm-bindgen'],
  package: ['npm', 'node26', 'rust', 'clang', 'browsers', 'wasm-bindgen'],
  test: Object.keys(steps),
};

/** Runs the steps that a use needs: a key of `needs`. */
export async function setup(use) {
  for (const step of needs[use]) await steps[step]();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    const use = process.argv[2] ?? 'test';
    if (!(use in needs)) throw new Stop(`usage: node scripts/setup.mjs [${Object.keys(needs).join('|')}]`);
    await setup(use);
    console.log('Set-up is complete.');
  });
}
