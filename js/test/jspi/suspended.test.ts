// Calls that are suspended while a VFS written in JavaScript waits, and others that run meanwhile. Real JSPI only.

import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  AsyncDatabase,
  FacadeFile,
  FacadeVFS,
  getVFS,
  init,
  registerVFS,
  unregisterVFS,
  VFS,
  VFSError,
  WalIndex,
} from '../../src/jspi.js';

beforeAll(() => init());

interface Bytes {
  data: Uint8Array;
}

/** What happens before a method goes on. */
type Pause = (method: string, path: string | null, offset?: number) => unknown;

/** Files in a Map; each method waits first. */
class SlowVFS extends FacadeVFS {
  override readonly async = true;
  readonly files = new Map<string, Bytes>();

  constructor(
    override readonly name: string,
    readonly pause: Pause = () => setImmediate(),
    readonly wal = false,
  ) {
    super();
  }

  override async open(path: string | null, flags: number): Promise<FacadeFile> {
    await this.pause('open', path);
    const there = path === null ? undefined : this.files.get(path);
    if (!there && path !== null && !(flags & VFS.SQLITE_OPEN_CREATE)) throw new VFSError('SQLITE_CANTOPEN');
    const bytes = there ?? { data: new Uint8Array() };
    if (path !== null) this.files.set(path, bytes);
    const file = new SlowFile(this, path, bytes);
    if (this.wal && flags & VFS.SQLITE_OPEN_MAIN_DB) {
      Object.assign(file, { walIndex: new WalIndex(`${this.name}/${path}`) });
    }
    return file;
  }

  override async delete(path: string): Promise<void> {
    await this.pause('delete', path);
    this.files.delete(path);
  }

  override async exists(path: string): Promise<boolean> {
    await this.pause('exists', path);
    return (this.files.get(path)?.data.length ?? 0) > 0;
  }
}

class SlowFile extends FacadeFile {
  constructor(
    readonly vfs: SlowVFS,
    readonly path: string | null,
    readonly bytes: Bytes,
  ) {
    super();
  }

  override async read(buffer: Uint8Array, offset: number): Promise<number> {
    await this.vfs.pause('read', this.path, offset);
    const found = this.bytes.data.subarray(offset, offset + buffer.length);
    buffer.set(found);
    return found.length;
  }

  override async write(buffer: Uint8Array, offset: number): Promise<void> {
    await this.vfs.pause('write', this.path, offset);
    if (offset + buffer.length > this.bytes.data.length) this.#resize(offset + buffer.length);
    this.bytes.data.set(buffer, offset);
  }

  override async truncate(size: number): Promise<void> {
    await this.vfs.pause('truncate', this.path);
    this.#resize(size);
  }

  #resize(size: number): void {
    const data = new Uint8Array(size);
    data.set(this.bytes.data.subarray(0, size));
    this.bytes.data = data;
  }

  override async sync(): Promise<void> {
    await this.vfs.pause('sync', this.path);
  }

  override async size(): Promise<number> {
    await this.vfs.pause('size', this.path);
    return this.bytes.data.length;
  }

  override async close(): Promise<void> {
    await this.vfs.pause('close', this.path);
  }
}

const registered: string[] = [];

function use(vfs: SlowVFS): SlowVFS {
  registerVFS(vfs);
  registered.push(vfs.name);
  return vfs;
}

afterEach(() => {
  for (const name of registered.splice(0)) unregisterVFS(name);
});

const open = (path: string, vfs: string, timeout = 0) => AsyncDatabase.open(path, { vfs, timeout });

async function values(db: AsyncDatabase, sql: string): Promise<unknown[]> {
  const statement = await db.prepare(sql, { returnArrays: true });
  const rows = (await statement.all()) as unknown as unknown[][];
  await statement.close();
  return rows.flat();
}

describe('connections', () => {
  test('are interleaved, each on a stack of its own', async () => {
    let running = 0;
    let most = 0;
    use(
      new SlowVFS('many', async () => {
        most = Math.max(most, ++running);
        await setImmediate();
        running--;
      }),
    );
    const work = async (n: number) => {
      const db = await open(`${n}.db`, 'many');
      await db.exec('CREATE TABLE t (n INTEGER, bytes BLOB)');
      const insert = await db.prepare('INSERT INTO t VALUES (?, ?)');
      for (let i = 0; i < 10; i++) await insert.run(n, new Uint8Array(n * 1000).fill(n));
      const rows = await values(db, 'SELECT sum(n), min(length(bytes)), hex(substr(bytes, 1, 2)) FROM t');
      await db.close();
      return rows;
    };
    const all = await Promise.all(Array.from({ length: 8 }, (_, n) => work(n)));
    expect(all).toEqual(Array.from({ length: 8 }, (_, n) => [n * 10, n * 1000, n === 0 ? '' : `0${n}0${n}`]));
    expect(most).toBeGreaterThan(4);
  });

  test('wait for each other’s locks, suspended', async () => {
    use(new SlowVFS('busy'));
    const one = await open('x.db', 'busy', 60_000);
    const two = await open('x.db', 'busy', 60_000);
    await one.exec('CREATE TABLE t (a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)');
    let done = false;
    const waiting = two.exec('INSERT INTO t VALUES (2)').then(() => {
      done = true;
    });
    expect(await values(one, 'SELECT count(*) FROM t')).toEqual([1]);
    for (let i = 0; i < 20; i++) await setImmediate();
    expect(done).toBe(false);
    await one.exec('COMMIT');
    await waiting;
    expect(await values(one, 'SELECT a FROM t ORDER BY a')).toEqual([1, 2]);
    await one.close();
    await two.close();
  });

  test('without a timeout find the database locked at once', async () => {
    use(new SlowVFS('impatient'));
    const one = await open('x.db', 'impatient');
    const two = await open('x.db', 'impatient');
    await one.exec('CREATE TABLE t (a); BEGIN IMMEDIATE');
    await expect(two.exec('BEGIN IMMEDIATE')).rejects.toMatchObject({ errcode: 5 });
    await one.close();
    await two.close();
  });

  test('read on in WAL mode while another writes', async () => {
    use(new SlowVFS('logged', undefined, true));
    const writer = await open('x.db', 'logged');
    expect(await values(writer, 'PRAGMA journal_mode = wal')).toEqual(['wal']);
    await writer.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    const reader = await open('x.db', 'logged');
    await reader.exec('BEGIN');
    expect(await values(reader, 'SELECT count(*) FROM t')).toEqual([1]);
    await Promise.all([
      writer.exec('INSERT INTO t VALUES (2)'),
      values(reader, 'SELECT count(*) FROM t').then((n) => expect(n).toEqual([1])),
    ]);
    await reader.exec('COMMIT');
    expect(await values(reader, 'SELECT count(*) FROM t')).toEqual([2]);
    await reader.close();
    await writer.close();
  });
});

describe('while a read is suspended', () => {
  // The header is read into the stack, pages into the heap.
  test.each([
    ['the 100 bytes of the header', (offset: number) => offset === 0],
    ['a page', (offset: number) => offset === 4096],
    ['any bytes', () => true],
  ])('memory may grow and others may work: %s', async (_, isIt) => {
    const hungry = await AsyncDatabase.open(':memory:');
    await hungry.exec('CREATE TABLE t (a)');
    const grow = await hungry.prepare('INSERT INTO t VALUES (zeroblob(1000000))');
    const vfs = use(new SlowVFS('growing'));
    const db = await open('x.db', 'growing');
    await db.exec('CREATE TABLE t (a TEXT)');
    const insert = await db.prepare('INSERT INTO t VALUES (?)');
    for (let i = 0; i < 50; i++) await insert.run(`${i} `.repeat(100));
    await db.close();

    let suspended = 0;
    Object.assign(vfs, {
      pause: async (method: string, _: string, offset = -1) => {
        if (method !== 'read' || !isIt(offset)) return;
        suspended++;
        for (let i = 0; i < 3; i++) await grow.run();
        // Deep in the stack, too.
        await hungry.exec(`SELECT ${'('.repeat(200)}1${')'.repeat(200)}`);
      },
    });
    const again = await open('x.db', 'growing');
    expect(await values(again, 'PRAGMA integrity_check')).toEqual(['ok']);
    expect(await values(again, 'SELECT a FROM t WHERE rowid = 7')).toEqual(['6 '.repeat(100)]);
    expect(suspended).toBeGreaterThan(0);
    await again.close();
    await hungry.close();
  });

  test('other calls of the connection have to wait, and close does', async () => {
    let release = () => {};
    let reached = () => {};
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const vfs = use(new SlowVFS('held'));
    const db = await open('x.db', 'held');
    await db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    await db.close();
    const again = await open('x.db', 'held');
    const select = await again.prepare('SELECT a FROM t');
    Object.assign(vfs, {
      pause: (method: string) => {
        if (method !== 'read') return setImmediate();
        reached();
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      },
    });
    const order: string[] = [];
    const first = select.all().then((rows) => order.push(`${rows.length} row`));
    const second = again.exec('INSERT INTO t VALUES (2)').then(() => order.push('insert'));
    const closing = again.close().then(() => order.push('close'));
    const late = again.exec('SELECT 1').catch((error: Error) => order.push(error.message));
    await isReached;
    for (let i = 0; i < 20; i++) await setImmediate();
    expect(order).toEqual([]);
    Object.assign(vfs, { pause: () => setImmediate() });
    release();
    await Promise.all([first, second, closing, late]);
    expect(order).toEqual(['1 row', 'insert', 'close', 'database is not open']);
  });
});

describe('what an async method throws', () => {
  test.each([
    ['read', 266],
    ['write', 778],
    ['sync', 1034],
    ['size', 1802],
    ['delete', 2570],
    ['exists', 3338],
    ['open', 14],
  ])('by %s fails the call with its code, and is the cause', async (failing, errcode) => {
    const vfs = use(new SlowVFS('failing'));
    const db = await open('x.db', 'failing');
    await db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    const other = await open('x.db', 'failing');
    await other.exec('INSERT INTO t VALUES (1)');
    await other.close();
    const thrown = new Error('the tape is torn');
    Object.assign(vfs, {
      pause: async (method: string) => {
        await setImmediate();
        if (method === failing) throw thrown;
      },
    });
    const error: Error = await db.exec('INSERT INTO t VALUES (2)').then(
      () => new Error('it did not fail'),
      (error) => error,
    );
    Object.assign(vfs, { pause: () => setImmediate() });
    expect(error).toMatchObject({ code: 'ERR_SQLITE_ERROR', errcode });
    expect(error.cause).toBe(thrown);
    expect(error.message).toContain(`failing.${failing}: the tape is torn`);
    await expect(db.exec('SELECT * FROM absent')).rejects.not.toHaveProperty('cause');
    expect(await values(db, 'PRAGMA integrity_check')).toEqual(['ok']);
    await db.close();
  });

  test('is the cause of its own call’s error, whatever fails meanwhile', async () => {
    const vfs = use(new SlowVFS('both'));
    const open2 = async (n: number) => {
      const db = await open(`${n}.db`, 'both');
      await db.exec('CREATE TABLE t (a)');
      return db;
    };
    const dbs = await Promise.all([1, 2, 3, 4].map(open2));
    Object.assign(vfs, {
      pause: async (method: string, path: string | null) => {
        await setImmediate();
        if (method === 'write' && path?.endsWith('.db')) throw new Error(`of ${path}`);
      },
    });
    const errors = await Promise.all(
      dbs.map((db) => db.exec('INSERT INTO t VALUES (1)').catch((error: Error) => error)),
    );
    Object.assign(vfs, { pause: () => setImmediate() });
    expect(errors.map((error) => ((error as Error).cause as Error).message)).toEqual(
      [1, 2, 3, 4].map((n) => `of ${n}.db`),
    );
    for (const [i, error] of errors.entries()) expect((error as Error).message).toContain(`of ${i + 1}.db`);
    for (const db of dbs) await db.close();
  });
});

test('a VFS that answers at once works here, too', async () => {
  class QuickVFS extends SlowVFS {
    override readonly async = false as true;
  }
  const slow = new QuickVFS('quick');
  // Its methods answer promises all the same: an error that says so.
  use(slow);
  await expect(open('x.db', 'quick')).rejects.toThrow('quick.open: answered a promise');
});

test('databases in memory, and the default store', async () => {
  const db = await AsyncDatabase.open('x.db');
  expect(db.store).toBe('memory');
  await db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
  expect(await values(db, 'SELECT a FROM t')).toEqual([1]);
  await db.close();
});

test('closing gives back the connection’s stack', async () => {
  const used = async () => {
    const db = await AsyncDatabase.open(':memory:');
    await db.exec('SELECT 1');
    await db.close();
  };
  await used();
  const before = (await import('../../src/init-jspi.js')).engine().memory.u8.length;
  for (let i = 0; i < 50; i++) await used();
  expect((await import('../../src/init-jspi.js')).engine().memory.u8.length).toBe(before);
});

test('what a VFS is seen to do, while it waits and after', async () => {
  use(new SlowVFS('seen'));
  const db = await open('x.db', 'seen');
  await db.exec('CREATE TABLE t (a)');
  const { read, write } = getVFS('seen').stats('x.db');
  expect(write).toMatchObject({ calls: 2, bytes: 8192, errors: 0 });
  expect(read.calls).toBeGreaterThan(0);
  await db.close();
  expect(() => getVFS('absent')).toThrow("no VFS named 'absent'");
});
