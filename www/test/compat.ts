// What the conformance kit says of the classes that wa-sqlite ships: collected in a browser, and written down for docs/.

import { readFileSync } from 'node:fs';
import wa from '@journeyapps/wa-sqlite/package.json' with { type: 'json' };
import type { Browser } from 'puppeteer-core';
import { cases } from '../../js/src/testing/cases.js';

export interface Outcome {
  readonly outcome: 'passed' | 'failed' | 'not promised' | 'not run';
  readonly why?: string;
}

export interface Report {
  readonly here: readonly [name: string, outcome: Outcome][];
  /** Of those that failed here. */
  readonly there: readonly [name: string, outcome: Outcome][];
}

const SYNC = '`DatabaseSync`';
const AGAIN = '`AsyncDatabase` of `compat/wa-sqlite`';
const ASYNC = '`AsyncDatabase` of `jspi`';

/** The classes, and what each is used with. */
export const classes: Readonly<Record<string, string>> = {
  MemoryVFS: SYNC,
  MemoryAsyncVFS: ASYNC,
  IDBBatchAtomicVFS: ASYNC,
  IDBMirrorVFS: ASYNC,
  AccessHandlePoolVFS: SYNC,
  OPFSAdaptiveVFS: ASYNC,
  OPFSAnyContextVFS: ASYNC,
  OPFSCoopSyncVFS: AGAIN,
  OPFSWriteAheadVFS: AGAIN,
};

/** Groups of cases that tell what an application meets. All of them take more than half an hour, most of it in IndexedDB. */
export const groups = ['open', 'truncate', 'names', 'sql-open', 'sql-names', 'transaction'];

export const documentUrl = new URL('../../docs/wa-sqlite-vfses.md', import.meta.url);

/** What the document was made of: another wa-sqlite or other cases make it stale. */
const chosen = cases.filter(({ group }) => groups.includes(group));
export const madeOf = `wa-sqlite ${wa.version}, ${chosen.length} cases of the groups ${groups.join(', ')}`;

/** Runs the cases of some groups, or all. */
export async function collect(browser: Browser, site: string, vfs: string): Promise<Report> {
  const page = await browser.newPage();
  try {
    await page.goto(`${site}compat.html?vfs=${vfs}&groups=${groups.join(',')}`);
    await page.waitForFunction("document.querySelector('#answer').textContent !== ''", {
      timeout: 1_200_000,
    });
    const text = await page.$eval('#answer', (element) => element.textContent ?? '');
    if (!text.startsWith('{')) throw new Error(text);
    return JSON.parse(text) as Report;
  } finally {
    await page.close();
  }
}

/** The cases that a class fails, as the document has them. */
export function failuresIn(text: string, vfs: string): string[] {
  const section = text.split(`\n## ${vfs}\n`)[1]?.split('\n## ')[0];
  if (section === undefined) throw new Error(`docs/wa-sqlite-vfses.md has nothing of ${vfs}`);
  return Array.from(section.matchAll(/^\| ([a-z-]+\/[a-z0-9-]+) \|/gm), ([, name]) => name as string);
}

export const document = (): string => readFileSync(documentUrl, 'utf8');

const THERE = {
  failed: 'fails as well',
  passed: '**passes**',
  'not promised': 'not promised',
  'not run': 'not run',
} as const;

export function documentOf(reports: ReadonlyMap<string, Report>): string {
  const rows = [...reports].map(([vfs, { here, there }]) => {
    const count = (wanted: string) => here.filter(([, { outcome }]) => outcome === wanted).length;
    const alike = there.filter(([, { outcome }]) => outcome === 'failed').length;
    const verdict = differences({ here, there }).length === 0 ? 'works' : 'see below';
    return `| [${vfs}](#${vfs.toLowerCase()}) | ${classes[vfs]} | ${verdict} | ${count('passed')} | ${count('failed')} | ${alike} | ${count('not promised')} |`;
  });
  const sections = [...reports].map(([vfs, report]) => {
    const there = new Map(report.there);
    const failed = report.here
      .filter(([, { outcome }]) => outcome === 'failed')
      .map(([name, { why = '' }]) => {
        const own = there.get(name)?.outcome ?? 'not run';
        return `| ${name} | ${cell(why)} | ${THERE[own]} |`;
      });
    const table =
      failed.length === 0
        ? ['It fails none.']
        : ['| case | here | in wa-sqlite |', '| --- | --- | --- |', ...failed];
    return [`## ${vfs}`, '', ...table].join('\n');
  });
  return `${[
    '# VFSes of wa-sqlite',
    '<!-- Made by `node scripts/wa-sqlite-vfses.mjs`: not to be changed by hand. -->',
    `The example VFSes of ${madeOf.split(',')[0]}, unchanged, through \`sqlite-vfs-kit/compat/wa-sqlite\`, each run against the conformance kit in Chromium (${madeOf}). ` +
      'A case that a class fails here is run on it in the build of wa-sqlite that it was written for as well: where it fails there, too, the fault is its own. ' +
      '"Not run" are cases for which wa-sqlite has no means: a VFS that is made to fail, a database as bytes.',
    [
      '| class | used with | | passed | failed | of these in wa-sqlite, too | not promised |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      ...rows,
    ].join('\n'),
    ...sections,
  ].join('\n\n')}\n`;
}

/** The cases that pass there and fail here. */
export function differences({ there }: Report): string[] {
  return there.filter(([, { outcome }]) => outcome === 'passed').map(([name]) => name);
}

/** Words without what differs from run to run. */
function cell(why: string): string {
  return why
    .replace(/\b\w+VFS-\d+( with faults \d+)?\b/g, 'vfs')
    .replace(/\|/g, '\\|')
    .replace(/\s+/g, ' ')
    .slice(0, 160);
}
