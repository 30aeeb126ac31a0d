// Builds the package and says how large it is for those who download it: the wasm file, and its JavaScript as an app's
// bundler makes it of the package's entry.
//
// Then the same of the stores alone, for those who have SQLite already.
//
//   node scripts/size.mjs           a table
//   node scripts/size.mjs --json    { files: [{ name, raw, gzip, brotli }], total: { raw, gzip, brotli }, stores: { files, total } }
//   node scripts/size.mjs --save    a table; the JSON is kept for docs/benchmarks.md

import { mkdirSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from './build.mjs';
import { inProject } from './paths.mjs';
import { setup } from './setup.mjs';
import { main, Stop } from './shell.mjs';

await main(async () => {
  const json = process.argv.includes('--json');
  const say = console.log;
  // Then standard output is for JSON alone.
  if (json) console.log = console.error;
  await setup('build');
  await build();
  const whole = await measured('index');
  const stores = await measured('stores');
  if (process.argv.includes('--save')) {
    mkdirSync(inProject('docs/benchmarks'), { recursive: true });
    writeFileSync(
      inProject('docs/benchmarks/size.json'),
      `${JSON.stringify({ ...whole, stores }, undefined, 1)}\n`,
    );
  }
  const rows = ({ files, total }, name) => [...files, { name, ...total }];
  say(
    json
      ? JSON.stringify({ ...whole, stores })
      : table([...rows(whole, 'total'), ...rows(stores, 'stores alone, total')]),
  );
});

async function measured(entry) {
  const files = (await bundle(entry)).map(({ name, bytes }) => ({ name, ...sizes(bytes) }));
  const total = { raw: 0, gzip: 0, brotli: 0 };
  for (const file of files) for (const key of Object.keys(total)) total[key] += file[key];
  return { files, total };
}

/** What a production build of an app with nothing but `import 'sqlite-vfs-kit'`, or another entry, serves. */
async function bundle(entry) {
  const { build: vite } = await import('vite');
  const { output } = await vite({
    configFile: false,
    root: inProject('dist'),
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      modulePreload: false,
      // The wasm stays a file, however small.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: inProject(`dist/${entry}.js`),
        // Everything the package exports is kept: an app that uses less gets less.
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: `${entry}.min.js`, assetFileNames: '[name][extname]' },
      },
    },
  });
  const files = output.map((file) => ({
    name: file.fileName,
    bytes: Buffer.from(file.type === 'chunk' ? file.code : file.source),
  }));
  const names = files.map(({ name }) => name).join(', ');
  if (!/\.wasm\b/.test(names) || !/\.js\b/.test(names)) throw new Stop(`the bundle has only ${names}`);
  return files.sort((a, b) => b.bytes.length - a.bytes.length);
}

/** By the best compression there is, which a static host has all the time for. */
function sizes(bytes) {
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }).length,
  };
}

function table(rows) {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const line = (name, ...numbers) => name.padEnd(width) + numbers.map((n) => n.padStart(11)).join('');
  const number = (n) => n.toLocaleString('en');
  return [
    line('bytes', 'raw', 'gzip', 'brotli'),
    ...rows.map(({ name, raw, gzip, brotli }) => line(name, number(raw), number(gzip), number(brotli))),
  ].join('\n');
}
