// Takes sqlite-wasm-rs's own VFS out of the wasm file.

import { readFileSync, writeFileSync } from 'node:fs';
import { Stop } from '../shell.mjs';

/**
 * Nobody registers it (sqlite-source.mjs), but its methods stand in the table of functions that may be called by a pointer, where
 * wasm-opt has to leave them. Here they lose their bodies; what only those called goes with them, 7 KB of the compressed file.
 */
export async function dropUnusedVfs(wasm) {
  // Loaded late: on a fresh machine set-up installs it first.
  const { default: binaryen } = await import('binaryen');
  // The names of functions, which are stripped later, tell which they are.
  binaryen.setDebugInfo(true);
  const module = binaryen.readBinary(readFileSync(wasm));
  let found = 0;
  for (let i = 0; i < module.getNumFunctions(); i++) {
    const pointer = module.getFunctionByIndex(i);
    if (!/\brsqlite_vfs(::|\[)/.test(binaryen.getFunctionInfo(pointer).name)) continue;
    binaryen.Function(pointer).body = module.unreachable();
    found++;
  }
  if (found === 0) throw new Stop(`the wasm file has nothing of rsqlite_vfs: see ${import.meta.url}`);
  writeFileSync(wasm, module.emitBinary());
  module.dispose();
}
