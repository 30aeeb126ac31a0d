// Builds the npm package: the wasm from src/, then the JavaScript from js/src/, into dist/.
//
//   node scripts/build.mjs            what has changed
//   node scripts/build.mjs --force    everything

import { pathToFileURL } from 'node:url';
import { buildTypeScript } from './build/typescript.mjs';
import { buildWasm } from './build/wasm.mjs';
import { setup } from './setup.mjs';
import { main } from './shell.mjs';

export async function build({ force = false } = {}) {
  await buildWasm({ force });
  await buildTypeScript({ force });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setup('build');
    await build({ force: process.argv.includes('--force') });
  });
}
