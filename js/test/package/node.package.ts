/** In Node, the one that runs the tests and the newest. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { install, node26, runWith } from './app.js';

const { version } = manifest;

const printed = 'Gymnopédie No. 1\nmemory true\n';

describe('in Node', () => {
  test(process.version, async () => {
    expect(await runWith(process.execPath, await install('node'), 'main.js')).toBe(printed);
  });

  test('v26', async () => {
    const app = await install('node');
    expect(await runWith(node26(), app, '--print', 'process.version')).toMatch(/^v26\./);
    expect(await runWith(node26(), app, 'main.js')).toBe(printed);
  });
});

describe('with promises, in Node', () => {
  test('v26', async () => {
    const app = await install('node');
    expect(await runWith(node26(), app, 'jspi.js')).toBe('Gymnopédie No. 1 slow 13\n');
  });

  test('without JSPI: it says so', async () => {
    // Newer ones can be told to be without.
    const program = process.versions.node.startsWith('20.') ? [] : ['--no-experimental-wasm-jspi'];
    const said = await runWith(process.execPath, await install('node'), ...program, 'jspi.js');
    expect(said).toMatch(
      /^ERR_INVALID_STATE This engine has no JSPI .*Node 25 or later.*sqlite-vfs-kit\.\n$/,
    );
  });
});

describe('a wasm file that is not of this package', () => {
  const wasmOf = (app: string) => join(app, 'node_modules/sqlite-vfs-kit/dist/wasm/sqlite_vfs_kit_bg.wasm');

  test('of another version: both are named', async () => {
    const app = await install('node');
    const bytes = readFileSync(wasmOf(app), 'latin1');
    // The custom section: its name, then what it says.
    const mark = `sqlite-vfs-kit${version}`;
    expect(bytes.split(mark)).toHaveLength(2);
    writeFileSync(
      wasmOf(app),
      bytes.replace(mark, `sqlite-vfs-kit${version.replaceAll(/\d/g, '9')}`),
      'latin1',
    );
    await expect(runWith(process.execPath, app, 'main.js')).rejects.toThrow(
      `The JavaScript is sqlite-vfs-kit ${version}, and the wasm file that was loaded is of version 9.9.9. Serve both`,
    );
  });

  test('of a version whose imports this JavaScript does not have', async () => {
    const app = await install('node');
    writeFileSync(wasmOf(app), moduleThatWants('not_here', '0.0.1'));
    await expect(runWith(process.execPath, app, 'main.js')).rejects.toThrow('is of version 0.0.1.');
  });

  test('another module altogether', async () => {
    const app = await install('node');
    writeFileSync(wasmOf(app), moduleThatWants('not_here'));
    await expect(runWith(process.execPath, app, 'main.js')).rejects.toThrow('is another module.');
  });
});

/** A module that imports a function, and says a version if one is given. */
function moduleThatWants(name: string, version?: string): Uint8Array {
  const text = (value: string) => [value.length, ...Buffer.from(value)];
  const section = (id: number, content: number[]) => [id, content.length, ...content];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 0, 0]),
    ...section(2, [1, ...text('other'), ...text(name), 0, 0]),
    ...(version ? section(0, [...text('sqlite-vfs-kit'), ...Buffer.from(version)]) : []),
  ]);
}
