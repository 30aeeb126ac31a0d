import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type * as Package from '../src/index.js';

/** The package as if it had just been imported: what is loaded stays with the module. */
let kit: typeof Package;

beforeEach(async () => {
  vi.resetModules();
  kit = await import('../src/index.js');
});

const file = new URL('../src/wasm/sqlite_vfs_kit_bg.wasm', import.meta.url);
const bytes = await readFile(file);

const works = () => {
  const db = new kit.DatabaseSync(':memory:');
  expect(db.prepare('select 1 + 1 n').get()).toEqual({ n: 2 });
};

describe('before init', () => {
  const uses: [string, () => unknown][] = [
    ['a database', () => new kit.DatabaseSync(':memory:')],
    ['getVFS', () => kit.getVFS()],
    ['sqliteVersion', () => kit.sqliteVersion()],
  ];

  test.each(uses)('%s says what to do', (_, use) => {
    expect(use).toThrowError(
      expect.objectContaining({
        code: 'ERR_INVALID_STATE',
        message: 'SQLite is not loaded: await init() first.',
      }),
    );
  });

  test('a database that is not opened yet can be made', async () => {
    const db = new kit.DatabaseSync(':memory:', { open: false });
    expect(() => db.open()).toThrowError('await init()');
    await kit.init();
    db.open();
    expect(db.isOpen).toBe(true);
  });
});

describe('init loads', () => {
  test('the file beside it, if nothing is said', async () => {
    expect(await kit.init()).toBe(undefined);
    works();
    expect(kit.sqliteVersion()).toMatch(/^3\.\d+\.\d+$/);
  });

  test.each<[string, () => Promise<Package.InitOptions['wasm']>]>([
    ['a URL', async () => file],
    ['a URL as text', async () => file.href],
    ['bytes', async () => new Uint8Array(bytes)],
    ['bytes in the middle of a buffer', async () => new Uint8Array([1, 2, ...bytes, 3]).subarray(2, -1)],
    ['an ArrayBuffer', async () => new Uint8Array(bytes).buffer],
    ['a Buffer', async () => bytes],
    ['a compiled module', async () => WebAssembly.compile(bytes)],
    ['a response', async () => new Response(bytes, { headers: { 'content-type': 'application/wasm' } })],
    ['a response that does not say what it is', async () => new Response(bytes)],
  ])('%s', async (_, source) => {
    const wasm = await source();
    if (wasm === undefined) throw new Error('no source');
    await kit.init({ wasm });
    works();
  });

  test('a promise of a response', async () => {
    await kit.init({ wasm: Promise.resolve(new Response(bytes)) });
    works();
  });
});

describe('from a server', () => {
  const server = createServer((request, response) => {
    if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>');
    else if (request.url !== '/there.wasm') response.writeHead(404).end('nothing here');
    else response.writeHead(200, { 'content-type': 'application/wasm' }).end(bytes);
  });
  let origin: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  test('it is fetched', async () => {
    await kit.init({ wasm: `${origin}/there.wasm` });
    works();
  });

  test('that does not have it, the error names the address, the status and what to do', async () => {
    const failure = await kit.init({ wasm: `${origin}/missing.wasm` }).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).toContain(`${origin}/missing.wasm`);
    expect(String(failure)).toContain('404');
    expect(String(failure)).toContain('init({ wasm: … })');
  });

  test('that answers its page for any address, the error says that it is one', async () => {
    const failure = await kit.init({ wasm: `${origin}/page` }).catch((error: Error) => error);
    expect(String(failure)).toContain(`${origin}/page is a page, not SQLite's wasm file`);
    expect(String(failure)).toContain('init({ wasm: … })');
  });

  test('that cannot be reached, the error has the cause', async () => {
    const failure = await kit.init({ wasm: 'http://127.0.0.1:1/x.wasm' }).catch((error: Error) => error);
    expect(String(failure)).toContain('http://127.0.0.1:1/x.wasm');
    expect(String(failure)).toContain('init({ wasm: … })');
    expect((failure as Error).cause).toBeInstanceOf(Error);
  });

  test('a response that failed is refused', async () => {
    const failure = await kit.init({ wasm: fetch(`${origin}/missing.wasm`) }).catch((error: Error) => error);
    expect(String(failure)).toContain('404');
  });
});

describe('a second init', () => {
  test('at the same time loads nothing again', async () => {
    const first = kit.init();
    expect(kit.init({ wasm: 'http://127.0.0.1:1/never-asked.wasm' })).toBe(first);
    await first;
    works();
  });

  test('later changes nothing', async () => {
    await kit.init();
    const db = new kit.DatabaseSync('kept.db');
    db.exec('create table t(a)');
    await kit.init({ wasm: bytes });
    expect(new kit.DatabaseSync('kept.db').prepare('select count(*) n from t').get()).toEqual({ n: 0 });
  });

  test('after a failure tries again, with its own options', async () => {
    await expect(kit.init({ wasm: new Uint8Array([1, 2, 3]) })).rejects.toThrow();
    expect(() => new kit.DatabaseSync(':memory:')).toThrowError('await init()');
    await kit.init({ wasm: bytes });
    works();
  });
});

describe('a file that is missing', () => {
  test('on disk is named, and what to do', async () => {
    const missing = new URL('not-there.wasm', file);
    const failure = await kit.init({ wasm: missing }).catch((error: Error) => error);
    expect(String(failure)).toContain('not-there.wasm');
    expect(String(failure)).toContain('init({ wasm: … })');
    expect((failure as Error).cause).toBeInstanceOf(Error);
  });
});

describe('a file of another make', () => {
  /** The module with the version in its custom section changed. */
  function ofVersion(version: string): Uint8Array {
    const copy = Buffer.from(bytes);
    const name = Buffer.concat([Buffer.from([14]), Buffer.from('sqlite-vfs-kit')]);
    const at = copy.indexOf(name) + name.length;
    expect(at).toBeGreaterThan(name.length);
    copy.write(version.padEnd(5).slice(0, 5), at);
    return copy;
  }

  test('is refused by its version, before it runs', async () => {
    const failure = await kit.init({ wasm: ofVersion('9.9.9') }).catch((error: Error) => error);
    expect(String(failure)).toContain('of version 9.9.9');
    expect(String(failure)).toContain('Serve both from one version');
  });

  test('that is another module is said to be one', async () => {
    // The shortest module there is.
    const wasm = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    const failure = await kit.init({ wasm }).catch((error: Error) => error);
    expect(String(failure)).toContain('another module');
  });

  test('that is no module at all is an error of the engine', async () => {
    await expect(kit.init({ wasm: new TextEncoder().encode('<!doctype html>') })).rejects.toThrow(
      WebAssembly.CompileError,
    );
  });
});

test('package.json, Cargo.toml, JavaScript and wasm have one version', async () => {
  const { VERSION } = await import('../src/version.js');
  const root = new URL('../../', import.meta.url);
  const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const cargo = /^version = "(.*)"$/m.exec(await readFile(new URL('Cargo.toml', root), 'utf8'))?.[1];
  expect([version, cargo]).toEqual([VERSION, VERSION]);
});
