// SQLite's source as the npm package's wasm file has it: that of the sqlite-wasm-rs crate, with directions for the compiler
// added. It is made anew in target/, and nothing of it is kept in the tree.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inProject } from '../paths.mjs';
import { capture, Stop } from '../shell.mjs';

/**
 * The parts of SQLite that every row, page or statement of a long text passes through: they are compiled as the profile in
 * Cargo.toml says (`-Os`). All else is compiled for size alone (`-Oz`).
 */
const often = new Set(
  [
    'bitvec btree expr hash insert malloc mem1 memjournal pager parse pcache pcache1 prepare random resolve rowset tokenize',
    'utf util vdbe vdbeapi vdbeaux vdbemem vdbesort wal',
  ]
    .join(' ')
    .split(' ')
    .map((name) => `${name}.c`),
);

/**
 * The crate's own `sqlite3_os_init` registers a VFS of its own, which would be dead weight here. SQLite calls ours instead
 * (src/engine/mod.rs).
 */
const renames = ['sqlite3_os_init', 'sqlite3_os_end'].map(
  (name) => `#define ${name} sqlite_vfs_kit_${name.slice(8)}\n`,
);

/** Makes the folder that `SQLITE_WASM_RS_SOURCE_DIR` names, and answers it. */
export function sqliteSource(env) {
  const original = crateFolder('sqlite-wasm-rs', env);
  const folder = inProject('target', 'sqlite');
  const source =
    renames.join('') + withChunks(forSize(readFileSync(join(original, 'sqlite3', 'sqlite3.c'), 'utf8')));
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

/** The amalgamation says where each of SQLite's files begins and ends. */
function forSize(source) {
  const found = new Set();
  const begun = new Set();
  const marked = source.replace(/^\/\*+ (Begin file|End of) (\w+\.c) \*+\/$/gm, (line, what, file) => {
    if (often.has(file)) {
      found.add(file);
      return line;
    }
    if (what === 'Begin file') {
      begun.add(file);
      return `${line}\n#pragma clang attribute push(__attribute__((minsize)), apply_to = function)`;
    }
    // The amalgamation's own end has no beginning.
    return begun.has(file) ? `#pragma clang attribute pop\n${line}` : line;
  });
  const missing = [...often].filter((file) => !found.has(file));
  if (missing.length > 0)
    throw new Stop(`SQLite's source has no ${missing.join(', ')}: see ${import.meta.url}`);
  return marked;
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
