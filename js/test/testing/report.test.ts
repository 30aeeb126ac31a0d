/** What `conformance` answers. */
import { expect, test } from 'vitest';
import type { FacadeVFS } from '../../src/index.js';
import { cases, conformance, type SqlEngine } from '../../src/testing.js';
import { MapVFS, mapSubject } from './map-vfs.js';

const some = ['read/short-at-end', 'batch/commit', 'lock/is-held-once'];
const only = ({ name }: { name: string }) => some.includes(name);

test('counts, and says why', async () => {
  class Short extends MapVFS {
    override file(...args: Parameters<MapVFS['file']>) {
      return Object.assign(super.file(...args), { read: (buffer: Uint8Array) => buffer.length });
    }
  }
  const report = await conformance(
    mapSubject('short', () => new Short()),
    { only },
  );
  expect(report).toMatchObject({ subject: 'short', passed: 1, failed: 1, notPromised: 1 });
  expect(JSON.parse(JSON.stringify(report)).outcomes).toEqual([
    {
      name: 'read/short-at-end',
      outcome: 'failed',
      why: 'bytes read where the file ends after 400: 4096; expected was 400',
    },
    { name: 'lock/is-held-once', outcome: 'passed' },
    {
      name: 'batch/commit',
      outcome: 'not promised',
      why: 'its files do not say SQLITE_IOCAP_BATCH_ATOMIC',
    },
  ]);
  expect(String(report).split('\n')).toEqual([
    'short: 1 passed, 1 failed, 1 not promised',
    'FAILED  read/short-at-end  bytes read where the file ends after 400: 4096; expected was 400',
    'ok      lock/is-held-once',
    '-       batch/commit       its files do not say SQLITE_IOCAP_BATCH_ATOMIC',
  ]);
});

test('a VFS that cannot even be made fails every case that needs it', async () => {
  const subject = {
    name: 'none',
    create(): FacadeVFS {
      throw new Error('the tape is not in');
    },
  };
  const report = await conformance(subject, { only });
  expect(report.failed).toBe(3);
  expect(report.outcomes.map(({ why }) => why)).toEqual(Array(3).fill('the tape is not in'));
});

test('each case has a place of its own, which is cleared away whatever happens', async () => {
  let [made, destroyed] = [0, 0];
  const subject = {
    name: 'counted',
    create: () => {
      made++;
      return new MapVFS();
    },
    destroy: () => {
      destroyed++;
    },
    promises: { maxFileSize: 2 ** 40 },
  };
  await conformance(subject, {
    only: ({ group }) => group === 'open' || group === 'crash' || group === 'wal',
  });
  expect(made).toBeGreaterThan(100);
  expect(destroyed).toBe(made);
});

test('cases that go through SQLite run on the engine that is given', async () => {
  const asked: string[] = [];
  const engine: SqlEngine = {
    register: (vfs) => void asked.push(vfs.name),
    unregister: (name) => void asked.push(name),
    open: () => Promise.reject(new Error('this engine opens nothing')),
  };
  const one = cases.find(({ name }) => name === 'sql-open/keeps-what-is-committed');
  const subject = mapSubject('x', () => Object.assign(new MapVFS(), { name: 'mine' }));
  await expect(one?.run(subject, { engine })).rejects.toThrow('this engine opens nothing');
  expect(asked).toEqual(['mine', 'mine']);
});
