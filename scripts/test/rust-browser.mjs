// The Rust tests compiled to wasm, in headless browsers. webdriver.json beside Cargo.toml has the
// capabilities that the runner asks the drivers for.

import { wasmEnv } from '../toolchain.mjs';
import { rustTests } from './outcome.mjs';

export async function* rustInBrowsers() {
  const env = {
    ...wasmEnv(),
    // Seconds. The runner's own 20 is short for a loaded machine and a browser's first start.
    WASM_BINDGEN_TEST_TIMEOUT: '300',
  };
  for (const browser of ['chrome', 'firefox']) {
    // Mode no-install: the tools are set-up's, and nothing is downloaded behind its back.
    const args = ['test', '--headless', `--${browser}`, '--mode', 'no-install', '--', '--no-fail-fast'];
    yield rustTests(`rust, ${browser}`, 'wasm-pack', args, { env });
  }
}
