// One store, several builds of SQLite: what one writes the others read, their locks are respected, and a crash of one is recovered by
// another.

import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MapVFS as ExampleVFS } from '../../examples/map-vfs.js';
import {
  DatabaseSync,
  type FacadeVFS,
  getVFS,
  init,
  type RegisteredVFS,
  registerVFS,
  unregisterVFS,
} from '../../src/index.js';
import { initStores, MemoryVFS } from '../../src/stores.js';
import { MapVFS } from '../testing/map-vfs.js';
import { allBuilds, type Build, codeOf, type OpenDatabase, ours } from './builds.js';

const SQLITE_BUSY = 5;

let foreign: Build[];

beforeAll(async () => {
  await init();
  await initStores();
  foreign = await allBuilds();
});

/** Stores, each new; and whether our own engine has them too. */
const stores: [name: string, create: () => FacadeVFS | RegisteredVFS, ours: boolean][] = [
  ['MemoryVFS of the default build', () => getVFS('memory'), true],
  ['MemoryVFS alone', () => new MemoryVFS(), false],
  ['a VFS that does not lock itself', () => new ExampleVFS('example'), true],
  ['a VFS that locks itself', () => new MapVFS(), true],
];

let files = 0;
let registered: string | undefined;
let open: OpenDatabase[] = [];
let registrations: ReturnType<Build['register']>[] = [];

/** Registers a store wherever it goes; answers who can open a file there, and the file. */
function everywhere(store: FacadeVFS | RegisteredVFS, withOurs: boolean) {
  const name = `lent ${++files}`;
  for (const build of foreign) registrations.push(build.register(store, { name }));
  const openers = foreign.map((build) => ({
    name: build.name,
    open: async (options?: { mustExist?: boolean }) => track(await build.open(file, name, options)),
  }));
  const file = `same-${files}.db`;
  if (!withOurs) return { openers, file };
  const vfs = store.name;
  if (vfs !== 'memory') {
    registerVFS(store as FacadeVFS);
    registered = vfs;
  }
  return {
    openers: [...openers, { name: ours.name, open: async () => track(await ours.open(file, vfs)) }],
    file,
  };
}

function track(db: OpenDatabase): OpenDatabase {
  open.push(db);
  return db;
}

afterEach(async () => {
  for (const db of open) await db.close();
  for (const registration of registrations) registration.unregister();
  if (registered) unregisterVFS(registered);
  registered = undefined;
  open = [];
  registrations = [];
});

describe.each(stores)('%s', (_, create, withOurs) => {
  test('what one build writes, all others read', async () => {
    const { openers } = everywhere(create(), withOurs);
    const written: unknown[][] = [];
    for (const one of openers) {
      const db = await one.open();
      await db.sql('CREATE TABLE IF NOT EXISTS page (who, bytes)');
      // More than one chunk of the store.
      await db.sql(`INSERT INTO page VALUES ('${one.name}', randomblob(200000))`);
      const [row] = (await db.sql(
        `SELECT who, hex(substr(bytes, 150000, 16)) FROM page WHERE who = '${one.name}'`,
      )) as [unknown[]];
      written.push(row);
      for (const other of openers) {
        const reader = await other.open();
        expect(await reader.sql('SELECT who, hex(substr(bytes, 150000, 16)) FROM page'), other.name).toEqual(
          written,
        );
        expect(await reader.sql('PRAGMA integrity_check'), other.name).toEqual([['ok']]);
      }
    }
  });

  test('while one build writes, the others are told that it is busy', async () => {
    const { openers } = everywhere(create(), withOurs);
    const connections = [];
    for (const one of openers) connections.push({ name: one.name, db: await one.open() });
    await connections[0]?.db.sql('CREATE TABLE t (x)');
    for (const { name, db } of connections) {
      await db.sql('BEGIN IMMEDIATE');
      await db.sql(`INSERT INTO t VALUES ('${name}')`);
      for (const other of connections.filter((other) => other.db !== db)) {
        expect(await codeOf(other.db.sql('BEGIN IMMEDIATE')), `${other.name} beside ${name}`).toBe(
          SQLITE_BUSY,
        );
        // Reading goes on until it commits.
        expect(await codeOf(other.db.sql('SELECT * FROM t'))).toBe(0);
      }
      await db.sql('COMMIT');
      await db.sql('BEGIN EXCLUSIVE');
      for (const other of connections.filter((other) => other.db !== db)) {
        expect(await codeOf(other.db.sql('SELECT * FROM t')), `${other.name} beside ${name}`).toBe(
          SQLITE_BUSY,
        );
      }
      await db.sql('COMMIT');
    }
    expect((await connections[0]?.db.sql('SELECT x FROM t'))?.flat()).toEqual(
      openers.map(({ name }) => name),
    );
  });

  test('a reader of one build holds back the commit of another, until it is done', async () => {
    const { openers } = everywhere(create(), withOurs);
    const writer = (await openers[0]?.open()) as OpenDatabase;
    await writer.sql('CREATE TABLE t (x)');
    for (const one of openers.slice(1)) {
      const reader = await one.open();
      await reader.sql('BEGIN');
      await reader.sql('SELECT * FROM t');
      await writer.sql('BEGIN');
      await writer.sql('INSERT INTO t VALUES (1)');
      expect(await codeOf(writer.sql('COMMIT')), one.name).toBe(SQLITE_BUSY);
      await reader.sql('COMMIT');
      await writer.sql('COMMIT');
    }
    expect(await writer.sql('SELECT count(*) FROM t')).toEqual([[openers.length - 1]]);
  });

  test('a crash in one build is recovered by each other', async () => {
    const store = create();
    for (const crashing of foreign) {
      for (const recovering of foreign) {
        const { file, name, crash } = await midway(crashing, store);
        await crash();
        const again = recovering === crashing ? `${name} again` : name;
        registrations.push(recovering.register(store, { name: again }));
        const db = track(await recovering.open(file, again));
        const words = `${crashing.name}, then ${recovering.name}`;
        expect(await db.sql("SELECT count(*), sum(x = 'before') FROM t"), words).toEqual([[400, 400]]);
        expect(await db.sql('PRAGMA integrity_check'), words).toEqual([['ok']]);
        await db.sql('DELETE FROM t');
      }
    }
  });
});

/** A build in the middle of a transaction, of which a part has gone into the file. */
async function midway(build: Build, store: FacadeVFS | RegisteredVFS) {
  const name = `crash ${++files}`;
  const file = `crash-${files}.db`;
  const registration = build.register(store, { name });
  const db = await build.open(file, name);
  await db.sql('CREATE TABLE t (x, filler); BEGIN');
  for (let i = 0; i < 400; i++) await db.sql("INSERT INTO t VALUES ('before', zeroblob(3000))");
  await db.sql('COMMIT; PRAGMA cache_size = 5; PRAGMA cache_spill = 1; BEGIN IMMEDIATE');
  await db.sql("UPDATE t SET x = 'after'");
  return { file, name, crash: () => registration.abandon() };
}

test("our engine recovers another's crash", async () => {
  for (const build of foreign) {
    const { file, crash } = await midway(build, getVFS('memory'));
    await crash();
    // It is there to be rolled back, and not only in that build's memory.
    expect(
      getVFS('memory')
        .list()
        .map(({ name }) => name),
    ).toContain(`${file}-journal`);
    const db = new DatabaseSync(file);
    expect(db.prepare("SELECT count(*) AS n FROM t WHERE x = 'before'").get()).toEqual({ n: 400 });
    db.close();
  }
});

test('until it is said that a build has crashed, its locks hold', async () => {
  const build = foreign[0] as Build;
  const { file, crash } = await midway(build, getVFS('memory'));
  const db = new DatabaseSync(file);
  expect(() => db.exec("INSERT INTO t VALUES ('ours', 0)")).toThrow('locked');
  await crash();
  db.exec("INSERT INTO t VALUES ('ours', 0)");
  db.close();
});
