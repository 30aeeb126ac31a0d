/** VFSes that do what they should pass every case that is for them. */
import { describe, expect, test } from 'vitest';
import { MapVFS as ExampleVFS } from '../../examples/map-vfs.js';
import { type AnySubject, cases, FaultVFS } from '../../src/testing.js';
import { MapVFS, mapSubject, ReadOnlyMapVFS } from './map-vfs.js';

const full = process.env.SQLITE_VFS_KIT_FULL === '1';

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
    test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
      const lacking = [...without, 'full names', ...(subject.promises?.readOnly ? [] : ['read only'])];
      const expected = one.needs.some((need) => lacking.includes(need)) ? 'not promised' : 'passed';
      expect((await one.run(subject, { full })).outcome).toBe(expected);
    });
  },
);

test('cases have names of their own, each in its group', () => {
  expect(cases.length).toBeGreaterThan(80);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  for (const { name, group } of cases) expect(name).toMatch(new RegExp(`^${group}/[a-z0-9-]+$`));
});
