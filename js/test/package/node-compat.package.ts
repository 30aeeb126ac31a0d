/** `sqlite-vfs-kit/node-compat` in the place of `node:sqlite`. */
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { install, node26, runWith } from './app.js';
import { type Chromium, launch } from './chromium.js';
import { serve } from './server.js';

/** What Node 26 has and this does not, yet. */
const missing: Record<string, string[]> = {
  DatabaseSync: ['createModule', 'Symbol(sqlite-type)'],
  StatementSync: [],
  Session: [],
};

/** What stands beside it. */
const added: Record<string, string[]> = {
  DatabaseSync: [
    'checkpoint',
    'collation',
    'executeMany',
    'interrupt',
    'openBlob',
    'pragma',
    'setCommitHook',
    'setPreupdateHook',
    'setProgressHandler',
    'setRollbackHook',
    'setUpdateHook',
    'status',
    'store',
    'transaction',
  ],
  StatementSync: [],
  Session: [],
};

describe('the shape of the module', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what JSON.parse answers
  const shapes: Record<'node' | 'kit', any> = { node: {}, kit: {} };
  beforeAll(async () => {
    const app = await install('shape');
    shapes.node = JSON.parse(await runWith(node26(), app, 'shape.js', 'node:sqlite'));
    shapes.kit = JSON.parse(await runWith(node26(), app, 'shape.js', 'sqlite-vfs-kit/node-compat'));
  });

  test('its names, and what they are', () => {
    expect(shapes.kit.types).toEqual(shapes.node.types);
    expect(shapes.kit.default).toEqual(shapes.node.default);
    expect(shapes.kit.sameClasses).toEqual(shapes.node.sameClasses);
  });

  test('its constants', () => {
    expect(shapes.kit.constants).toEqual(shapes.node.constants);
  });

  test.each(['DatabaseSync', 'StatementSync', 'Session'])('%s', (name) => {
    const all = (shape: { methods: string[]; properties?: string[] }) => [
      ...shape.methods.map((method) => `${method}()`),
      ...(shape.properties ?? []),
    ];
    const kit = all(shapes.kit[name]);
    const node = all(shapes.node[name]);
    const plain = (names: string[]) => names.map((key) => key.replace('()', '')).sort();
    expect(plain(node.filter((key) => !kit.includes(key)))).toEqual(missing[name]?.sort());
    expect(plain(kit.filter((key) => !node.includes(key)))).toEqual(added[name]);
  });
});

describe('a program written for Node, by an alias in the bundler', () => {
  let chromium: Chromium;
  let built: string;
  let inNode: string[];
  beforeAll(async () => {
    chromium = await launch();
    const app = await install('alias');
    inNode = (await runWith(node26(), app, 'program.js')).trimEnd().split('\n');
    await build({ root: app, logLevel: 'warn' });
    built = join(app, 'dist');
  });
  afterAll(() => chromium.close());

  test.each(['index.html', 'worker.html'])('prints what it prints in Node 26: %s', async (name) => {
    const site = await serve(built);
    const page = await chromium.open(site.url + name);
    await expect.poll(() => page.complaints[0] ?? page.printed.at(-1), { timeout: 20_000 }).toBe('end');
    expect(page.printed).toEqual(inNode);
    expect(page.complaints).toEqual([]);
    site.close();
  });
});
