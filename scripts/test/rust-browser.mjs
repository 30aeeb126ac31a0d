// The Rust tests compiled to wasm, in headless browsers. webdriver.json beside Cargo.toml has the
// capabilities that the runner asks the drivers for.

import { readFileSync } from 'node:fs';
import { capture, Stop } from '../shell.mjs';
import { wasmEnv } from '../toolchain.mjs';
import { rustTests } from './outcome.mjs';

export async function* rustInBrowsers() {
  const env = {
    ...wasmEnv(),
    // Seconds. The runner's own 20 is short for a loaded machine and a browser's first start.
    WASM_BINDGEN_TEST_TIMEOUT: '300',
  };
  for (const browser of ['chrome', 'firefox']) {
    // Each by itself: after one that fails, cargo would not run the next, and wasm-pack has no way
    // to hand it --no-fail-fast.
    for (const target of browserTests(env)) {
      // Mode no-install: the tools are set-up's, and nothing is downloaded behind its back.
      const args = [
        'test',
        '--headless',
        `--${browser}`,
        '--mode',
        'no-install',
        '--',
        '--features',
        'testing',
        '--test',
        target,
      ];
      yield rustTests(`rust, ${browser}, ${target}`, 'wasm-pack', args, { env });
    }
  }
}

/** The test targets that say which part of a browser they run in; the others are native. */
function browserTests(env) {
  const metadata = capture('cargo', ['metadata', '--no-deps', '--format-version', '1'], { env });
  if (!metadata) throw new Stop('cargo metadata failed');
  return JSON.parse(metadata)
    .packages.flatMap((crate) => crate.targets)
    .filter(
      ({ kind, src_path }) => kind.includes('test') && readFileSync(src_path, 'utf8').includes('run_in_'),
    )
    .map(({ name }) => name);
}
