// docs/wa-sqlite-vfses.md: what the conformance kit says of the VFSes that wa-sqlite ships.

import { setup } from './setup.mjs';
import { main, mustRun } from './shell.mjs';

await main(async () => {
  await setup('build');
  const env = { ...process.env, WA_SQLITE_VFSES: '1' };
  await mustRun('vitest', ['run', '--config', 'vitest.e2e.config.ts', 'www/test/compat.e2e.ts'], { env });
});
