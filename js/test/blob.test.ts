// Blobs that are read and written in parts, on both builds: what node:sqlite does not have.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';
import { rejected, type Thrown } from './api/errors.js';
import { AsyncDatabase } from './async/subject.js';

beforeAll(() => init());

// Each of them is called with what the types of the other would not allow.
// biome-ignore lint/suspicious/noExplicitAny: both at once.
type Any = any;

/** What a call throws, at once or later. */
const fails = (use: () => unknown): Promise<Thrown> => rejected(Promise.resolve().then(use));

const bytes = (...values: number[]) => new Uint8Array(values);

describe.each([
  ['DatabaseSync', () => new DatabaseSync(':memory:')],
  ['AsyncDatabase', () => new AsyncDatabase(':memory:')],
])('%s', (_, open) => {
  let db: Any;
  const one = async (sql: string) => Object.values(await (await db.prepare(sql)).get())[0];

  beforeEach(async () => {
    db = open();
    await db.exec(
      "create table t(id integer primary key, data); insert into t values (1, x'010203040506'), (2, 'zwei')",
    );
  });

  test('reads parts, and fills what is given', async () => {
    const blob = await db.openBlob('t', 'data', 1, { readOnly: true });
    expect(blob.length).toBe(6);
    expect(await blob.read()).toEqual(bytes(1, 2, 3, 4, 5, 6));
    expect(await blob.read(4)).toEqual(bytes(5, 6));
    expect(await blob.read(1, 2)).toEqual(bytes(2, 3));
    expect(await blob.read(6)).toEqual(bytes());
    const target = new Uint8Array(3);
    expect(await blob.read(2, target)).toBe(target);
    expect(target).toEqual(bytes(3, 4, 5));
    await blob.close();
  });

  test('writes parts, in a transaction or at its end', async () => {
    const blob = await db.openBlob('t', 'data', 1n);
    await blob.write(bytes(9, 8), 1);
    await blob.write(bytes(7).buffer);
    await blob.close();
    expect(await one('select hex(data) from t where id = 1')).toBe('070908040506');
    await db.exec('begin');
    const other = await db.openBlob('t', 'data', 1);
    await other.write(bytes(0));
    await other.close();
    await db.exec('rollback');
    expect(await one('select hex(data) from t where id = 1')).toBe('070908040506');
  });

  test('goes to another row', async () => {
    const blob = await db.openBlob('t', 'data', 1);
    await blob.reopen(2);
    expect(blob.length).toBe(4);
    expect(new TextDecoder().decode(await blob.read())).toBe('zwei');
    expect(await fails(() => blob.reopen(3))).toMatchObject({ message: 'no such rowid: 3' });
    expect((await fails(() => blob.read(0, 4))).code).toBe('ERR_OUT_OF_RANGE');
    await blob.reopen(1);
    expect(blob.length).toBe(6);
    await blob.close();
  });

  test('one whose row was changed has expired, until it is reopened', async () => {
    const blob = await db.openBlob('t', 'data', 1);
    await db.exec("update t set data = x'00' where id = 1");
    for (const use of [() => blob.read(0, 1), () => blob.write(bytes(1)), () => blob.read(0, 1)]) {
      expect(await fails(use)).toMatchObject({
        code: 'ERR_SQLITE_ERROR',
        errcode: 4,
        message: expect.stringContaining('The blob has expired'),
      });
    }
    await blob.reopen(1);
    expect(await blob.read()).toEqual(bytes(0));
    await blob.close();
  });

  test('is refused beyond its end, closed, and with what is no argument of its', async () => {
    const blob = await db.openBlob('t', 'data', 1);
    const refused = async (use: () => unknown) => (await fails(use)).code;
    expect(await refused(() => blob.read(5, 2))).toBe('ERR_OUT_OF_RANGE');
    expect(await refused(() => blob.read(7))).toBe('ERR_OUT_OF_RANGE');
    expect(await refused(() => blob.read(0, 2 ** 40))).toBe('ERR_OUT_OF_RANGE');
    expect(await refused(() => blob.read(-1))).toBe('ERR_OUT_OF_RANGE');
    expect(await refused(() => blob.read(0, 'x'))).toBe('ERR_INVALID_ARG_TYPE');
    expect(await refused(() => blob.read(0.5))).toBe('ERR_INVALID_ARG_TYPE');
    expect(await refused(() => blob.write(bytes(1, 2), 5))).toBe('ERR_OUT_OF_RANGE');
    expect(await refused(() => blob.write('text'))).toBe('ERR_INVALID_ARG_TYPE');
    expect(await refused(() => blob.reopen(1.5))).toBe('ERR_INVALID_ARG_TYPE');
    expect(await refused(() => blob.reopen(2 ** 53))).toBe('ERR_OUT_OF_RANGE');
    expect(await refused(() => blob.readable({ chunkSize: 0 }))).toBe('ERR_OUT_OF_RANGE');
    await blob.close();
    for (const use of [
      () => blob.read(),
      () => blob.write(bytes(1)),
      () => blob.close(),
      () => blob.length,
    ]) {
      expect(await fails(use)).toMatchObject({
        code: 'ERR_INVALID_STATE',
        message: 'blob is not open',
      });
    }
    const readOnly = await db.openBlob('t', 'data', 1, { readOnly: true });
    expect(await refused(() => readOnly.write(bytes(1)))).toBe('ERR_INVALID_STATE');
    await readOnly.close();
    expect(await refused(() => db.openBlob('t', 'data', '1'))).toBe('ERR_INVALID_ARG_TYPE');
    expect(await refused(() => db.openBlob('t\0', 'data', 1))).toBe('ERR_INVALID_ARG_VALUE');
    expect(await refused(() => db.openBlob('t', 'none', 1))).toBe('ERR_SQLITE_ERROR');
    expect(await refused(() => db.openBlob('t', 'data', 1, { schema: 'other' }))).toBe('ERR_SQLITE_ERROR');
    expect(await fails(() => db.openBlob('t', 'id', 1))).toMatchObject({
      message: 'cannot open value of type null',
    });
  });

  test('in an attached database, by the name of its schema', async () => {
    await db.exec("attach ':memory:' as other; create table other.u(x); insert into other.u values (x'ff')");
    const blob = await db.openBlob('u', 'x', 1, { schema: 'other' });
    expect(await blob.read()).toEqual(bytes(255));
    await blob.close();
  });

  test('many pieces, and streams', async () => {
    const size = 1_000_003;
    const data = Uint8Array.from({ length: size }, (_, i) => i * 7);
    await (await db.prepare('insert into t values (3, zeroblob(?))')).run(size);
    const blob = await db.openBlob('t', 'data', 3);
    await blob.write(data, 0);
    expect(Buffer.compare(await blob.read(), data)).toBe(0);
    const chunks: Uint8Array[] = [];
    for await (const chunk of blob.readable({ chunkSize: 300_000 })) chunks.push(chunk);
    expect(chunks.map(({ length }) => length)).toEqual([300_000, 300_000, 300_000, 100_003]);
    expect(Buffer.compare(Buffer.concat(chunks), data)).toBe(0);
    await blob.reopen(1);
    await new Response(bytes(1, 1, 1)).body?.pipeTo(blob.writable());
    expect(await blob.read()).toEqual(bytes(1, 1, 1, 4, 5, 6));
    const writer = blob.writable().getWriter();
    const failed = fails(() => writer.closed);
    expect(await fails(() => writer.write(new Uint8Array(7)))).toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    await failed;
    await blob.close();
  });

  test('a stream of a blob without bytes ends at once', async () => {
    await db.exec("insert into t values (4, x'')");
    const blob = await db.openBlob('t', 'data', 4);
    expect(await new Response(blob.readable()).bytes()).toEqual(bytes());
    await blob.close();
  });

  test('ends with its database, and where its bytes are replaced', async () => {
    const blob = await db.openBlob('t', 'data', 1);
    await blob.write(bytes(5));
    await db.deserialize(await db.serialize());
    expect(await fails(() => blob.read())).toMatchObject({ message: 'blob is not open' });
    const other = await db.openBlob('t', 'data', 1);
    expect(await other.read(0, 1)).toEqual(bytes(5));
    await db.close();
    expect(await fails(() => other.close())).toMatchObject({ message: 'blob is not open' });
  });

  test('is disposed of', async () => {
    const blob = await db.openBlob('t', 'data', 1);
    for (let i = 0; i < 2; i++) await blob[Symbol.dispose in blob ? Symbol.dispose : Symbol.asyncDispose]();
    expect(await fails(() => blob.read())).toMatchObject({ message: 'blob is not open' });
    // Nothing holds a lock.
    await db.exec('vacuum');
  });
});

test('what is written is what it was when the call was made', async () => {
  const db = new AsyncDatabase(':memory:');
  await db.exec("create table t(data); insert into t values (x'0000')");
  const blob = await db.openBlob('t', 'data', 1);
  const data = bytes(1, 2);
  const written = blob.write(data);
  data.fill(9);
  await written;
  expect(await blob.read()).toEqual(bytes(1, 2));
  await db.close();
});
