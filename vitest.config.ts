import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { node26 } from './js/test/node26/pool.js';

const source = (name: string) => fileURLToPath(new URL(`js/src/${name}.ts`, import.meta.url));

/** The examples name the package as its users do. The longer names first: the shorter one is their beginning. */
const alias = {
  'sqlite-vfs-kit/import': source('import'),
  'sqlite-vfs-kit/adapters/sqlite-wasm': source('adapters/sqlite-wasm'),
  'sqlite-vfs-kit/adapters/wa-sqlite': source('adapters/wa-sqlite'),
  'sqlite-vfs-kit/compat/wa-sqlite': source('compat/wa-sqlite'),
  'sqlite-vfs-kit/jspi': source('jspi'),
  'sqlite-vfs-kit/stores': source('stores'),
  'sqlite-vfs-kit/testing': source('testing'),
  'sqlite-vfs-kit': source('index'),
  'better-sqlite3': fileURLToPath(
    new URL('js/test/better-sqlite3/node_modules/better-sqlite3', import.meta.url),
  ),
};

/** No test takes a tenth of it on a machine of its own. */
const testTimeout = 30_000;

// The package's tests, and those of its benchmarks. Those in js/test/api run twice with the same assertions: on this
// package, and on the node:sqlite of Node 26, whose API it has.
export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'sqlite-vfs-kit',
          include: ['js/test/**/*.test.ts'],
          // Node 20 has neither JSPI nor the native SQLite whose files are imported.
          exclude: ['js/test/{import,jspi}/**'],
          testTimeout,
        },
      },
      {
        resolve: { alias },
        // The same package in a Node that has what is newer in the language, such as iterator helpers, and JSPI.
        test: {
          name: 'sqlite-vfs-kit, Node 26',
          include: [
            'js/test/api/{iterate,parameters,rows,statement,values-*}.test.ts',
            'js/test/{async,import,jspi}/**/*.test.ts',
            'js/test/{adapters,async,jspi}/**/*.test.ts',
          ],
          pool: node26,
          testTimeout,
        },
      },
      {
        test: {
          name: 'node:sqlite',
          include: ['js/test/api/**/*.test.ts'],
          pool: node26,
          testTimeout,
          env: { API_OF: 'node:sqlite' },
        },
      },
      {
        test: {
          name: 'benchmarks',
          include: ['benches/**/*.test.ts'],
        },
      },
    ],
  },
});
