// The package's JavaScript and its types: tsc from js/src/ into dist/, and the wasm beside them.

import { cpSync, rmSync } from 'node:fs';
import { inProject } from '../paths.mjs';
import { mustRun, say } from '../shell.mjs';
import { nativeEnv } from '../toolchain.mjs';
import { unlessFresh } from './fresh.mjs';
import { wasmFolder } from './wasm.mjs';

export async function buildTypeScript({ force }) {
  await unlessFresh(
    {
      name: 'typescript',
      inputs: [
        'js/src',
        'package-lock.json',
        'tsconfig.json',
        'tsconfig.build.json',
        'scripts/build/typescript.mjs',
      ],
      outputs: ['dist/index.js', 'dist/wasm'],
      force,
    },
    compile,
  );
}

async function compile() {
  say('TypeScript: building');
  rmSync(inProject('dist'), { recursive: true, force: true });
  await mustRun('tsc', ['-p', 'tsconfig.build.json'], { env: nativeEnv() });
  // tsc takes the glue's .d.ts for what it is, declarations, and copies neither it nor the .js.
  cpSync(inProject(wasmFolder), inProject('dist', 'wasm'), { recursive: true });
}
