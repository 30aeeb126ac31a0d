/** VFSes that do what they should pass every case that is for them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { MapVFS as ExampleVFS } from '../../examples/map-vfs.js';
import { RowVFS } from '../../examples/row-vfs.js';
import { DatabaseSync, init } from '../../src/index.js';
import { type AnySubject, cases, FaultVFS } from '../../src/testing.js';
import { MapVFS, mapSubject, ReadOnlyMapVFS } from './map-vfs.js';

/** The kit has names that differ in nothing but case, and the example folds names: not here. */
class Rows extends RowVFS {
  override fullPathname = (name: string) => name;

  constructor(readonly db: DatabaseSync) {
    super('rows', db);
  }
}

beforeAll(() => init());

const full = process.env.SQLITE_VFS_KIT_FULL === '1';

/** Every page is many rows there: the cases in which SQLite uses it take minutes, and are for the full run. */
const slow = 'the example of every liberty';
const long = ['fault', 'crash'];

/** Subjects, and the needs that they do not meet: the cases that have one of them are not promised, and no others. */
const subjects: [subject: AnySubject, without: string[]][] = [
  [mapSubject('a VFS that locks and indexes by itself', (nodes) => new MapVFS(nodes)), ['batch atomic']],
  [
    mapSubject('one with batches of writes', (nodes) => new MapVFS(nodes, { batchAtomic: true })),
    ['journal files'],
  ],
  [
    { name: 'one with faults around it', create: () => new FaultVFS(new MapVFS()) },
    ['reopening', 'large files', 'batch atomic'],
  ],
  [
    { name: 'the example', create: () => new ExampleVFS() },
    ['reopening', 'large files', 'batch atomic', 'own locks', 'shared wal'],
  ],
  [
    {
      name: slow,
      create: () => new Rows(new DatabaseSync(':memory:')),
      reopen: (vfs) => new Rows((vfs as Rows).db),
    },
    ['large files', 'batch atomic', 'shared wal'],
  ],
  [
    {
      name: 'one that can only be read',
      create: (files) => new ReadOnlyMapVFS(files),
      promises: { readOnly: true },
    },
    ['writing'],
  ],
  [
    { name: 'MemoryVFS', vfsName: 'memory', promises: { wal: 'shared' } },
    ['javascript', 'reopening', 'large files', 'batch atomic', 'own locks'],
  ],
];

describe.each(subjects.map(([subject, without]) => [subject.name, subject, without] as const))(
  '%s',
  (_, subject, without) => {
    const all = full || subject.name !== slow;
    const ours = cases.filter(
      ({ group, needs }) => all || (needs.includes('javascript') && !long.includes(group)),
    );
    test.each(ours.map((one) => [one.name, one] as const))(
      '%s',
      async (_, one) => {
        const fullNames = subject.name === slow ? [] : ['full names'];
        const lacking = [...without, ...fullNames, ...(subject.promises?.readOnly ? [] : ['read only'])];
        const expected = one.needs.some((need) => lacking.includes(need)) ? 'not promised' : 'passed';
        expect((await one.run(subject, { full })).outcome).toBe(expected);
      },
      120_000,
    );
  },
);

test('cases have names of their own, each in its group', () => {
  expect(cases.length).toBeGreaterThan(80);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  for (const { name, group } of cases) expect(name).toMatch(new RegExp(`^${group}/[a-z0-9-]+$`));
});
