// Builds the package and runs the demo in Node.

import { cpSync, rmSync } from 'node:fs';
import { wasmFolder } from './build/wasm.mjs';
import { build } from './build.mjs';
import { inProject } from './paths.mjs';
import { setup } from './setup.mjs';
import { main, mustRun, run } from './shell.mjs';
import { nativeEnv } from './toolchain.mjs';

await main(async () => {
  await setup('build');
  await build();
  // Node 20 does not run TypeScript: the demo and what it imports are compiled into a folder of their own.
  rmSync(inProject('build'), { recursive: true, force: true });
  await mustRun('tsc', ['-p', 'tsconfig.demo.json'], { env: nativeEnv() });
  cpSync(inProject(wasmFolder), inProject('build', 'src', 'wasm'), { recursive: true });
  return run(process.execPath, [inProject('build', 'demo', 'demo.js'), ...process.argv.slice(2)]);
});
