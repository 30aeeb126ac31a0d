/** The same cases for VFSes whose methods answer promises, and for SQLite that waits for them. */
import { describe, expect, test } from 'vitest';
import { FacadeFile, FacadeVFS, type OpenDetails } from '../../src/index.js';
import { cases, type Subject } from '../../src/testing.js';
import { type MapFile, type MapNode, MapVFS } from '../testing/map-vfs.js';
import { jspiEngine } from './engine.js';

/** Answers in a later task of the event loop, so that what does not wait has long gone on. */
const later = () => new Promise<void>((done) => setImmediate(done));

class LaterVFS extends FacadeVFS {
  override readonly async = true;
  override readonly name: string;
  readonly inner: MapVFS;

  constructor(nodes?: Map<string, MapNode>) {
    super();
    this.inner = new MapVFS(nodes, { walIndex: false });
    this.name = `later ${this.inner.name}`;
  }

  override async open(path: string | null, flags: number, details: OpenDetails) {
    await later();
    return new LaterFile(this.inner.open(path, flags, details));
  }

  override async delete(path: string) {
    await later();
    this.inner.delete(path);
  }

  override async exists(path: string) {
    await later();
    return this.inner.exists(path);
  }
}

class LaterFile extends FacadeFile {
  constructor(readonly inner: MapFile) {
    super();
  }

  override async read(buffer: Uint8Array, offset: number) {
    await later();
    return this.inner.read(buffer, offset);
  }

  override async write(buffer: Uint8Array, offset: number) {
    await later();
    this.inner.write(buffer, offset);
  }

  override async truncate(size: number) {
    await later();
    this.inner.truncate(size);
  }

  override async sync() {
    await later();
  }

  override async size() {
    await later();
    return this.inner.size();
  }

  override async close() {
    await later();
    this.inner.close();
  }

  override async lock(level: number) {
    await later();
    this.inner.lock(level);
  }

  override async unlock(level: number) {
    await later();
    this.inner.unlock(level);
  }

  override async hasReservedLock() {
    await later();
    return this.inner.hasReservedLock();
  }
}

const subject: Subject<LaterVFS> = {
  name: 'later',
  create: () => new LaterVFS(),
  reopen: ({ inner }) => new LaterVFS(new Map([...inner.nodes].map(([path, node]) => [path, node.copy()]))),
  promises: { maxFileSize: 2 ** 50 },
};

const lacking = ['read only', 'full names', 'batch atomic', 'shared wal', 'sync'];

describe('a VFS whose methods answer promises', () => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const expected = one.needs.some((need) => lacking.includes(need)) ? 'not promised' : 'passed';
    expect((await one.run(subject, { engine: jspiEngine })).outcome).toBe(expected);
  });
});

test('a VFS that is async is refused by SQLite that does not wait', async () => {
  const one = cases.find(({ name }) => name === 'sql-open/keeps-what-is-committed');
  await expect(one?.run(subject)).rejects.toThrow('use sqlite-vfs-kit/jspi');
});
