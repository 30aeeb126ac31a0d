// What a VFS is seen to do: counts for each file, times, and the log of the last operations.

import { beforeAll, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { DatabaseSync, getVFS, init, registerVFS, unregisterVFS } from '../../src/index.js';

beforeAll(() => init());

test('each file has counts of its own', () => {
  registerVFS(new MapVFS('counted'));
  const vfs = getVFS('counted');
  const one = new DatabaseSync('one.db', { vfs: 'counted' });
  const two = new DatabaseSync('two.db', { vfs: 'counted' });
  one.exec('CREATE TABLE t (a)');
  two.exec('CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(40000))');
  expect(vfs.tracedFiles()).toEqual(
    expect.arrayContaining(['one.db', 'one.db-journal', 'two.db', 'two.db-journal']),
  );
  expect(vfs.stats('one.db').write).toMatchObject({ calls: 2, bytes: 8192, errors: 0 });
  const all = vfs.tracedFiles().reduce((sum, file) => sum + vfs.stats(file).write.bytes, 0);
  expect(vfs.stats().write.bytes).toBe(all);
  expect(vfs.stats('three.db').write.calls).toBe(0);
  one.close();
  two.close();
  unregisterVFS('counted');
  expect(() => getVFS('counted')).toThrow("no VFS named 'counted'");
});

test('errors are counted, another connection’s locks among them', () => {
  const vfs = getVFS('memory');
  const one = new DatabaseSync('locked.db');
  const two = new DatabaseSync('locked.db');
  one.exec('BEGIN EXCLUSIVE');
  vfs.resetStats();
  expect(() => two.exec('BEGIN IMMEDIATE')).toThrow('database is locked');
  expect(vfs.stats('locked.db').lock.errors).toBe(1);
  one.close();
  two.close();
  vfs.delete('locked.db');
});

test('a sample of the calls is timed; all of them, or none, on demand', () => {
  const vfs = getVFS('memory');
  const db = new DatabaseSync('timed.db');
  db.exec('CREATE TABLE t (a)');
  const insert = db.prepare('INSERT INTO t VALUES (zeroblob(3000))');
  const use = () => {
    vfs.resetStats();
    for (let i = 0; i < 100; i++) insert.run();
    return vfs.stats('timed.db').write;
  };
  const { calls, timed } = use();
  expect(timed).toBeGreaterThan(0);
  expect(timed).toBeLessThan(calls / 10);
  vfs.trace({ sampling: 1 });
  const all = use();
  expect(all.timed).toBe(all.calls);
  expect(all.time).toBeGreaterThanOrEqual(0);
  vfs.trace({ sampling: 0 });
  expect(use()).toMatchObject({ timed: 0, time: 0 });
  vfs.trace({ sampling: 64 });
  db.close();
  vfs.delete('timed.db');
});

test('the log has the last operations', () => {
  const vfs = getVFS('memory');
  const db = new DatabaseSync('logged file.db');
  expect(vfs.log()).toEqual([]);
  vfs.trace({ log: 5 });
  db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
  const log = vfs.log();
  expect(log).toHaveLength(5);
  expect(log.map(({ sequence }) => sequence - (log[0]?.sequence ?? 0))).toEqual([0, 1, 2, 3, 4]);
  expect(log.at(-1)).toMatchObject({ operation: 'unlock', file: 'logged file.db', code: 0 });
  vfs.trace({ log: 100 });
  db.exec('INSERT INTO t VALUES (2)');
  expect(vfs.log().find(({ operation, offset }) => operation === 'write' && offset > 0)).toMatchObject({
    file: 'logged file.db',
    offset: 4096,
    length: 4096,
  });
  vfs.trace({ log: 0 });
  expect(vfs.log()).toEqual([]);
  expect(() => vfs.trace({ log: 'all' as unknown as number })).toThrow('options.log');
  db.close();
  vfs.delete('logged file.db');
});
