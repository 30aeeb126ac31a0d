import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** What the page needs and no more: `wasm-unsafe-eval` allows compiling WebAssembly, not evaluating text. */
export const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

// The policy is the page's own, so that it holds on any static host. Vite's development server puts styles inline and
// is left without it; the built page, which is also what the tests open, always has it.
const policyOfBuiltPage: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy },
      injectTo: 'head-prepend',
    },
  ],
};

export const alias = {
  // The longer names first: the shorter one is their beginning.
  'sqlite-vfs-kit/compat/wa-sqlite': fromRoot('js/src/compat/wa-sqlite.ts'),
  'sqlite-vfs-kit/import': fromRoot('js/src/import.ts'),
  'sqlite-vfs-kit/jspi': fromRoot('js/src/jspi.ts'),
  'sqlite-vfs-kit/stores': fromRoot('js/src/stores.ts'),
  'sqlite-vfs-kit': fromRoot('js/src/index.ts'),
  // The package's export map leaves its data files out.
  'vega-datasets/data': fromRoot('node_modules/vega-datasets/data'),
};

export default defineConfig({
  root: fromRoot('www'),
  // Relative addresses: the build works from any path.
  base: './',
  resolve: { alias },
  plugins: [policyOfBuiltPage],
  server: { fs: { allow: [fromRoot('.')] } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Nothing becomes a data: address, which the policy would not let fonts and fetch have.
    assetsInlineLimit: 0,
  },
});
