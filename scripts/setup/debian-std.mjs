// The wasm target for a machine that rustup cannot download to, but Debian's packages reach.
//
// Debian carries a recent rustc (made for building browsers) with the source of the standard library
// and all that it depends on. Compiler and library must match to the commit, which is why this
// builds Debian's library with Debian's compiler and links that pair as a rustup toolchain of its
// own. Native builds stay with the toolchain that is active.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { inCache, wasmTarget, wasmTriple } from '../paths.mjs';
import { capture, mustRun, patiently, Stop, say } from '../shell.mjs';
import { findWasmLd, linkedToolchain, stdIdentity, stdStamp, wasmLibFolder } from '../toolchain.mjs';
import { installPackages } from './apt.mjs';

const packages = ['rustc-web', 'cargo-web', 'rust-web-src', 'rust-web-llvm', 'rust-web-clippy', 'lld-22'];

/** By full path: `rustc` and `cargo` on PATH are rustup's. */
const rustc = '/usr/bin/rustc';
const cargo = '/usr/bin/cargo';

export async function buildStdOnDebian() {
  await installPackages(packages, { what: 'Rust for wasm from Debian' });
  const version = capture(rustc, ['-vV']);
  const sysroot = capture(rustc, ['--print', 'sysroot']);
  if (!version || !sysroot) throw new Stop(`${rustc} does not run`);

  const libraries = await buildStd(join(sysroot, 'lib/rustlib/src/rust/library'), version);
  installStd(libraries, version);
  await mustRun('rustup', ['toolchain', 'link', linkedToolchain, sysroot]);
  await verify();
}

/** Builds std in the cache, in a folder named after its identity. Returns the folder of the rlibs. */
async function buildStd(source, version) {
  const release = /^release: (.+)$/m.exec(version)[1];
  const identity = createHash('sha256').update(stdIdentity(version)).digest('hex').slice(0, 8);
  const work = inCache('std', `${release}-${identity}`);
  const done = join(work, 'lib');
  if (existsSync(done)) return done;

  say(
    `wasm target: building Rust ${release}'s standard library (about ${cpus().length > 4 ? 1 : 2} minutes)`,
  );
  // With it go the libraries of earlier compilers.
  rmSync(inCache('std'), { recursive: true, force: true });
  // A copy, because cargo wants to write beside the manifest and the system's folder is the system's.
  const library = join(work, 'library');
  cpSync(source, library, { recursive: true });
  const vendor = join(library, 'vendor');
  const args = [
    // The standard library's tests need crates that Debian does not ship, and nobody builds them here.
    '-Zavoid-dev-deps',
    ...['build', '--manifest-path', join(library, 'sysroot', 'Cargo.toml')],
    ...['--release', '--locked', '--offline', '--target', wasmTriple],
    ...['--config', 'source.crates-io.replace-with="vendored"'],
    ...['--config', `source.vendored.directory=${JSON.stringify(vendor)}`],
  ];
  const env = {
    ...withoutRustup(),
    RUSTC: rustc,
    // The standard library is written in the unstable language. These are how rustc's own build
    // system compiles it for release; the bitcode is what link-time optimization works on.
    RUSTC_BOOTSTRAP: '1',
    RUSTFLAGS: '-Zforce-unstable-if-unmarked -Cembed-bitcode=yes',
    __CARGO_DEFAULT_LIB_METADATA: 'x',
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '1',
    CARGO_TARGET_DIR: join(work, 'target'),
  };
  const { code } = await patiently(cargo, args, { env, cwd: library });
  if (code !== 0) throw new Stop('the standard library did not build: see above');

  const built = join(work, 'target', wasmTriple, 'release', 'deps');
  copyLibraries(built, `${done}.new`);
  renameSync(`${done}.new`, done);
  for (const folder of [library, join(work, 'target')]) rmSync(folder, { recursive: true, force: true });
  return done;
}

/** Puts the rlibs where this compiler looks for them. */
function installStd(libraries, version) {
  const folder = wasmLibFolder({ ...process.env, RUSTUP_TOOLCHAIN: undefined, PATH: dirname(rustc) });
  if (!folder) throw new Stop(`${rustc} does not know the target ${wasmTriple}`);
  // Cleared first: a second copy of a crate beside the first breaks every later build.
  rmSync(folder, { recursive: true, force: true });
  copyLibraries(libraries, folder);
  writeFileSync(stdStamp(folder), stdIdentity(version));
  // cargo does not notice that the library under its builds has changed.
  rmSync(wasmTarget, { recursive: true, force: true });
}

function copyLibraries(from, to) {
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(from).filter((name) => name.endsWith('.rlib'))) {
    copyFileSync(join(from, file), join(to, file));
  }
}

/** A program that allocates, formats and links: an incomplete library is found here, not in a build. */
async function verify() {
  const folder = inCache('std', 'probe');
  mkdirSync(folder, { recursive: true });
  const source = join(folder, 'probe.rs');
  writeFileSync(source, '#[no_mangle] pub extern "C" fn probe(n: u32) -> usize { format!("{n:?}").len() }\n');
  const { code } = await patiently(
    'rustc',
    [
      ...['--target', wasmTriple, '--crate-type', 'cdylib', '-C', 'lto', '-C', `linker=${findWasmLd()}`],
      ...[source, '-o', join(folder, 'probe.wasm')],
    ],
    { env: { ...process.env, RUSTUP_TOOLCHAIN: linkedToolchain } },
  );
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) throw new Stop('the standard library for wasm was built but does not link: see above');
}

/** rustup's variables would send Debian's cargo to rustup's compiler. */
function withoutRustup() {
  const strange = /^(RUSTUP_TOOLCHAIN|RUSTC|RUSTC_WRAPPER|RUSTFLAGS|CARGO_.*FLAGS|CARGO_BUILD_.*|CARGO)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !strange.test(name)));
}
