// Takes the bodies of functions out of the wasm file that nobody calls, or that stop it in any case.

import { readFileSync, writeFileSync } from 'node:fs';
import { Stop } from '../shell.mjs';

const unused = [
  // sqlite-wasm-rs's own VFS. Nobody registers it (sqlite-source.mjs), but its methods stand in the table of functions that may be
  // called by a pointer, where wasm-opt has to leave them. What only those called goes with them: 7 KB of the compressed file.
  /\brsqlite_vfs(::|\[)/,
  // What a panic does before it stops the module: it puts words together that nobody reads, for there is no standard error. 1.3 KB.
  /\b(panicking|begin_panic|panic_access_error|panic_already(_mutably)?_borrowed|handle_alloc_error)\b/,
  /\b(rust_begin_unwind|slice_error_fail(_rt)?|slice_index_fail|unwrap_failed|expect_failed)\b/,
];

export async function dropUnusedBodies(wasm) {
  // Loaded late: on a fresh machine set-up installs it first.
  const { default: binaryen } = await import('binaryen');
  // The names of functions, which are stripped later, tell which they are.
  binaryen.setDebugInfo(true);
  const module = binaryen.readBinary(readFileSync(wasm));
  const found = new Set();
  for (let i = 0; i < module.getNumFunctions(); i++) {
    const pointer = module.getFunctionByIndex(i);
    const { name } = binaryen.getFunctionInfo(pointer);
    const which = unused.find((pattern) => pattern.test(name));
    if (which === undefined) continue;
    binaryen.Function(pointer).body = module.unreachable();
    found.add(which);
  }
  const missing = unused.find((pattern) => !found.has(pattern));
  if (missing) throw new Stop(`the wasm file has nothing like ${missing}: see ${import.meta.url}`);
  writeFileSync(wasm, module.emitBinary());
  module.dispose();
}
