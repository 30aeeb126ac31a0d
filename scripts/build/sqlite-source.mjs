// SQLite's source as the npm package's wasm file has it: that of the sqlite-wasm-rs crate, with directions for the compiler
// added. It is made anew in target/, and nothing of it is kept in the tree.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inProject } from '../paths.mjs';
import { capture, Stop } from '../shell.mjs';
import { hotFunctions } from './hot-functions.mjs';

/**
 * The crate's own `sqlite3_os_init` registers a VFS of its own, which would be dead weight here. SQLite calls ours instead
 * (src/engine/mod.rs).
 */
const renames = ['sqlite3_os_init', 'sqlite3_os_end'].map(
  (name) => `#define ${name} sqlite_vfs_kit_${name.slice(8)}\n`,
);

/** Full text search as it was before FTS5, with the syntax for queries that Node's has. */
const fts3 = ['FTS3', 'FTS3_PARENTHESIS', 'FTS4'].map((name) => `#define SQLITE_ENABLE_${name} 1\n`);

/**
 * Makes the folder that `SQLITE_WASM_RS_SOURCE_DIR` names, and answers it.
 *
 * @param options.withFts3 With FTS3 and FTS4.
 */
export function sqliteSource(env, { withFts3 = false } = {}) {
  const original = crateFolder('sqlite-wasm-rs', env);
  const folder = inProject('target', withFts3 ? 'sqlite-fts3' : 'sqlite');
  const defines = withFts3 ? [...renames, ...fts3] : renames;
  const source =
    defines.join('') + withChunks(forSize(readFileSync(join(original, 'sqlite3', 'sqlite3.c'), 'utf8')));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'sqlite3.c');
  // An unchanged file keeps its time, and cargo does not compile it again.
  if (!existsSync(file) || readFileSync(file, 'utf8') !== source) {
    writeFileSync(file, source);
    for (const header of ['sqlite3.h', 'sqlite3ext.h']) {
      copyFileSync(join(original, 'sqlite3', header), join(folder, header));
    }
  }
  return folder;
}

/** What is not passed often is compiled for size alone (`-Oz`), the functions of hot-functions.mjs as Cargo.toml says (`-Os`). */
function forSize(source) {
  const begin = '#pragma clang attribute push(__attribute__((minsize)), apply_to = function)\n';
  const end = '#pragma clang attribute pop\n';
  const parts = [];
  let rest = 0;
  for (const [from, to] of hotFunctions.map((name) => definitionOf(name, source)).sort(([a], [b]) => a - b)) {
    parts.push(begin, source.slice(rest, from), end, source.slice(from, to));
    rest = to;
  }
  return [...parts, begin, source.slice(rest), '\n', end].join('');
}

/** Where a function begins and ends: SQLite's source has both at the beginning of a line. */
function definitionOf(name, source) {
  const mentioned = new RegExp(`^[A-Za-z_][^\\n;=]*\\b${name}\\(`, 'gm');
  for (const { index } of source.matchAll(mentioned)) {
    const body = /[{;]/.exec(source.slice(index, index + 2000));
    if (body?.[0] !== '{') continue;
    const last = source.indexOf('\n}', index) + 1;
    return [index, source.indexOf('\n', last) + 1];
  }
  throw new Stop(`SQLite's source has no function ${name}: see hot-functions.mjs`);
}

/**
 * A journal in memory is made of pieces of 1 KiB, so that each page a transaction changes costs five allocations. In one of these
 * there is room for the two pages of a small transaction.
 */
function withChunks(source) {
  const size = /^#define MEMJOURNAL_DFLT_FILECHUNKSIZE 1024$/m;
  if (!size.test(source)) throw new Stop(`SQLite's journal in memory has changed: see ${import.meta.url}`);
  return source.replace(size, '#define MEMJOURNAL_DFLT_FILECHUNKSIZE 8704');
}

/** Where cargo keeps the crates that it has fetched. */
export const cratesFolder = (env) => dirname(crateFolder('sqlite-wasm-rs', env));

function crateFolder(name, env) {
  // On a new machine this fetches the crates.
  const metadata = capture('cargo', ['metadata', '--format-version', '1', '--locked'], {
    env,
    timeout: 600_000,
  });
  if (metadata === null) throw new Stop('cargo cannot tell where the crates are: run `cargo fetch --locked`');
  const { packages } = JSON.parse(metadata);
  return dirname(packages.find((crate) => crate.name === name).manifest_path);
}
