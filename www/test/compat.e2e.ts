// The classes that wa-sqlite ships, unchanged, on real OPFS and IndexedDB in Chromium, which has all that they need.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kinds, start, type TestBrowser } from './browsers.js';
import {
  classes,
  collect,
  differences,
  document,
  documentOf,
  documentUrl,
  failuresIn,
  madeOf,
  type Report,
} from './compat.js';
import { buildAndServe, type Site } from './site.js';

/** `node scripts/wa-sqlite-vfses.mjs` writes the document, from all classes. */
const isWriting = process.env.WA_SQLITE_VFSES === '1';

let site: Site;
let running: TestBrowser;

beforeAll(async () => {
  site = await buildAndServe(fileURLToPath(new URL('fixture/vite.config.ts', import.meta.url)));
  running = await start(kinds[0] as (typeof kinds)[number]);
});

afterAll(async () => {
  await running?.close();
  await site.close();
});

test.skipIf(isWriting)('the document is of this wa-sqlite and of these cases', () => {
  expect(document()).toContain(`(${madeOf})`);
});

/** Of each place one whose cases take seconds, and those that nothing else tests. */
const few = ['MemoryVFS', 'AccessHandlePoolVFS', 'OPFSCoopSyncVFS', 'OPFSWriteAheadVFS'];

test.skipIf(isWriting).each(few)('%s fails where the document says so', { timeout: 600_000 }, async (vfs) => {
  const report = await collect(running.browser, site.url, vfs);
  const failed = report.here.filter(([, { outcome }]) => outcome === 'failed').map(([name]) => name);
  expect(failed).toEqual(failuresIn(document(), vfs));
  expect(differences(report)).toEqual([]);
});

test.runIf(isWriting)('all classes', { timeout: 3_600_000 }, async () => {
  const reports = new Map<string, Report>();
  for (const vfs of Object.keys(classes)) reports.set(vfs, await collect(running.browser, site.url, vfs));
  writeFileSync(documentUrl, documentOf(reports));
});
