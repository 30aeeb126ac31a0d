// Formatting, lints and types, natively and for wasm.

import { wasmTriple } from '../paths.mjs';
import { nativeEnv, wasmEnv } from '../toolchain.mjs';
import { check } from './outcome.mjs';

const clippy = (...target) => [
  'clippy',
  '--all-targets',
  '--all-features',
  ...target,
  '--',
  '-D',
  'warnings',
];

export async function* lint() {
  const env = nativeEnv();
  yield check('cargo fmt', 'cargo', ['fmt', '--check'], { env });
  yield check('clippy, native', 'cargo', clippy(), { env });
  yield check('clippy, wasm', 'cargo', clippy('--target', wasmTriple), { env: wasmEnv() });
  yield check('rustdoc', 'cargo', ['doc', '--no-deps', '--all-features'], {
    env: { ...env, RUSTDOCFLAGS: '-D warnings' },
  });
  // Biome goes by its own option and neither by NO_COLOR nor by where it writes to.
  const colours = process.stdout.isTTY ? 'force' : 'off';
  yield check('biome', 'biome', ['ci', `--colors=${colours}`, '.'], { env });
  yield check('tsc', 'tsc', ['--noEmit'], { env });
  yield check('typedoc', 'typedoc', ['--emit', 'none'], { env });
}
