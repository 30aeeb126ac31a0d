// Which compilers and tools the builds use, and the environment that makes cargo use them.
//
// Everything is looked up anew each time, by asking the tools themselves: that takes a fraction
// of a second, and nothing remembered can go stale. Installing is set-up's business, not this file's.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { inCache, inProject, wasmTarget, wasmTriple } from './paths.mjs';
import { capture, Stop, which } from './shell.mjs';

/** The rustup toolchain that set-up links on machines where rustup cannot download the wasm target. */
export const linkedToolchain = 'sqlite-vfs-kit-wasm';

/** The newest first. 14 is what Debian 12 calls `clang`; anything that passes the probe is good. */
const llvmVersions = ['', '-22', '-21', '-20', '-19'];

/** Apple's clang has no wasm back end; Homebrew's does, but is not on PATH. */
const homebrewLlvm = ['/opt/homebrew/opt/llvm/bin', '/usr/local/opt/llvm/bin'];

// --- Rust ---------------------------------------------------------------------------------

/**
 * The Rust toolchain for wasm: `{ name, env }`, or null. `name` is null for the toolchain that is
 * active anyway, which is the ordinary case (`rustup target add wasm32-unknown-unknown`).
 */
export function findRustForWasm() {
  if (hasWasmStd(process.env)) return { name: null, env: {} };
  const linked = { RUSTUP_TOOLCHAIN: linkedToolchain };
  if (linkedStdIsCurrent({ ...process.env, ...linked })) {
    const linker = findWasmLd();
    const own = linker ? { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker } : {};
    return linker ? { name: linkedToolchain, env: { ...linked, ...own } } : null;
  }
  return null;
}

/** Where a toolchain keeps the standard library for wasm, whether or not it is there. */
export function wasmLibFolder(env) {
  return capture('rustc', ['--print', 'target-libdir', '--target', wasmTriple], { env });
}

function hasWasmStd(env) {
  const folder = wasmLibFolder(env);
  return Boolean(folder && holdsStd(folder));
}

function holdsStd(folder) {
  return existsSync(folder) && readdirSync(folder).some((file) => /^libstd-.*\.rlib$/.test(file));
}

/** Beside a standard library that set-up has built: what it was built by. */
export const stdStamp = (libFolder) => join(dirname(libFolder), 'sqlite-vfs-kit-built-by');

/** Another compiler, or another way of building (then raise the number), makes another library. */
export const stdIdentity = (rustcVersion) => `recipe 2\n${rustcVersion}`;

function linkedStdIsCurrent(env) {
  // rustup refuses the toolchain's name when it was never linked: then there is no folder.
  const folder = wasmLibFolder(env);
  if (!folder || !holdsStd(folder) || !existsSync(stdStamp(folder))) return false;
  return readFileSync(stdStamp(folder), 'utf8') === stdIdentity(capture('rustc', ['-vV'], { env }));
}

export function findWasmLd() {
  return firstProgram(llvmVersions.map((version) => `wasm-ld${version}`));
}

// --- C ------------------------------------------------------------------------------------

/** A clang that compiles for wasm and the llvm-ar of the same LLVM: `{ clang, ar }`, or null. */
export function findClangForWasm() {
  const chosen = process.env.CC_wasm32_unknown_unknown;
  const candidates = chosen ? [chosen] : llvmVersions.map((version) => `clang${version}`);
  for (const name of candidates) {
    for (const clang of [which(name), ...homebrewLlvm.map((folder) => which(join(folder, name)))]) {
      const ar = clang && findLlvmAr(clang);
      if (clang && ar && compilesForWasm(clang)) return { clang, ar };
    }
  }
  return null;
}

/** GNU ar writes archives of wasm objects without an index, and the linker then finds nothing in them. */
function findLlvmAr(clang) {
  const chosen = process.env.AR_wasm32_unknown_unknown;
  if (chosen) return which(chosen);
  const version = /clang(-\d+)?$/.exec(clang)?.[1] ?? '';
  return (
    which(join(dirname(clang), `llvm-ar${version}`)) ?? firstProgram(llvmVersions.map((v) => `llvm-ar${v}`))
  );
}

function compilesForWasm(clang) {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-vfs-kit-'));
  try {
    const source = join(folder, 'probe.c');
    // stddef.h is clang's own: a clang installed without its headers fails here, not in the build.
    writeFileSync(source, '#include <stddef.h>\nsize_t twice(size_t n) { return n * 2; }\n');
    const args = [`--target=${wasmTriple}`, '-O1', '-c', source, '-o', join(folder, 'probe.o')];
    return capture(clang, args) !== null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const firstProgram = (names) => names.map((name) => which(name)).find(Boolean) ?? null;

// --- Tools that are crates ----------------------------------------------------------------

/**
 * The command-line tools that cargo builds. The CLI of wasm-bindgen must match the library exactly,
 * so its version is the one that Cargo.lock has.
 */
export function cargoTools() {
  return {
    'wasm-bindgen': { crate: 'wasm-bindgen-cli', version: lockedVersion('wasm-bindgen') },
    'wasm-pack': { crate: 'wasm-pack', version: '0.15.1' },
    geckodriver: { crate: 'geckodriver', version: '0.37.1' },
  };
}

function lockedVersion(crate) {
  const path = inProject('Cargo.lock');
  if (!existsSync(path)) throw new Stop('no Cargo.lock: run `cargo generate-lockfile`');
  const lock = readFileSync(path, 'utf8');
  const found = new RegExp(`^name = "${crate}"\\nversion = "([^"]+)"`, 'm').exec(lock);
  if (!found) throw new Stop(`Cargo.lock does not name ${crate}`);
  return found[1];
}

/** Where set-up installs a tool; the version in the path keeps two of them apart. */
export const toolFolder = ({ crate, version }) => inCache('tools', `${crate}-${version}`);

/** The path of a tool in the right version, set-up's own or one found on PATH, or null. */
export function findCargoTool(name) {
  const tool = cargoTools()[name];
  const own = which(join(toolFolder(tool), 'bin', name));
  if (own) return own;
  const onPath = which(name);
  if (!onPath) return null;
  const printed = capture(onPath, ['--version']) ?? '';
  return printed.split(/\s+/).includes(tool.version) ? onPath : null;
}

// --- Browsers -----------------------------------------------------------------------------

const browserPrograms = {
  chromium: [
    process.env.CHROMIUM_PATH,
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  chromedriver: [process.env.CHROMEDRIVER, 'chromedriver'],
  firefox: [
    process.env.FIREFOX_PATH,
    'firefox',
    'firefox-esr',
    '/Applications/Firefox.app/Contents/MacOS/firefox',
  ],
};

/** The path of `chromium`, `chromedriver` or `firefox`, or null. */
export const findBrowserProgram = (name) => firstProgram(browserPrograms[name].filter(Boolean));

// --- Environments -------------------------------------------------------------------------

/** The PATH with the project's tools before everything else. */
function pathWithTools() {
  const folders = Object.keys(cargoTools())
    .map(findCargoTool)
    .concat(findBrowserProgram('chromedriver'))
    .filter(Boolean)
    .map((program) => dirname(program));
  // Only folders that PATH lacks: repeating /usr/bin in front would hide the person's own choices.
  const known = new Set((process.env.PATH ?? '').split(delimiter));
  const added = [...new Set(folders)].filter((folder) => !known.has(folder));
  return [inProject('node_modules', '.bin'), ...added, process.env.PATH].join(delimiter);
}

/** What native builds and everything in Node run in: the person's own environment and our tools. */
export function nativeEnv() {
  const browsers = {
    CHROMIUM_PATH: findBrowserProgram('chromium'),
    FIREFOX_PATH: findBrowserProgram('firefox'),
  };
  const found = Object.entries(browsers).filter(([, path]) => path);
  return { ...process.env, ...Object.fromEntries(found), PATH: pathWithTools() };
}

/** What a cargo command for wasm32-unknown-unknown runs in. Stops if set-up has not been run. */
export function wasmEnv() {
  const rust = findRustForWasm();
  if (!rust) throw new Stop('no Rust toolchain with the wasm target: run `npm run setup`');
  const c = findClangForWasm();
  if (!c) throw new Stop('no clang that compiles for wasm: run `npm run setup`');
  return {
    ...nativeEnv(),
    ...rust.env,
    CARGO_TARGET_DIR: wasmTarget,
    CC_wasm32_unknown_unknown: c.clang,
    AR_wasm32_unknown_unknown: c.ar,
  };
}

export const isDebianLike = () => platform() === 'linux' && which('apt-get') !== null;
