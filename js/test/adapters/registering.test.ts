// Registering in builds of others: what is refused and with which words, and what becomes of a VFS that is taken out again.

import { Factory } from '@journeyapps/wa-sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { register as registerOfficial } from '../../src/adapters/sqlite-wasm.js';
import { register as registerWa } from '../../src/adapters/wa-sqlite.js';
import { getVFS, init, registerVFS, unregisterVFS } from '../../src/index.js';
import { MemoryAsyncVFS } from '../../src/memory-async-vfs.js';
import { allBuilds, type Build, codeOf } from './builds.js';

const SQLITE_ERROR = 1;
const SQLITE_CANTOPEN = 14;
const SQLITE_MISUSE = 21;

let builds: Build[];

beforeAll(async () => {
  await init();
  builds = await allBuilds();
});

const each = async (body: (build: Build) => Promise<void> | void) => {
  for (const build of builds) await body(build);
};

const thrown = (call: () => unknown): Error => {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
};

describe('what is no build', () => {
  const vfs = new MapVFS();

  test.each([undefined, null, {}, 'sqlite3', { capi: {} }])('%j', (module) => {
    expect(thrown(() => registerOfficial(module as never, vfs))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringContaining("what sqlite3InitModule() of '@sqlite.org/sqlite-wasm' answers."),
    });
    expect(thrown(() => registerWa(module as never, vfs))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringContaining("what the factory of a build of '@journeyapps/wa-sqlite' answers."),
    });
  });

  test('a promise of one', () => {
    const module = Promise.resolve({});
    expect(thrown(() => registerOfficial(module as never, vfs)).message).toContain('await it first');
    expect(thrown(() => registerWa(module, vfs)).message).toContain('await it first');
  });

  test("wa-sqlite's API in the place of its module", () => {
    const api = Factory((builds[1] as Build).module);
    expect(thrown(() => registerWa(api, vfs)).message).toContain(
      'not the API that Factory(module) makes of it',
    );
  });

  test('one in the place of another', () => {
    expect(thrown(() => registerWa((builds[0] as Build).module, vfs)).message).toContain('wa-sqlite');
    expect(thrown(() => registerOfficial((builds[1] as Build).module as never, vfs)).message).toContain(
      'sqlite-wasm',
    );
  });
});

test('what is no VFS, and no name', async () => {
  await each((build) => {
    for (const vfs of [undefined, null, 'memory', 7]) {
      expect(thrown(() => build.register(vfs as never)).message).toContain('must be an object');
    }
    expect(thrown(() => build.register({ name: 'half', open() {} } as never)).message).toContain(
      "'half' has no delete, exists",
    );
    const vfs = new MapVFS();
    expect(thrown(() => build.register(vfs, { name: '' })).message).toContain('must not be empty');
    expect(thrown(() => build.register(vfs, { name: 'a\0b' })).message).toContain('null bytes');
    expect(thrown(() => build.register(vfs, { name: 7 as never })).message).toContain('must be a string');
    expect(thrown(() => build.register(vfs, { default: 1 as never })).message).toContain('must be a boolean');
    expect(thrown(() => build.register(vfs, 'x' as never)).message).toContain('must be an object');
  });
});

test('a VFS in JavaScript is lent as itself, not by what getVFS answers', async () => {
  registerVFS(new MapVFS('map of ours'));
  await each((build) => {
    expect(thrown(() => build.register(getVFS('map of ours'))).message).toContain(
      'lend the object that was registered',
    );
  });
  unregisterVFS('map of ours');
});

test('its own name is taken, unless another is given; and a name that is taken is refused', async () => {
  await each(async (build) => {
    expect(build.register(new MapVFS('of its own')).name).toBe('of its own');
    expect(build.register(new MapVFS('of its own'), { name: 'ünïcode #?' }).name).toBe('ünïcode #?');
    expect(await codeOf((await build.open('a.db', 'ünïcode #?')).sql('CREATE TABLE t (x)'))).toBe(0);
    const error = thrown(() => build.register(new MapVFS('of its own')));
    expect(error).toMatchObject({ code: 'ERR_INVALID_STATE' });
    expect(error.message).toContain("'of its own' is registered");
  });
});

test('a VFS whose methods wait is refused where nothing can wait', async () => {
  await each((build) => {
    const register = () => build.register(new MemoryAsyncVFS('waits'));
    if (build.suspends) register();
    else expect(thrown(register).message).toMatch(/'waits' is async, and .* cannot wait for promises/);
  });
});

test('the default is what databases are on that name no VFS', async () => {
  await each(async (build) => {
    const vfs = new MapVFS();
    const registration = build.register(vfs, { name: 'default of them', default: true });
    const db = await build.open('default.db');
    await db.sql('CREATE TABLE t (x)');
    expect([...vfs.files.keys()]).toContain('default.db');
    await db.close();
    registration.unregister();
    const other = await build.open('default.db').catch(() => undefined);
    await other?.close();
    expect([...vfs.files.keys()]).toEqual(['default.db']);
  });
});

test('taken out: open files go on, others are refused, and the name is free', async () => {
  await each(async (build) => {
    const vfs = new MapVFS();
    const registration = build.register(vfs, { name: 'out' });
    const db = await build.open('out.db', 'out');
    await db.sql('CREATE TABLE t (x); BEGIN; INSERT INTO t VALUES (1)');
    registration.unregister();
    registration.unregister();
    expect(await db.sql('SELECT * FROM t')).toEqual([[1]]);
    expect(await codeOf(build.open('out.db', 'out').then((db) => db.sql('SELECT * FROM t')))).toBe(
      SQLITE_ERROR,
    );
    expect(thrown(() => build.register(vfs, { name: 'out' })).message).toContain('has open files');
    await db.sql('ROLLBACK');
    // It would need a journal, which is another file.
    expect(await codeOf(db.sql('INSERT INTO t VALUES (2)'))).not.toBe(0);
    expect(registration.lastError).toMatchObject({ code: 'SQLITE_MISUSE' });
    await db.close();
    build.register(vfs, { name: 'out' });
    const again = await build.open('out.db', 'out');
    expect(await again.sql('SELECT * FROM t')).toEqual([]);
    await again.close();
  });
});

test('given up: whoever goes on is told so', async () => {
  await each(async (build) => {
    const vfs = new MapVFS();
    const registration = build.register(vfs, { name: 'given up' });
    const db = await build.open('x.db', 'given up');
    await db.sql('CREATE TABLE t (x); INSERT INTO t VALUES (1)');
    await registration.abandon();
    expect([SQLITE_MISUSE, SQLITE_CANTOPEN]).toContain(await codeOf(db.sql('INSERT INTO t VALUES (2)')));
    expect(String(registration.lastError)).toMatch('this file was closed');
    await db.close();
  });
});
