// Builds the package and the benchmarks, and runs a suite of them: benches/main.ts has the options.

import { build } from './build.mjs';
import { inProject } from './paths.mjs';
import { setup } from './setup.mjs';
import { main, run } from './shell.mjs';

const target = inProject('target', 'benches', 'node');

await main(async () => {
  const args = process.argv.slice(2);
  // Then standard output is for JSON alone.
  if (args.includes('--json')) console.log = console.error;
  await setup('build');
  await build();
  await bundle();
  return run(process.execPath, ['--expose-gc', `${target}/main.js`, ...args]);
});

/** Node 20 does not run TypeScript. The libraries stay outside, and this package too: as they are published. */
async function bundle() {
  const { build: viteBuild } = await import('vite');
  await viteBuild({
    configFile: false,
    root: inProject('benches'),
    logLevel: 'warn',
    ssr: { external: ['sqlite-vfs-kit'] },
    build: {
      ssr: 'main.ts',
      outDir: target,
      emptyOutDir: true,
      target: 'node20',
      sourcemap: true,
      minify: false,
    },
  });
}
