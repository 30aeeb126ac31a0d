// The guides for those whose databases are in browsers: the program before, on the peer itself, then the one after, each in a worker.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { guideOf, outputOf } from '../../js/test/guide.js';
import { alias } from '../vite.config.js';
import { kinds, start, type TestBrowser } from './browsers.js';
import { buildAndServe, type Site } from './site.js';
import { eventually, openPage } from './watched-page.js';

const guides = ['coming-from-wa-sqlite', 'coming-from-official-build'];

// Inside the project, so that the packages are found by their names.
const source = new URL('../../target/test/guides/', import.meta.url);

let site: Site;

beforeAll(async () => {
  rmSync(source, { recursive: true, force: true });
  const programs: string[] = [];
  for (const guide of guides) {
    mkdirSync(new URL(`${guide}/`, source), { recursive: true });
    for (const { name, code } of guideOf(guide).blocks) {
      writeFileSync(new URL(`${guide}/${name}`, source), code);
      programs.push(`${guide}/${name}`);
    }
  }
  // The project's own package.json says that its modules do nothing when they are loaded; these do.
  writeFileSync(new URL('package.json', source), '{ "private": true, "type": "module" }');
  writeFileSync(new URL('worker.js', source), workerFor(programs));
  writeFileSync(new URL('page.js', source), PAGE);
  writeFileSync(new URL('index.html', source), HTML);
  site = await buildAndServe({
    root: fileURLToPath(source),
    base: './',
    resolve: { alias },
    worker: { format: 'es' },
    build: { target: 'es2022', assetsInlineLimit: 0 },
  });
});

afterAll(() => site?.close());

const HTML =
  '<!doctype html><title>A guide</title><link rel="icon" href="data:,"><p id="answer"></p><script type="module" src="./page.js"></script>';

const PAGE = `
const answer = document.getElementById('answer');
const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
worker.onmessage = ({ data }) => { answer.textContent = data; };
worker.onerror = ({ message }) => { answer.textContent = 'error: ' + message; };
worker.postMessage(new URLSearchParams(location.search).get('program'));
`;

const workerFor = (programs: string[]) => `
const printed = [];
console.log = (...words) => printed.push(words.join(' '));
const programs = { ${programs.map((name) => `'${name}': () => import('./${name}')`).join(', ')} };
onmessage = async ({ data }) => {
  try {
    await programs[data]();
    postMessage(printed.join('\\n'));
  } catch (error) {
    postMessage('error: ' + error.stack);
  }
};
`;

describe.each(kinds)('$name', (kind) => {
  let running: TestBrowser;

  beforeAll(async () => {
    running = await start(kind);
  });

  afterAll(() => running?.close());

  describe.each(guides)('%s', (guide) => {
    // In this order: the first leaves its database in the browser, for the second.
    test.each(['before.js', 'after.js'])('%s prints what the guide says', async (name) => {
      const { page } = await openPage(running.browser, `${site.url}index.html?program=${guide}/${name}`);
      const text = () => page.$eval('#answer', (element) => element.textContent ?? '');
      await eventually(text, (answer) => expect(answer).not.toBe(''));
      expect((await text()).split('\n')).toEqual(outputOf(guideOf(guide)));
      await page.close();
    });
  });
});
