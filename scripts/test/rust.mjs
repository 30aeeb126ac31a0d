// The Rust tests at native speed, over a native SQLite.

import { nativeEnv } from '../toolchain.mjs';
import { check, rustTests } from './outcome.mjs';

export async function* rust() {
  const env = nativeEnv();
  yield rustTests('rust, native', 'cargo', ['test', '--no-fail-fast', '--features', 'engine,testing'], {
    env,
  });
  // Each feature must stand alone: a user turns on one, not all.
  yield check('rust, no features', 'cargo', ['check', '--no-default-features'], { env });
  for (const feature of ['engine', 'testing', 'memory,foreign']) {
    const args = ['check', '--no-default-features', '--features', feature];
    yield check(`rust, feature ${feature}`, 'cargo', args, { env });
  }
}
