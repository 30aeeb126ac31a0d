// Builds the package and serves the playground from it.

import { build } from './build.mjs';
import { setup } from './setup.mjs';
import { main, run } from './shell.mjs';
import { nativeEnv } from './toolchain.mjs';

await main(async () => {
  await setup('build');
  await build();
  // Vite prints the address, and takes another port when its own is in use.
  return run('vite', ['www', ...process.argv.slice(2)], { env: nativeEnv() });
});
