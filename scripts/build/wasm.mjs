// The wasm files and their glue: cargo, then wasm-bindgen, then wasm-opt, into js/src/wasm/.

import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject, wasmTarget, wasmTriple } from '../paths.mjs';
import { capture, mustRun, Stop, say } from '../shell.mjs';
import { wasmEnv } from '../toolchain.mjs';
import { dropUnwantedExports } from './exports.mjs';
import { unlessFresh } from './fresh.mjs';
import { cratesFolder, sqliteSource } from './sqlite-source.mjs';
import { dropUnusedBodies } from './unused-bodies.mjs';

/** Where TypeScript imports it from; git ignores the folder. */
export const wasmFolder = 'js/src/wasm';

const crateFile = 'sqlite_vfs_kit';

/** The default one, and the one for hosts that can suspend a call. */
const builds = [
  { name: crateFile, feature: 'engine', linkArgs: [] },
  // Each connection has a stack of its own there, and JavaScript switches between them.
  { name: `${crateFile}_jspi`, feature: 'jspi', linkArgs: ['-C', 'link-arg=--export=__stack_pointer'] },
];

/** The default one again, for databases with tables of FTS3 or FTS4: seven percent more, which few need. */
const withFts3 = `${crateFile}_fts3`;

/** A text that ends another one is kept once. */
const mergeTexts = ['-C', 'link-arg=-O2'];

/** The one without SQLite, of which all that crosses is numbers: it needs no glue. */
const stores = `${crateFile}_stores`;

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

const features = ['--mvp-features', ...wasmFeatures.map((feature) => `--enable-${feature}`)];

export async function buildWasm({ force }) {
  const env = wasmEnv();
  await unlessFresh(
    {
      name: 'wasm',
      inputs: ['Cargo.toml', 'Cargo.lock', '.cargo', 'src', 'scripts/build'],
      outputs: [
        ...builds.flatMap(({ name }) => [`${wasmFolder}/${name}.js`, `${wasmFolder}/${name}_bg.wasm`]),
        `${wasmFolder}/${withFts3}_bg.wasm`,
        `${wasmFolder}/${stores}.wasm`,
      ],
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
  // What panics say of where they were is no path of this machine.
  const remapped = `--remap-path-prefix=${cratesFolder(env)}=`;
  const cargoEnv = {
    ...env,
    SQLITE_WASM_RS_SOURCE_DIR: sqliteSource(env),
    // Apart from RUSTFLAGS in this: a path may have spaces in it.
    CARGO_ENCODED_RUSTFLAGS: [...(env.RUSTFLAGS?.split(/\s+/) ?? []), remapped].filter(Boolean).join('\x1f'),
  };
  // Made beside the folder and moved into place whole: a failure leaves the last good build. The
  // number keeps two builds at a time (a test run and a person at work) out of each other's way.
  const out = inProject('target', `wasm-bindgen-${process.pid}`);
  try {
    for (const build of builds) {
      await rustc(['--features', build.feature, '--', ...mergeTexts, ...build.linkArgs], cargoEnv);
      await bind(build.name, out, env);
    }
    await bindWithFts3(out, env, {
      ...cargoEnv,
      SQLITE_WASM_RS_SOURCE_DIR: sqliteSource(env, { withFts3: true }),
    });
    await rustc(['--no-default-features', '--features', 'memory,foreign', '--', ...mergeTexts], cargoEnv);
    await bare(join(out, `${stores}.wasm`), env);
    rmSync(inProject(wasmFolder), { recursive: true, force: true });
    mkdirSync(inProject('js', 'src'), { recursive: true });
    renameSync(out, inProject(wasmFolder));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** As a cdylib here only: in Cargo.toml it would be linked by everyone who depends on the crate. */
async function rustc(args, env) {
  const crate = ['--release', '--lib', '--crate-type', 'cdylib', '--target', wasmTriple];
  await mustRun('cargo', ['rustc', ...crate, ...args], { env });
}

const builtIn = (target) => join(target, wasmTriple, 'release', `${crateFile}.wasm`);
const built = builtIn(wasmTarget);

/** The wasm file alone: it goes with the glue of the default one. */
async function bindWithFts3(out, env, cargoEnv) {
  // SQLite is compiled twice, and kept twice.
  const target = `${wasmTarget}-fts3`;
  await rustc(['--features', 'engine', '--', ...mergeTexts], { ...cargoEnv, CARGO_TARGET_DIR: target });
  const folder = join(out, 'fts3');
  await bind(crateFile, folder, env, builtIn(target));
  const [glue, other] = [out, folder].map((path) => readFileSync(join(path, `${crateFile}.js`), 'utf8'));
  if (glue !== other) throw new Stop('the wasm file with FTS3 wants other glue than the default one');
  renameSync(join(folder, `${crateFile}_bg.wasm`), join(out, `${withFts3}_bg.wasm`));
  rmSync(folder, { recursive: true });
}

/** From what cargo built to what JavaScript loads, without glue. */
async function bare(file, env) {
  copyFileSync(built, file);
  const before = statSync(file).size;
  await dropUnwantedExports({ wasm: file, features, env });
  await optimize(file, env);
  say(`wasm, stores alone: ${kib(before)} KiB, ${kib(statSync(file).size)} KiB after wasm-opt`);
}

async function optimize(file, env) {
  await mustRun(
    'wasm-opt',
    ['-O3', '-Oz', '--strip-debug', '--strip-producers', ...features, file, '-o', file],
    {
      env,
    },
  );
}

/** From what cargo built to what JavaScript imports, in the folder `out`. */
async function bind(name, out, env, from = built) {
  await mustRun('wasm-bindgen', ['--target', 'web', '--out-name', name, '--out-dir', out, from], {
    env,
  });

  const glue = join(out, `${name}.js`);
  const types = join(out, `${name}.d.ts`);
  takeImports(glue, types);

  const bound = join(out, `${name}_bg.wasm`);
  const before = statSync(bound).size;
  await dropUnusedBodies(bound);
  await dropUnwantedExports({ wasm: bound, glue, types, features, env });
  await optimize(bound, env);
  say(`wasm: ${kib(before)} KiB, ${kib(statSync(bound).size)} KiB after wasm-opt`);
}

/**
 * The functions that src/engine/imports.rs names come from whoever loads the module. wasm-bindgen has them imported from a
 * module of that name, of which there would be one for all.
 */
function takeImports(glue, types) {
  const source = readFileSync(glue, 'utf8');
  const line = /^import \* as (\w+) from ["']vfs-host["'];?$/m;
  const name = line.exec(source)?.[1];
  if (name === undefined)
    throw new Stop(`wasm-bindgen's glue imports nothing of ours: see ${import.meta.url}`);
  // wasm-bindgen may name it once for each function.
  const ours = /^import \* as \w+ from ["']vfs-host["'];?\n/gm;
  const setter = `let ${name} = {};\nexport function setImports(imports) { ${name} = imports; }\n`;
  let rest = source.replace(ours, '');
  for (const [, other] of source.matchAll(/^import \* as (\w+) from ["']vfs-host["']/gm)) {
    rest = rest.replaceAll(new RegExp(`\\b${other}\\b`, 'g'), name);
  }
  // Its own ways in fetch and compile as well, which load.ts does; bundlers leave out what nobody imports.
  const way =
    'export const instantiate = async (module) =>\n' +
    '  __wbg_finalize_init(await WebAssembly.instantiate(module, __wbg_get_imports()), module);\n';
  rest = rest.replace(/^(.*["']vfs-host["']: \w+,\n)(\1)+/gm, '$1');
  writeFileSync(glue, setter + rest + way);
  const declaration =
    'export function setImports(imports: WebAssembly.ModuleImports): void;\n' +
    'export function instantiate(module: WebAssembly.Module): Promise<InitOutput>;\n';
  writeFileSync(types, declaration + readFileSync(types, 'utf8'));
}

const kib = (bytes) => Math.round(bytes / 1024);
