// What is published: the npm package as it is once installed, and the crate.

import { isAbsolute, relative } from 'node:path';
import { root, wasmTriple } from '../paths.mjs';
import { capture, Stop } from '../shell.mjs';
import { nativeEnv, wasmEnv } from '../toolchain.mjs';
import { vitest } from './js.mjs';
import { check } from './outcome.mjs';

export async function* packages() {
  yield vitest('package, installed', ['--config', 'vitest.package.config.ts']);
  yield* crate();
}

async function* crate() {
  const env = nativeEnv();
  const { features, targets } = metadata(env);
  const doc = ['doc', '--no-deps', '--all-features'];
  const strict = { RUSTDOCFLAGS: '-D warnings' };
  yield check('crate, documentation', 'cargo', doc, { env: { ...env, ...strict } });
  yield check('crate, documentation, wasm', 'cargo', [...doc, '--target', wasmTriple], {
    env: { ...wasmEnv(), ...strict },
  });
  // Natively the suite `rust` does it.
  for (const { name, args } of featureSets(features)) {
    const command = ['check', '--lib', '--target', wasmTriple, ...args];
    yield check(`crate, wasm, ${name}`, 'cargo', command, { env: wasmEnv() });
  }
  yield contents(env, targets);
  // Builds what it has packed. What is changed and not committed is packed as well: this is a test, no release.
  yield check('crate, packed and built', 'cargo', ['package', '--allow-dirty'], { env });
}

function metadata(env) {
  const text = capture('cargo', ['metadata', '--no-deps', '--format-version', '1'], { env });
  if (!text) throw new Stop('cargo metadata failed');
  return JSON.parse(text).packages[0];
}

/** Each feature must stand alone: a user turns on one, not all. */
function featureSets(features) {
  const alone = (...names) => ['--no-default-features', ...names.flatMap((name) => ['--features', name])];
  const names = Object.keys(features).filter((name) => name !== 'default');
  // Only types are looked at. SQLite beneath is there from the lints where wasm-bindgen is on, and else compiled for this:
  // badly, which takes a quarter of the time.
  const quick = ['--config', 'profile.dev.package.sqlite-wasm-rs.opt-level=0'];
  const isLinted = (name) => features[name].includes('sqlite-wasm-rs/wasm-bindgen');
  return [
    { name: 'no features', args: [...alone(), ...quick] },
    { name: 'default features', args: quick },
    ...names.map((name) => ({
      name: `feature ${name}`,
      args: [...alone(name), ...(isLinted(name) ? [] : quick)],
    })),
    { name: 'all features', args: ['--all-features'] },
  ];
}

/** All that belongs to the crate, nothing that only belongs to the repository. */
function contents(env, targets) {
  const listed = capture('cargo', ['package', '--list', '--allow-dirty'], { env })?.split('\n') ?? [];
  const papers = ['README.md', 'CHANGELOG.md', 'LICENSE-APACHE', 'LICENSE-MIT', 'NOTICE'];
  const cargos = ['Cargo.toml', 'Cargo.toml.orig', 'Cargo.lock', '.cargo_vcs_info.json'];
  const sources = targets.map(({ src_path }) => relative(root, src_path)).filter((path) => !isAbsolute(path));
  const missing = [...papers, ...sources].filter((path) => !listed.includes(path));
  const strange = listed
    .filter((path) => !papers.includes(path) && !cargos.includes(path))
    .filter((path) => !/^((src|tests|examples)\/.*\.rs|guides\/.*\.md)$/.test(path));
  for (const path of missing) console.error(`not in the crate: ${path}`);
  for (const path of strange) console.error(`in the crate, and not of it: ${path}`);
  const failed = missing.length + strange.length > 0 ? 1 : 0;
  return { name: 'crate, contents', passed: 1 - failed, failed };
}
