import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, getVFS, init, type RegisteredVFS } from '../src/index.js';

let vfs: RegisteredVFS;

beforeAll(async () => {
  await init();
  vfs = getVFS();
});

let made = 0;
const fresh = () => `streams-${++made}.db`;

/** A database of some megabytes, closed unless it is asked for. */
function large(name = fresh()): string {
  const db = new DatabaseSync(name);
  db.exec('create table t(a); insert into t values(randomblob(3500000)), (5)');
  db.close();
  return name;
}

async function joined(stream: AsyncIterable<Uint8Array>): Promise<{ bytes: Uint8Array; chunks: number }> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { bytes: Buffer.concat(chunks), chunks: chunks.length };
}

const read = (name: string) => joined(vfs.exportStream(name) as unknown as AsyncIterable<Uint8Array>);

function* pieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const sum = (name: string) => {
  const db = new DatabaseSync(name, { readOnly: true });
  try {
    expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
    return db.prepare("select sum(a) s from t where typeof(a) <> 'blob'").get()?.s;
  } finally {
    db.close();
  }
};

const leftovers = () => vfs.list().filter(({ name }) => !/^streams-\d+\.db$/.test(name));

describe('exportStream', () => {
  test('has the bytes of export, in chunks', async () => {
    const name = large();
    const { bytes, chunks } = await read(name);
    expect(Buffer.compare(bytes, vfs.export(name))).toBe(0);
    expect(chunks).toBeGreaterThan(2);
  });

  test('of a small file and of an empty one', async () => {
    const name = fresh();
    const db = new DatabaseSync(name);
    expect((await read(name)).bytes.length).toBe(0);
    db.exec('create table t(a)');
    db.close();
    expect((await read(name)).bytes).toEqual(Buffer.from(vfs.export(name)));
  });

  test('lets nobody write while it is read, and everybody afterwards', async () => {
    const name = large();
    const before = vfs.export(name);
    const db = new DatabaseSync(name);
    const reader = vfs.exportStream(name).getReader();
    const first = await reader.read();
    expect(() => db.exec('delete from t')).toThrowError(expect.objectContaining({ errcode: 5 }));
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 2 });
    const chunks = [first.value as Uint8Array];
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
    expect(Buffer.compare(Buffer.concat(chunks), before)).toBe(0);
    db.exec('delete from t');
    db.close();
  });

  test('that is cancelled lets go of the file', async () => {
    const name = large();
    const reader = vfs.exportStream(name).getReader();
    await reader.read();
    expect(() => vfs.delete(name)).toThrowError('is open');
    await reader.cancel();
    expect(vfs.delete(name)).toBe(true);
  });

  test('of a database in WAL mode has what its log holds', async () => {
    const name = fresh();
    const db = new DatabaseSync(name);
    db.exec(
      'pragma journal_mode=wal; pragma wal_autocheckpoint=0; create table t(a); insert into t values(2)',
    );
    const { bytes } = await read(name);
    db.close();
    const copy = fresh();
    vfs.import(copy, bytes);
    expect(sum(copy)).toBe(2);
    const closed = await read(name);
    expect([closed.bytes[18], closed.bytes[19]]).toEqual([1, 1]);
  });

  test('of a file that is not there says so', async () => {
    await expect(read('nonsense')).rejects.toThrow("there is no file 'nonsense'");
    expect(() => vfs.exportStream(5 as never)).toThrowError('The "name" argument must be a string.');
  });

  test('of a database that somebody is writing is refused, and leaves nothing open', async () => {
    const name = fresh();
    const db = new DatabaseSync(name);
    db.exec('pragma journal_mode=memory; create table t(a); begin exclusive');
    expect(() => vfs.exportStream(name)).toThrowError('database is locked');
    db.exec('rollback');
    db.close();
    expect(vfs.delete(name)).toBe(true);
  });
});

describe('importStream', () => {
  test.each([1000, 4096, 99_999, 5_000_000])('puts chunks of %d bytes together', async (size) => {
    const bytes = vfs.export(large());
    const name = fresh();
    expect(await vfs.importStream(name, pieces(bytes, size))).toBe(undefined);
    expect(Buffer.compare(vfs.export(name), bytes)).toBe(0);
    expect(sum(name)).toBe(5);
    expect(leftovers()).toEqual([]);
  });

  test('takes streams of every kind', async () => {
    const bytes = vfs.export(large());
    async function* later() {
      yield* pieces(bytes, 1_000_000);
    }
    const sources = [
      new Response(bytes).body as ReadableStream<Uint8Array>,
      new Blob([bytes]).stream(),
      later(),
      [bytes],
      vfs.exportStream(large()),
    ];
    for (const source of sources) {
      const name = fresh();
      await vfs.importStream(name, source);
      expect(sum(name)).toBe(5);
    }
  });

  test('of one byte at a time, and of none', async () => {
    const small = fresh();
    new DatabaseSync(small).exec('pragma page_size=512; create table t(a); insert into t values(7)');
    const name = fresh();
    await vfs.importStream(name, pieces(vfs.export(small), 1));
    expect(sum(name)).toBe(7);
    await vfs.importStream(name, []);
    expect(vfs.export(name).length).toBe(0);
  });

  test('replaces only when all of it has come', async () => {
    const name = large();
    const before = vfs.export(name);
    async function* broken() {
      yield* pieces(before, 1_000_000);
      throw new RangeError('the line is cut');
    }
    await expect(vfs.importStream(name, broken())).rejects.toThrow('the line is cut');
    expect(Buffer.compare(vfs.export(name), before)).toBe(0);
    expect(leftovers()).toEqual([]);
  });

  test('refuses what is no database at the first chunk, and reads no more', async () => {
    let asked = 0;
    async function* endless() {
      for (;;) {
        asked++;
        yield new Uint8Array(4096);
      }
    }
    const name = large();
    await expect(vfs.importStream(name, endless())).rejects.toThrow('it does not begin with');
    expect(asked).toBe(1);
    expect([sum(name), leftovers()]).toEqual([5, []]);
  });

  test('refuses one that is cut off, and chunks that are no bytes', async () => {
    const name = large();
    const bytes = vfs.export(name);
    await expect(vfs.importStream(name, [bytes.subarray(0, 8192)])).rejects.toThrow('its header says');
    await expect(vfs.importStream(name, ['text'] as never)).rejects.toThrow('no Uint8Array');
    expect([sum(name), leftovers()]).toEqual([5, []]);
  });

  test('refuses a name that is open, and leaves it', async () => {
    const name = large();
    const db = new DatabaseSync(name);
    await expect(vfs.importStream(name, [vfs.export(large())])).rejects.toThrow(`'${name}' is open`);
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 2 });
    db.close();
    expect(leftovers()).toEqual([]);
  });

  test('two at once of one name: each is whole, and the later one stays', async () => {
    const [one, other] = [fresh(), fresh()];
    new DatabaseSync(one).exec('create table t(a); insert into t values(1)');
    new DatabaseSync(other).exec('create table t(a); insert into t values(2)');
    const name = fresh();
    await Promise.all([
      vfs.importStream(name, pieces(vfs.export(one), 100)),
      vfs.importStream(name, pieces(vfs.export(other), 50)),
    ]);
    expect(sum(name)).toBe(2);
    expect(leftovers()).toEqual([]);
  });
});
