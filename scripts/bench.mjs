// Builds the package and the benchmarks, and runs a suite of them: benches/main.ts has the options.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { inProject } from './paths.mjs';
import { setUpBrowsers } from './setup/browsers.mjs';
import { setUpBetterSqlite3 } from './setup/npm-packages.mjs';
import { setup } from './setup.mjs';
import { main, run, Stop } from './shell.mjs';
import { nativeEnv } from './toolchain.mjs';

/** Of this package, as far as benchmarks use them. */
const entries = [
  'sqlite-vfs-kit/adapters/sqlite-wasm',
  'sqlite-vfs-kit/adapters/wa-sqlite',
  'sqlite-vfs-kit/jspi',
  'sqlite-vfs-kit/stores',
  'sqlite-vfs-kit',
];

/** Of both bundles. */
const common = { emptyOutDir: true, sourcemap: true, minify: false, chunkSizeWarningLimit: 10_000 };

await main(async () => {
  const { node26, json, browser, args } = parse(process.argv.slice(2));
  // Then standard output is for JSON alone.
  if (json) console.log = console.error;
  await setup(node26 ? 'js' : 'build');
  if (browser) await setUpBrowsers();
  // A peer where the Node that it was compiled for is.
  else await setUpBetterSqlite3();
  await build();
  const node = node26 ? node26Program() : process.execPath;
  // The number keeps two runs at a time out of each other's way.
  const folder = inProject('target', `benches-${process.pid}`);
  try {
    await bundleForNode(join(folder, 'node'));
    if (browser) await bundleForBrowsers(join(folder, 'browser'));
    // `gc` is called between runs.
    return await run(node, ['--expose-gc', join(folder, 'node', 'main.js'), ...args], { env: nativeEnv() });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** What is of interest here; the rest is for main.ts to judge. */
function parse(args) {
  return {
    node26: args.includes('--node26'),
    json: args.includes('--json'),
    browser: args.some((arg) => /^--browser(=|$)/.test(arg)),
    args,
  };
}

function node26Program() {
  const packaged = inProject(
    'js/test/node26/node_modules',
    `node-${process.platform}-${process.arch}`,
    'bin/node',
  );
  const program = process.env.NODE26_PATH ?? packaged;
  if (!existsSync(program)) throw new Stop(`no Node 26 at ${program}: NODE26_PATH names one`);
  return program;
}

/** Node 20 does not run TypeScript. Libraries stay outside, and so does this package: as it is published. */
async function bundleForNode(outDir) {
  await vite({
    ssr: { external: entries },
    build: {
      ...common,
      ssr: true,
      outDir,
      target: 'node20',
      rolldownOptions: {
        input: { main: inProject('benches/main.ts'), 'cold-worker': inProject('benches/cold/worker.ts') },
      },
    },
  });
}

/** A page, as an app's would be built, with this package as it is published. */
async function bundleForBrowsers(outDir) {
  await vite({
    base: './',
    resolve: {
      // The longer name first: the shorter one is its beginning.
      alias: Object.fromEntries(
        entries.map((entry) => [entry, inProject('dist', `${entry.slice(15) || 'index'}.js`)]),
      ),
    },
    worker: { format: 'es' },
    build: { ...common, outDir, target: 'es2022' },
  });
}

async function vite(options) {
  // Loaded late: on a fresh machine set-up installs it first.
  const { build } = await import('vite');
  await build({ configFile: false, root: inProject('benches'), logLevel: 'warn', ...options });
}
