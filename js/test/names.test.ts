import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, getVFS, init, type RegisteredVFS } from '../src/index.js';

let vfs: RegisteredVFS;

beforeAll(async () => {
  await init();
  vfs = getVFS();
});

const names = () => vfs.list().map(({ name }) => name);

/** Opens, writes in WAL mode, so that there is a second file, and answers what is there meanwhile. */
function use(name: string): string[] {
  const db = new DatabaseSync(name);
  db.exec('pragma journal_mode=wal; create table if not exists t(a); insert into t values(1)');
  const there = names();
  db.close();
  return there;
}

describe('a name', () => {
  test.each([
    'plain.db',
    'a b.db',
    'a#b.db',
    'a?b.db',
    'a?vfs=nonsense',
    'a%23b.db',
    'a%00b.db',
    'a&b=c',
    'a;b',
    "it's.db",
    '"quoted".db',
    'back\\slash.db',
    'é.db',
    'e\u0301.db',
    '表.db',
    '😀.db',
    '/absolute/path.db',
    './dot.db',
    'a/../b.db',
    'trailing/',
    'C:\\windows.db',
    'http://x/y.db',
    ' leading and trailing ',
    '-wal',
    'x-journal',
    '.',
    '~',
    '\ufeffbom.db',
    'line\nbreak.db',
  ])('%j is its own file, with its own log', (name) => {
    expect(use(name)).toEqual(expect.arrayContaining([name, `${name}-wal`]));
    expect(names()).toContain(name);
    expect(names()).not.toContain(`${name}-wal`);
    const db = new DatabaseSync(name, { readOnly: true });
    expect(db.location()).toBe(name);
    expect(db.prepare('select sum(a) s from t').get()).toEqual({ s: 1 });
    db.close();
    vfs.import(`copy of ${name}`, vfs.export(name));
    expect([vfs.delete(name), vfs.delete(`copy of ${name}`)]).toEqual([true, true]);
    expect(names()).not.toContain(name);
  });

  test('that differs in anything is another file', () => {
    const similar = ['a', 'A', 'a ', 'a#', 'a?', 'a%', 'á', 'a\u0301'];
    similar.forEach((name, i) => {
      const db = new DatabaseSync(name);
      db.exec(`create table t(a); insert into t values(${i})`);
      db.close();
    });
    similar.forEach((name, i) => {
      const db = new DatabaseSync(name);
      expect(db.prepare('select a from t').get()).toEqual({ a: i });
      db.close();
      vfs.delete(name);
    });
  });

  test.each([
    ['ASCII', 'x'.repeat(1024)],
    ['of two bytes a character', 'é'.repeat(512)],
    ['of four', '😀'.repeat(256)],
  ])('of 1024 bytes works in every way: %s', (_, name) => {
    expect(use(name)).toEqual(expect.arrayContaining([name, `${name}-wal`]));
    const db = new DatabaseSync(name);
    db.exec('pragma journal_mode=delete; begin; insert into t values(2); commit');
    db.close();
    const bytes = vfs.export(name);
    vfs.import(name, bytes);
    expect(vfs.delete(name)).toBe(true);
  });

  test('of 1024 bytes takes part in a transaction over several files', () => {
    const name = 'y'.repeat(1024);
    const db = new DatabaseSync(name);
    db.exec(`attach 'attached.db' as x; pragma journal_mode=delete; pragma x.journal_mode=delete`);
    db.exec('begin; create table t(a); create table x.t(a); commit');
    db.close();
    expect(names().filter((other) => /-mj|-journal/.test(other))).toEqual([]);
    vfs.delete(name);
    vfs.delete('attached.db');
  });

  test.each([
    ['x'.repeat(1025), 1025],
    ['é'.repeat(513), 1026],
    ['x'.repeat(100_000), 100_000],
  ])('of more is refused, and how long it is is said', (name, length) => {
    const before = names();
    expect(() => new DatabaseSync(name)).toThrowError(
      expect.objectContaining({ errcode: 782, message: expect.stringContaining(`${length} bytes long`) }),
    );
    if (length > 2000) expect(() => vfs.import(name, new Uint8Array(0))).toThrowError('1 to 1024 bytes');
    expect(names()).toEqual(before);
  });

  test('with a NUL is refused everywhere', () => {
    const before = names();
    const db = new DatabaseSync('a');
    db.exec('create table t(a)');
    db.close();
    for (const call of [
      () => vfs.export('a\0b'),
      () => vfs.exportStream('a\0b'),
      () => vfs.import('a\0b', new Uint8Array(0)),
      () => vfs.delete('a\0b'),
      () => getVFS('memory\0b'),
      () => new DatabaseSync('a', { vfs: 'memory\0b' }),
    ]) {
      expect(call).toThrowError(/without null bytes/);
    }
    expect(vfs.delete('a')).toBe(true);
    expect(names()).toEqual(before);
  });
});

describe('a URI', () => {
  test('is what begins with file:, and nothing else', () => {
    const db = new DatabaseSync('file:uri.db?vfs=memory');
    db.exec('create table t(a)');
    expect(db.location()).toBe('uri.db');
    db.close();
    expect(names()).toContain('uri.db');
    expect(() => new DatabaseSync('file:missing.db?mode=rw')).toThrowError("there is no file 'missing.db'");
    const named = new DatabaseSync('FILE:x?mode=rw');
    named.exec('create table t(a)');
    named.close();
    expect(names()).toContain('FILE:x?mode=rw');
    for (const name of ['uri.db', 'FILE:x?mode=rw']) vfs.delete(name);
  });

  test('says # ? % of a name by their codes', () => {
    const db = new DatabaseSync('file:a%23b%3fc%25d.db');
    db.exec('create table t(a)');
    db.close();
    expect(names()).toContain('a#b?c%d.db');
    vfs.delete('a#b?c%d.db');
  });

  test('of a VFS that is not there says so', () => {
    expect(() => new DatabaseSync('file:x.db?vfs=nonsense')).toThrowError('no such vfs: nonsense');
    expect(() => new DatabaseSync('x.db', { vfs: 'nonsense' })).toThrowError('no such vfs: nonsense');
  });
});

describe('the store', () => {
  test('is the name of the VFS', () => {
    for (const path of ['store.db', ':memory:', '', 'file:store.db?vfs=memory']) {
      const db = new DatabaseSync(path);
      expect(db.store).toBe('memory');
      db.close();
    }
    const db = new DatabaseSync('store.db', { vfs: 'memory' });
    expect(db.store).toBe('memory');
    db.close();
    expect(() => db.store).toThrowError('database is not open');
    vfs.delete('store.db');
  });

  test('is an option that must be text', () => {
    for (const vfs of [null, 5, true, {}]) {
      expect(() => new DatabaseSync('x.db', { vfs } as never)).toThrowError(
        'The "options.vfs" argument must be a string.',
      );
    }
  });
});
