// Formats everything, and applies the linters' safe fixes to TypeScript and JavaScript.

import { setup } from './setup.mjs';
import { main, run } from './shell.mjs';
import { nativeEnv } from './toolchain.mjs';

await main(async () => {
  await setup('npm');
  const env = nativeEnv();
  const rust = await run('cargo', ['fmt'], { env });
  const js = await run('biome', ['check', '--write', '.'], { env });
  return rust || js;
});
