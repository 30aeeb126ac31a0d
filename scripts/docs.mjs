// The API reference, in docs/: of the npm package by TypeDoc, of the crate by rustdoc.

import { cpSync, rmSync } from 'node:fs';
import { build } from './build.mjs';
import { inProject } from './paths.mjs';
import { setup } from './setup.mjs';
import { main, mustRun, say } from './shell.mjs';
import { nativeEnv } from './toolchain.mjs';

await main(async () => {
  await setup('build');
  await build();
  const env = nativeEnv();
  await mustRun('typedoc', [], { env });
  await mustRun('cargo', ['doc', '--no-deps', '--all-features'], {
    env: { ...env, RUSTDOCFLAGS: '-D warnings' },
  });
  rmSync(inProject('docs', 'rust'), { recursive: true, force: true });
  cpSync(inProject('target', 'doc'), inProject('docs', 'rust'), { recursive: true });
  say('docs/api/index.html and docs/rust/sqlite_vfs_kit/index.html');
});
