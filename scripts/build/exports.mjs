// Takes out of the wasm file what nobody calls.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { capture, Stop } from '../shell.mjs';

/**
 * Every `#[no_mangle]` function of every crate is exported, and keeps alive what it calls. Wanted are the engine's own, and
 * what wasm-bindgen's glue names, where there is one.
 */
export async function dropUnwantedExports({ wasm, glue, types, features, env }) {
  const { WebAssembly } = globalThis;
  const all = WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(wasm))).map(({ name }) => name);
  const named = new Set(
    Array.from((glue ? readFileSync(glue, 'utf8') : '').matchAll(/\bwasm\.(\w+)/g), ([, name]) => name),
  );
  const ours = (name) => name.startsWith('kit_') || ['__stack_pointer', 'memory'].includes(name);
  const wanted = all.filter((name) => ours(name) || named.has(name));
  const nodes = wanted.map((name) => ({ name: `export:${name}`, export: name, root: true }));
  const graph = `${wasm}.graph.json`;
  writeFileSync(graph, JSON.stringify(nodes));
  // Not on the terminal: it lists all that it drops.
  const args = [wasm, '--graph-file', graph, ...features, '-o', wasm];
  if (capture('wasm-metadce', args, { env, timeout: 300_000 }) === null) {
    throw new Stop(`wasm-metadce ${args.join(' ')} failed`);
  }
  // The folder is what is published.
  rmSync(graph);

  if (!types) return;
  const gone = new Set(all.filter((name) => !wanted.includes(name)));
  const lines = readFileSync(types, 'utf8').split('\n');
  writeFileSync(types, lines.filter((line) => !gone.has(/readonly (\w+):/.exec(line)?.[1])).join('\n'));
}
