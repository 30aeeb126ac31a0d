// Runs one command in the environment that the builds use, for work by hand:
//
//   node scripts/run.mjs wasm -- cargo check --target wasm32-unknown-unknown
//   node scripts/run.mjs native -- wasm-bindgen --version

import { main, run, Stop } from './shell.mjs';
import { nativeEnv, wasmEnv } from './toolchain.mjs';

const environments = { native: nativeEnv, wasm: wasmEnv };

await main(async () => {
  const [kind, dashes, command, ...args] = process.argv.slice(2);
  if (!(kind in environments) || dashes !== '--' || !command) {
    throw new Stop('usage: node scripts/run.mjs wasm|native -- <command> [arguments]');
  }
  return run(command, args, { env: environments[kind](), cwd: process.cwd() });
});
