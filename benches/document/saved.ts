/** Results as they are kept in docs/benchmarks/, and what there is to know of the machine they are from. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { dirname, join } from 'node:path';
import type { Report } from '../report.js';
import { fromNode } from '../subjects/from-node.js';

export interface Saved extends Report {
  /** As it was typed. */
  command: string;
  /** "2026-11-30" */
  date: string;
  machine: string;
  /** Of this package, with the commit, and of each peer: by name. */
  versions: Record<string, string>;
}

/** What `npm run size -- --json` prints. */
export interface Sizes {
  files: Size[];
  total: Omit<Size, 'name'>;
  stores: { files: Size[]; total: Omit<Size, 'name'> };
}

interface Size {
  name: string;
  raw: number;
  gzip: number;
  brotli: number;
}

/** One choice in how SQLite is built, or rows are passed, and what came of it: docs/benchmarks/choices.json is an array of them. */
export interface Choice {
  choice: string;
  /** What was measured: "arrays, Node 20", "default wasm, brotli". */
  measured: string;
  unit: 'ms' | 'bytes';
  before: number;
  after: number;
  kept: boolean;
}

export interface Kept {
  results: Saved[];
  sizes?: Sizes;
  choices?: Choice[];
}

/** In the folder of the documents. */
export const resultsIn = (docs: string): string => join(docs, 'benchmarks');

/** "api-node20", "rows-chromium": what is measured again takes the place of what was there. */
export function nameOf({ suite, engine }: Pick<Report, 'suite' | 'engine'>): string {
  const [name, version = ''] = engine.split(' ');
  return `${suite}-${name}${name === 'node' ? version.split('.')[0] : ''}`;
}

/** Answers the file. */
export function save(report: Report, args: readonly string[], docs: string): string {
  const saved: Saved = {
    ...report,
    command: `npm run bench -- ${args.join(' ')}`,
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
    versions: versions(),
  };
  const file = join(resultsIn(docs), `${nameOf(report)}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(saved, undefined, 1)}\n`);
  return file;
}

/** All that is there, in the order of names. */
export function keptIn(docs: string): Kept {
  const folder = resultsIn(docs);
  const kept: Kept = { results: [] };
  for (const file of existsSync(folder) ? readdirSync(folder).sort() : []) {
    if (!file.endsWith('.json')) continue;
    const content = JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown;
    if (file === 'size.json') kept.sizes = content as Sizes;
    else if (file === 'choices.json') kept.choices = content as Choice[];
    else kept.results.push(content as Saved);
  }
  return kept;
}

function machine(): string {
  const [first, ...others] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${others.length + 1} × ${first?.model.trim() ?? process.arch}, ${memory} GiB, ${type()} ${release()} on ${process.arch}`;
}

const peers = ['@sqlite.org/sqlite-wasm', 'sql.js', '@journeyapps/wa-sqlite', 'node-sqlite3-wasm'];

interface Manifest {
  version: string;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

/** Dependencies are pinned: what package.json says is what there is. */
function versions(): Record<string, string> {
  const own = fromNode<Manifest>('./package.json') as Manifest;
  const apart = fromNode<Manifest>('./package.json', 'js/test/better-sqlite3') as Manifest;
  return {
    'sqlite-vfs-kit': `${own.version}${commit()}`,
    ...Object.fromEntries(peers.map((name) => [name, own.devDependencies[name] as string])),
    ...apart.optionalDependencies,
  };
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    return `, ${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--', 'src', 'js/src', 'scripts/build') === '' ? '' : ' with changes'}`;
  } catch {
    // Not a clone.
    return '';
  }
}
