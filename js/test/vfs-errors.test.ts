import { beforeAll, expect, test } from 'vitest';
import { DatabaseSync, getVFS, init } from '../src/index.js';

beforeAll(() => init());

const thrown = (call: () => unknown): Record<string, unknown> => {
  try {
    call();
  } catch (error) {
    const { message, errcode, errstr } = error as { message: string; errcode: number; errstr: string };
    return { message, errcode, errstr };
  }
  throw new Error('nothing was thrown');
};

const missing = (name: string) => ({
  message: `unable to open database file: there is no file '${name}'`,
  errcode: 14,
  errstr: 'unable to open database file',
});

test('the words of a VFS are in the error of a failed open', () => {
  expect(thrown(() => new DatabaseSync('a.db', { readOnly: true }))).toEqual(missing('a.db'));
  expect(thrown(() => new DatabaseSync('file:é.db?mode=rw'))).toEqual(missing('é.db'));
});

test('they are those of this call, whatever failed before', () => {
  thrown(() => new DatabaseSync('first.db', { readOnly: true }));
  expect(thrown(() => new DatabaseSync('second.db', { readOnly: true }))).toEqual(missing('second.db'));
  expect(thrown(() => new DatabaseSync('x.db', { vfs: 'nonsense' }))).toEqual({
    message: 'no such vfs: nonsense',
    errcode: 1,
    errstr: 'SQL logic error',
  });
  const db = new DatabaseSync(':memory:');
  expect(thrown(() => db.exec('selec')).message).toBe('near "selec": syntax error');
  expect(thrown(() => db.prepare('select ?').get(1, 2)).message).toBe('column index out of range');
});

test('a call that succeeds after one that failed is not an error', () => {
  thrown(() => new DatabaseSync('a.db', { readOnly: true }));
  const db = new DatabaseSync('a.db');
  db.exec('create table t(a)');
  expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 0 });
  db.close();
  getVFS().delete('a.db');
});

test('they are in the error of attach, and the connection goes on', () => {
  const db = new DatabaseSync(':memory:');
  expect(thrown(() => db.exec("attach 'file:gone.db?mode=ro' as g"))).toMatchObject({
    errcode: 14,
    message: expect.stringMatching(/unable to open database:? .*gone\.db.*there is no file 'gone\.db'/),
  });
  expect(thrown(() => db.exec('selec')).message).toBe('near "selec": syntax error');
  expect(db.prepare('select 1 n').get()).toEqual({ n: 1 });
});

test('they say which kind of lock it was', () => {
  const [a, b] = [new DatabaseSync('locks.db'), new DatabaseSync('locks.db')];
  a.exec('create table t(a); begin immediate');
  expect(thrown(() => b.exec('begin immediate'))).toEqual({
    message: 'database is locked: locked by another connection',
    errcode: 5,
    errstr: 'database is locked',
  });
  expect(thrown(() => b.exec('rollback')).message).toBe('cannot rollback - no transaction is active');
  a.exec('commit');
});

test('a failed open leaves nothing open, and no file', () => {
  for (let i = 0; i < 100; i++) thrown(() => new DatabaseSync('none.db', { readOnly: true }));
  expect(
    getVFS()
      .list()
      .some(({ name }) => name === 'none.db'),
  ).toBe(false);
  const { open, close } = getVFS().stats();
  const db = new DatabaseSync('none.db');
  db.exec('create table t(a)');
  db.close();
  expect(getVFS().delete('none.db')).toBe(true);
  expect(open.calls).toBeGreaterThan(close.calls);
});

test('a file that is no database is an error that says so, and stays as it is', () => {
  const db = new DatabaseSync('good.db');
  db.exec('create table t(a); insert into t values(1)');
  db.close();
  const bytes = getVFS().export('good.db');
  // What the header says is left in order, and what it is about is not.
  bytes.fill(0xaa, 100, 4096);
  getVFS().import('bad.db', bytes);
  const bad = new DatabaseSync('bad.db');
  expect(thrown(() => bad.prepare('select * from t'))).toEqual({
    message: 'database disk image is malformed',
    errcode: 11,
    errstr: 'database disk image is malformed',
  });
  bad.close();
  expect(getVFS().export('bad.db')).toEqual(bytes);
});
