/** As TypeScript sees it: what a user writes, and what must be refused. */
import { beforeAll, expect, test } from 'vitest';
import { install, runTool } from './app.js';

let app: string;
beforeAll(async () => {
  app = await install('types');
});

// wrong.ts says of each of its lines that it must be refused, which is an error where it is not.
test.each(['bundler', 'nodenext', 'node16'])('moduleResolution %s', async (resolution) => {
  expect(await runTool('tsc', app, '-p', `tsconfig.${resolution}.json`)).toEqual({ ok: true, output: '' });
});
