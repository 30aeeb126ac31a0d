import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, getVFS, init, type RegisteredVFS } from '../src/index.js';

let vfs: RegisteredVFS;

beforeAll(async () => {
  await init();
  vfs = getVFS();
});

let made = 0;
const fresh = () => `files-${++made}.db`;

/** A closed database with a table of some rows. */
function database(rows = 3, name = fresh()): string {
  const db = new DatabaseSync(name);
  db.exec('create table t(a)');
  const insert = db.prepare('insert into t values(?)');
  for (let i = 1; i <= rows; i++) insert.run(i);
  db.close();
  return name;
}

function ask(name: string, sql: string): unknown {
  const db = new DatabaseSync(name, { readOnly: true });
  try {
    expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
    return Object.values(db.prepare(sql).get() ?? {})[0];
  } finally {
    db.close();
  }
}

const sum = (name: string) => ask(name, 'select sum(a) from t');
const count = (name: string) => ask(name, 'select count(*) from t');

const fails = (errcode: number, message: string | RegExp) =>
  expect.objectContaining({ code: 'ERR_SQLITE_ERROR', errcode, message: expect.stringMatching(message) });

describe('getVFS', () => {
  test('finds the default one, and one by name', () => {
    expect(vfs.name).toBe('memory');
    expect(getVFS('memory').name).toBe('memory');
  });

  test('says which one there is not', () => {
    expect(() => getVFS('nonsense')).toThrowError(fails(12, /^no VFS named 'nonsense'/));
    expect(() => getVFS('')).toThrowError(fails(12, /^no VFS named ''/));
  });

  test('takes a name alone', () => {
    for (const name of [null, 5, {}]) {
      expect(() => getVFS(name as never)).toThrowError('The "name" argument must be a string.');
    }
  });
});

describe('list', () => {
  test('has every file with its size, sorted', () => {
    const [b, a] = [database(3, 'list-b.db'), database(3, 'list-a.db')];
    const list = vfs.list();
    expect(list.filter(({ name }) => name.startsWith('list-'))).toEqual([
      { name: a, size: 8192 },
      { name: b, size: 8192 },
    ]);
    const names = list.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
  });

  test('has journals and logs as long as they are there', () => {
    const name = fresh();
    const db = new DatabaseSync(name);
    db.exec('pragma journal_mode=wal; create table t(a)');
    expect(vfs.list().map((file) => file.name)).toContain(`${name}-wal`);
    db.close();
    expect(vfs.list().map((file) => file.name)).not.toContain(`${name}-wal`);
  });

  test('has no temporary files', () => {
    const before = vfs.list();
    const db = new DatabaseSync('');
    db.exec(
      'pragma temp_store=file; create table t(a); create temp table u(a); insert into u values(zeroblob(9000000))',
    );
    expect(vfs.list()).toEqual(before);
    db.close();
  });
});

describe('delete', () => {
  test('answers whether there was one', () => {
    const name = database();
    expect([vfs.delete(name), vfs.delete(name), vfs.delete('nonsense')]).toEqual([true, false, false]);
    expect(vfs.list().some((file) => file.name === name)).toBe(false);
  });

  test('leaves a file that is open', () => {
    const name = database();
    const db = new DatabaseSync(name);
    expect(() => vfs.delete(name)).toThrowError(fails(5, `'${name}' is open`));
    expect(db.prepare('select sum(a) s from t').get()).toEqual({ s: 6 });
    db.close();
    expect(vfs.delete(name)).toBe(true);
  });
});

describe('export', () => {
  test('answers the file, as the caller’s own', () => {
    const name = database();
    const bytes = vfs.export(name);
    expect([bytes.constructor, bytes.length, bytes.buffer.byteLength]).toEqual([Uint8Array, 8192, 8192]);
    bytes.fill(0);
    expect(sum(name)).toBe(6);
    expect(vfs.export(name)[0]).toBe('S'.charCodeAt(0));
  });

  test('of a large database is whole, and memory is given back', () => {
    const name = fresh();
    const db = new DatabaseSync(name);
    db.exec('create table t(a); insert into t values(randomblob(20000000))');
    const { a } = db.prepare('select a from t').get() as { a: Uint8Array };
    db.close();
    const bytes = vfs.export(name);
    vfs.delete(name);
    vfs.import(name, bytes);
    const again = new DatabaseSync(name);
    expect(Buffer.compare((again.prepare('select a from t').get() as { a: Uint8Array }).a, a)).toBe(0);
    expect(again.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
    again.close();
    vfs.delete(name);
  });

  test('of a database without tables is empty', () => {
    const name = fresh();
    new DatabaseSync(name).close();
    expect(vfs.export(name)).toEqual(new Uint8Array(0));
  });

  test('of a file that is not there says so', () => {
    expect(() => vfs.export('nonsense')).toThrowError(fails(14, "there is no file 'nonsense'"));
    expect(() => vfs.export('')).toThrowError(fails(14, "there is no file ''"));
    expect(vfs.list().some(({ name }) => name === 'nonsense')).toBe(false);
  });

  test('has what is committed in a write-ahead log, and opens without one', () => {
    const name = fresh();
    const db = new DatabaseSync(name);
    db.exec(
      'pragma journal_mode=wal; pragma wal_autocheckpoint=0; create table t(a); insert into t values(1), (2)',
    );
    expect(vfs.list().find((file) => file.name === `${name}-wal`)?.size).toBeGreaterThan(0);
    const bytes = vfs.export(name);
    db.exec('insert into t values(100)');
    db.close();
    const copy = fresh();
    vfs.import(copy, bytes);
    const opened = new DatabaseSync(copy);
    expect(opened.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'delete' });
    expect(opened.prepare('select sum(a) s from t').get()).toEqual({ s: 3 });
    expect(opened.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
    expect(vfs.list().some((file) => file.name === `${copy}-wal`)).toBe(false);
    opened.close();
  });

  test('of a closed database in WAL mode opens where there is no WAL', () => {
    const name = fresh();
    const db = new DatabaseSync(name);
    db.exec('pragma journal_mode=wal; create table t(a); insert into t values(5)');
    db.close();
    const bytes = vfs.export(name);
    expect([bytes[18], bytes[19]]).toEqual([1, 1]);
    const memory = new DatabaseSync(':memory:');
    memory.deserialize(bytes);
    expect(memory.prepare('select sum(a) s from t').get()).toEqual({ s: 5 });
  });

  test.each(['delete', 'truncate', 'persist', 'memory', 'off', 'wal'])(
    'has nothing of a transaction that is not committed: journal_mode=%s',
    (mode) => {
      const name = fresh();
      const db = new DatabaseSync(name, { defensive: false });
      db.exec(`pragma journal_mode=${mode}; pragma cache_size=5`);
      db.exec(
        'create table t as with recursive c(a) as (select 1 union all select a + 1 from c limit 20000) select a from c',
      );
      // More than the cache holds: pages that are changed are in the file, or its log, before the commit.
      db.exec('begin; update t set a = -1');
      let bytes: Uint8Array | undefined;
      try {
        bytes = vfs.export(name);
      } catch (error) {
        expect(error).toEqual(fails(5, /^database is locked/));
      }
      db.exec('rollback');
      db.close();
      if (bytes) {
        const copy = fresh();
        vfs.import(copy, bytes);
        expect([sum(copy), count(copy)]).toEqual([200_010_000, 20_000]);
      }
      if (mode !== 'off') expect([sum(name), count(name)]).toEqual([200_010_000, 20_000]);
    },
  );
});

describe('import', () => {
  const bytes = () => vfs.export(database(4));

  test('makes a database', () => {
    const name = fresh();
    expect(vfs.import(name, bytes())).toBe(undefined);
    expect(sum(name)).toBe(10);
    expect(vfs.list().filter((file) => file.name.startsWith(name))).toEqual([{ name, size: 8192 }]);
  });

  test('takes a copy, of part of a buffer too', () => {
    const name = fresh();
    const part = new Uint8Array([9, 9, ...bytes(), 9]).subarray(2, -1);
    vfs.import(name, part);
    part.fill(0);
    expect(sum(name)).toBe(10);
  });

  test('replaces what is there, larger or smaller', () => {
    const name = database(3000);
    const large = vfs.export(name);
    vfs.import(name, bytes());
    expect(sum(name)).toBe(10);
    expect(vfs.export(name).length).toBe(8192);
    vfs.import(name, large);
    expect(sum(name)).toBe((3000 * 3001) / 2);
  });

  test('of an empty file makes a database without tables', () => {
    const name = database();
    vfs.import(name, new Uint8Array(0));
    expect(vfs.list().find((file) => file.name === name)).toEqual({ name, size: 0 });
    const db = new DatabaseSync(name, { readOnly: true });
    expect(db.prepare('select count(*) n from sqlite_schema').get()).toEqual({ n: 0 });
    db.close();
  });

  const header = () => bytes().slice(0, 100);
  const changed = (at: number, ...values: number[]) => {
    const all = bytes();
    all.set(values, at);
    return all;
  };

  test.each<[string, () => Uint8Array, string]>([
    ['too short', () => header().subarray(0, 99), '99 bytes are fewer than its header has'],
    ['one byte', () => new Uint8Array(1), '1 bytes are fewer than its header has'],
    ['not a database', () => new Uint8Array(8192), 'it does not begin with "SQLite format 3"'],
    ['text', () => new TextEncoder().encode('<!doctype html>'.repeat(100)), 'it does not begin with'],
    ['of a wrong page size', () => changed(16, 0x03, 0xe8), 'its page size of 1000 bytes is impossible'],
    ['of page size 0', () => changed(16, 0, 0), 'its page size of 0 bytes is impossible'],
    ['of page size 256', () => changed(16, 1, 0), 'its page size of 256 bytes is impossible'],
    ['cut off in a page', () => bytes().subarray(0, 5000), '5000 bytes are no whole number of pages of 4096'],
    ['only a header', header, '100 bytes are no whole number of pages of 4096'],
    [
      'cut off between pages',
      () => bytes().subarray(0, 4096),
      'its header says 2 pages of 4096 bytes, and there are 1',
    ],
    ['of too many pages', () => changed(31, 9), 'its header says 9 pages of 4096 bytes, and there are 2'],
  ])('refuses bytes that are %s, says why, and leaves what is there', (_, make, reason) => {
    const name = database();
    const wrong = make();
    const before = vfs.list();
    for (const target of [name, fresh()]) {
      expect(() => vfs.import(target, wrong)).toThrowError(fails(26, `not a database: ${reason}`));
    }
    expect(vfs.list()).toEqual(before);
    expect(sum(name)).toBe(6);
  });

  test('refuses to replace a database that is open, which goes on', () => {
    const name = database();
    const db = new DatabaseSync(name);
    const before = vfs.list();
    const other = bytes();
    expect(() => vfs.import(name, other)).toThrowError(
      fails(5, `'${name}' is open; close its connections first`),
    );
    expect(vfs.list().filter((file) => file.name.includes('incoming'))).toEqual([]);
    expect(vfs.list().length).toBe(before.length + 1);
    db.exec('insert into t values(4)');
    expect(db.prepare('select sum(a) s from t').get()).toEqual({ s: 10 });
    db.close();
  });

  test.each(['-wal', '-journal'])('is not read through the old database’s %s', (suffix) => {
    // A log, or a hot journal, as a crash leaves it: made by copying it while it is in use.
    const name = fresh();
    const db = new DatabaseSync(name);
    db.exec(
      `pragma journal_mode=${suffix === '-wal' ? 'wal' : 'delete'}; pragma wal_autocheckpoint=0; pragma cache_size=5`,
    );
    db.exec("create table t(a); insert into t values('old'); begin");
    db.exec("insert into t select zeroblob(3000) from json_each('[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]')");
    if (suffix === '-wal') db.exec('commit');
    const raw = vfs.list().find((file) => file.name === name + suffix);
    expect(raw?.size).toBeGreaterThan(512);
    const left = vfs.export(name + suffix);
    if (db.isTransaction) db.exec('rollback');
    db.close();
    // There is no way to put it back but as what it is not: what matters is that import takes it away.
    const target = database();
    vfs.import(`${target}${suffix}`, new Uint8Array(0));
    vfs.import(target, bytes());
    expect(left.length).toBe(raw?.size);
    expect(vfs.list().some((file) => file.name === target + suffix)).toBe(false);
    expect(sum(target)).toBe(10);
  });

  test('takes bytes alone, and a name', () => {
    for (const wrong of [undefined, null, 'x', new ArrayBuffer(8), [1], new Uint16Array(50)]) {
      expect(() => vfs.import(fresh(), wrong as never)).toThrowError(
        'The "bytes" argument must be a Uint8Array.',
      );
    }
    for (const call of ['import', 'export', 'delete'] as const) {
      for (const name of [undefined, null, 5, {}]) {
        expect(() => vfs[call](name as never, bytes())).toThrowError('The "name" argument must be a string.');
      }
    }
    expect(() => vfs.import('', bytes())).toThrowError(fails(14, /name has 1 to/));
  });

  test('of a Buffer works', () => {
    const name = fresh();
    vfs.import(name, Buffer.from(bytes()));
    expect(sum(name)).toBe(10);
  });
});

describe('stats', () => {
  test('count what SQLite does to files, and begin anew', () => {
    vfs.resetStats();
    const zero = vfs.stats();
    expect(Object.values(zero).every(({ calls, bytes }) => calls === 0 && bytes === 0)).toBe(true);
    expect(Object.keys(zero).sort()).toEqual(
      [
        'access',
        'close',
        'control',
        'delete',
        'lock',
        'open',
        'read',
        'shm',
        'size',
        'sync',
        'truncate',
        'unlock',
        'write',
      ].sort(),
    );
    const db = new DatabaseSync(fresh());
    db.exec('create table t(a); insert into t values(zeroblob(100000))');
    const { open, write, close } = vfs.stats();
    expect(open.calls - close.calls).toBe(1);
    expect(write.calls).toBeGreaterThan(20);
    expect(write.bytes).toBeGreaterThan(100_000);
    db.close();
    expect(vfs.stats().close.calls).toBe(vfs.stats().open.calls);
    vfs.resetStats();
    expect(vfs.stats()).toEqual(zero);
  });

  test('are the same from every handle', () => {
    database();
    expect(getVFS('memory').stats()).toEqual(vfs.stats());
  });
});
