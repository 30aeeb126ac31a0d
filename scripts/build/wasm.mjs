// The wasm file and its glue: cargo, then wasm-bindgen, then wasm-opt, into js/src/wasm/.

import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inProject, wasmTarget, wasmTriple } from '../paths.mjs';
import { capture, mustRun, say } from '../shell.mjs';
import { wasmEnv } from '../toolchain.mjs';
import { dropUnwantedExports } from './exports.mjs';
import { unlessFresh } from './fresh.mjs';
import { sqliteSource } from './sqlite-source.mjs';

/** Where TypeScript imports it from; git ignores the folder. */
export const wasmFolder = 'js/src/wasm';

const crateFile = 'sqlite_vfs_kit';

/**
 * What the engines this package supports have all had for years, Node 20 among them. Named one by
 * one: wasm-opt's --all-features also changes encodings, to some that those engines reject.
 */
const wasmFeatures = [
  'bulk-memory',
  'bulk-memory-opt',
  'multivalue',
  'mutable-globals',
  'nontrapping-float-to-int',
  'reference-types',
  'sign-ext',
];

export async function buildWasm({ force }) {
  const env = wasmEnv();
  await unlessFresh(
    {
      name: 'wasm',
      inputs: ['Cargo.toml', 'Cargo.lock', '.cargo', 'src', 'scripts/build'],
      outputs: [`${wasmFolder}/${crateFile}.js`, `${wasmFolder}/${crateFile}_bg.wasm`],
      extra: [
        capture('rustc', ['-vV'], { env }),
        capture(env.CC_wasm32_unknown_unknown, ['--version']),
        env.RUSTFLAGS,
        env.SQLITE_WASM_RS_FLAGS,
      ].join('\n'),
      force,
    },
    () => compile(env),
  );
}

async function compile(env) {
  say('wasm: building (one to three minutes the first time, because of SQLite and link-time optimization)');
  await mustRun(
    'cargo',
    // As a cdylib here only: in Cargo.toml it would be linked by everyone who depends on the crate.
    ['rustc', '--release', '--lib', '--crate-type', 'cdylib', '--features', 'engine', '--target', wasmTriple],
    { env: { ...env, SQLITE_WASM_RS_SOURCE_DIR: sqliteSource(env) } },
  );
  // Made beside the folder and moved into place whole: a failure leaves the last good build. The
  // number keeps two builds at a time (a test run and a person at work) out of each other's way.
  const out = inProject('target', `wasm-bindgen-${process.pid}`);
  try {
    await bind(out, env);
    rmSync(inProject(wasmFolder), { recursive: true, force: true });
    mkdirSync(inProject('js', 'src'), { recursive: true });
    renameSync(out, inProject(wasmFolder));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** From what cargo built to what JavaScript imports, in the folder `out`. */
async function bind(out, env) {
  const built = join(wasmTarget, wasmTriple, 'release', `${crateFile}.wasm`);
  await mustRun('wasm-bindgen', ['--target', 'web', '--out-name', crateFile, '--out-dir', out, built], {
    env,
  });

  const bound = join(out, `${crateFile}_bg.wasm`);
  const before = statSync(bound).size;
  const features = ['--mvp-features', ...wasmFeatures.map((feature) => `--enable-${feature}`)];
  await dropUnwantedExports({
    wasm: bound,
    glue: join(out, `${crateFile}.js`),
    types: join(out, `${crateFile}.d.ts`),
    features,
    env,
  });
  await mustRun('wasm-opt', ['-O3', '--strip-debug', '--strip-producers', ...features, bound, '-o', bound], {
    env,
  });
  say(`wasm: ${kib(before)} KiB, ${kib(statSync(bound).size)} KiB after wasm-opt`);
}

const kib = (bytes) => Math.round(bytes / 1024);
