// VFSes whose methods answer promises, in the builds of wa-sqlite that wait.

import { beforeAll, expect, test } from 'vitest';
import { FacadeVFS, init, VFS } from '../../src/index.js';
import { MemoryAsyncVFS } from '../../src/memory-async-vfs.js';
import { allBuilds, type Build, codeOf } from './builds.js';

let builds: Build[];

beforeAll(async () => {
  await init();
  builds = (await allBuilds()).filter(({ suspends }) => suspends);
});

/** What waits, without the index of a log, which is of another build. */
class WaitingVFS extends FacadeVFS {
  override readonly async = true;
  readonly inner = new MemoryAsyncVFS('inner', { delay: 1 });
  grow = () => {};

  constructor(override readonly name = 'waiting') {
    super();
  }

  override async open(path: string | null, flags: number) {
    const file = await this.inner.open(path, flags & ~VFS.SQLITE_OPEN_MAIN_DB);
    const read = file.read.bind(file);
    file.read = async (buffer, offset) => {
      this.grow();
      return read(buffer, offset);
    };
    return file;
  }

  override delete(path: string) {
    return this.inner.delete(path);
  }

  override exists(path: string) {
    return this.inner.exists(path);
  }
}

test('a database is written, and read while memory grows', async () => {
  for (const build of builds) {
    const vfs = new WaitingVFS();
    build.register(vfs);
    const db = await build.open('x.db', 'waiting');
    await db.sql(
      "CREATE TABLE t (x); INSERT INTO t VALUES ('one'), (randomblob(20000)); PRAGMA cache_size = 0",
    );
    let grown = 0;
    const { _malloc } = build.module as { _malloc(bytes: number): number };
    vfs.grow = () => {
      if (grown++ < 4) _malloc(20_000_000);
    };
    expect(await db.sql('SELECT count(*), sum(length(x)) FROM t')).toEqual([[2, 20003]]);
    expect(grown).toBeGreaterThan(1);
    expect(await db.sql('PRAGMA integrity_check')).toEqual([['ok']]);
    await db.close();
  }
});

test('two builds share it, and one waits for the other to be done', async () => {
  const [first, second] = [...builds, ...builds] as [Build, Build];
  const vfs = new WaitingVFS('shared');
  first.register(vfs);
  if (second !== first) second.register(vfs);
  const writer = await first.open('x.db', 'shared');
  const other = await second.open('x.db', 'shared');
  await writer.sql('CREATE TABLE t (x); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
  expect(await codeOf(other.sql('BEGIN IMMEDIATE'))).toBe(5);
  if (second === first) return;
  for (const db of [writer, other]) await db.sql('PRAGMA busy_timeout = 20000');
  const waited = other.sql('INSERT INTO t VALUES (2)');
  await writer.sql('COMMIT');
  await waited;
  expect(await writer.sql('SELECT * FROM t')).toEqual([[1], [2]]);
  await writer.close();
  await other.close();
});

test('a method that rejects fails as one that throws', async () => {
  for (const build of builds) {
    const vfs = new WaitingVFS('rejects');
    const registration = build.register(vfs);
    const db = await build.open('x.db', 'rejects');
    await db.sql('CREATE TABLE t (x); PRAGMA cache_size = 0');
    const error = new Error('no network');
    vfs.grow = () => {
      throw error;
    };
    expect(await codeOf(db.sql('SELECT * FROM t'))).toBe(10);
    expect(registration.lastError).toBe(error);
    vfs.grow = () => {};
    expect(await db.sql('SELECT * FROM t')).toEqual([]);
    await db.close();
  }
});
