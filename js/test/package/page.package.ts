/** In Chromium: built by Vite for production, and without a bundler. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build, createServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { install } from './app.js';
import { type Chromium, launch } from './chromium.js';
import { serve } from './server.js';

let chromium: Chromium;
beforeAll(async () => {
  chromium = await launch();
});
afterAll(() => chromium.close());

describe('with Vite', () => {
  test('built: in the page and in a worker, under a strict policy', async () => {
    const app = await install('vite');
    await build({ root: app, logLevel: 'warn' });
    const policy = { 'content-security-policy': "script-src 'self' 'wasm-unsafe-eval'" };
    const site = await serve(join(app, 'dist'), () => policy);
    const page = await chromium.open(site.url);
    expect(await page.text('#page')).toBe('Gymnopédie No. 1 (memory)');
    expect(await page.text('#worker')).toBe('Gymnopédie No. 1 (memory)');
    expect(page.complaints).toEqual([]);
    site.close();

    // The page and the worker have one wasm file between them, as a file of its own.
    const files = readdirSync(join(app, 'dist/assets'));
    expect(files.filter((name) => name.endsWith('.wasm'))).toHaveLength(1);
  });

  test('while it is developed', async () => {
    const server = await createServer({ root: await install('vite'), logLevel: 'warn', server: { port: 0 } });
    await server.listen();
    const page = await chromium.open(server.resolvedUrls?.local[0] as string);
    expect(await page.text('#page')).toBe('Gymnopédie No. 1 (memory)');
    expect(await page.text('#worker')).toBe('Gymnopédie No. 1 (memory)');
    await server.close();
  });

  test('what is imported and not used is not built in', async () => {
    const app = await install('vite');
    const lib = { entry: 'unused.js', formats: ['es' as const], fileName: 'unused' };
    await build({ root: app, logLevel: 'warn', build: { lib } });
    expect(readdirSync(join(app, 'dist'))).toEqual(['unused.js']);
    expect(statSync(join(app, 'dist/unused.js')).size).toBeLessThan(100);
  });
});

describe('as a plain module script', () => {
  test.each(['application/wasm', 'application/octet-stream'])('the wasm file served as %s', async (type) => {
    const site = await serve(await install('page'), (extension) =>
      extension === '.wasm' ? { 'content-type': type } : {},
    );
    const page = await chromium.open(site.url);
    expect(await page.text('#page')).toBe('Gymnopédie No. 1');
    expect(page.complaints).toEqual([]);
    site.close();
  });
});
