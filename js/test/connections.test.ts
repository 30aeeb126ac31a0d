import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, getVFS, init } from '../src/index.js';

beforeAll(() => init());

let made = 0;

/** Two connections to one file with a table of one row. */
function pair(journal = 'delete'): [DatabaseSync, DatabaseSync] {
  const name = `connections-${++made}.db`;
  const [a, b] = [new DatabaseSync(name), new DatabaseSync(name)];
  a.exec(`pragma journal_mode=${journal}; create table t(a); insert into t values(1)`);
  return [a, b];
}

const locked = expect.objectContaining({
  code: 'ERR_SQLITE_ERROR',
  errcode: 5,
  errstr: 'database is locked',
  message: expect.stringMatching(/^database is locked/),
});

const rows = (db: DatabaseSync) =>
  db
    .prepare('select a from t order by a')
    .all()
    .map(({ a }) => a);

describe('two connections to one file', () => {
  test('see each other’s commits, and not what is uncommitted', () => {
    const [a, b] = pair();
    expect(rows(b)).toEqual([1]);
    a.exec('insert into t values(2)');
    expect(rows(b)).toEqual([1, 2]);
    a.exec('begin; insert into t values(3)');
    expect(rows(b)).toEqual([1, 2]);
    a.exec('rollback');
    expect(rows(b)).toEqual([1, 2]);
  });

  test.each(['delete', 'wal'])('have one writer at a time: %s', (journal) => {
    const [a, b] = pair(journal);
    a.exec('begin immediate');
    expect(() => b.exec('begin immediate')).toThrowError(locked);
    expect(() => b.exec('insert into t values(2)')).toThrowError(locked);
    expect(rows(b)).toEqual([1]);
    a.exec('commit');
    b.exec('insert into t values(2)');
    expect(rows(a)).toEqual([1, 2]);
  });

  test('an exclusive one keeps readers out, but not in WAL mode', () => {
    const [a, b] = pair();
    a.exec('begin exclusive');
    expect(() => rows(b)).toThrowError(locked);
    a.exec('commit');
    const [c, d] = pair('wal');
    c.exec('begin exclusive');
    expect(rows(d)).toEqual([1]);
    c.exec('commit');
  });

  test('a commit waits for nobody: it is refused while another reads, and can be tried again', () => {
    const [a, b] = pair();
    b.exec('begin; select * from t');
    a.exec('begin; insert into t values(2)');
    expect(() => a.exec('commit')).toThrowError(locked);
    expect(a.isTransaction).toBe(true);
    b.exec('commit');
    a.exec('commit');
    expect(rows(b)).toEqual([1, 2]);
  });

  test('in WAL mode a reader keeps what it began with while another commits', () => {
    const [a, b] = pair('wal');
    b.exec('begin');
    expect(rows(b)).toEqual([1]);
    for (let i = 2; i < 50; i++) a.exec(`insert into t values(${i})`);
    expect(rows(b)).toEqual([1]);
    expect(rows(a)).toHaveLength(49);
    b.exec('commit');
    expect(rows(b)).toHaveLength(49);
  });

  test('in WAL mode an iterator keeps what it began with, too', () => {
    const [a, b] = pair('wal');
    for (let i = 2; i <= 1000; i++) a.exec(`insert into t values(${i})`);
    let expected = 0;
    for (const { a: value } of b.prepare('select a from t order by rowid').iterate()) {
      expect(value).toBe(++expected);
      if (expected % 100 === 0) a.exec('delete from t where a > 500; insert into t values(0)');
    }
    expect(expected).toBe(1000);
  });

  test('in WAL mode a reader of old data cannot begin to write', () => {
    const [a, b] = pair('wal');
    b.exec('begin');
    expect(rows(b)).toEqual([1]);
    a.exec('insert into t values(2)');
    expect(() => b.exec('insert into t values(3)')).toThrowError(
      expect.objectContaining({ errcode: 517, message: expect.stringMatching(/^database is locked/) }),
    );
    b.exec('rollback');
    b.exec('insert into t values(3)');
    expect(rows(a)).toEqual([1, 2, 3]);
  });

  test('see a schema that the other changes', () => {
    const [a, b] = pair();
    const all = b.prepare('select * from t');
    expect(all.get()).toEqual({ a: 1 });
    a.exec('alter table t add column b default 2');
    expect(all.get()).toEqual({ a: 1, b: 2 });
  });

  test('each keeps its rights', () => {
    const [a] = pair();
    const reader = new DatabaseSync(a.location() as string, { readOnly: true });
    expect(rows(reader)).toEqual([1]);
    expect(() => reader.exec('insert into t values(2)')).toThrowError(
      expect.objectContaining({ errcode: 8, message: expect.stringContaining('readonly') }),
    );
    a.exec('insert into t values(2)');
    expect(rows(reader)).toEqual([1, 2]);
  });

  test('that close while the other reads or writes leave it in peace', () => {
    const [a, b] = pair('wal');
    b.exec('begin; insert into t values(2)');
    a.close();
    b.exec('commit');
    expect(rows(b)).toEqual([1, 2]);
  });
});

describe('a timeout', () => {
  test.each([0, 100, 60_000, 2 ** 31 - 1])(
    'of %d ms ends at once: in one thread nothing changes meanwhile',
    (timeout) => {
      const [a] = pair();
      const b = new DatabaseSync(a.location() as string, { timeout });
      a.exec('begin immediate');
      const started = performance.now();
      expect(() => b.exec('begin immediate')).toThrowError(locked);
      expect(performance.now() - started).toBeLessThan(2000);
      a.exec('rollback');
      expect(b.prepare('pragma busy_timeout').get()).toEqual({ timeout: Math.min(timeout, 3_600_000) });
    },
  );
});

describe('attached databases', () => {
  test('commit together, or not at all', () => {
    const [a] = pair();
    const [other] = pair();
    const name = other.location() as string;
    a.exec(`attach '${name}' as o; begin; insert into t values(2); insert into o.t values(2); commit`);
    expect(rows(other)).toEqual([1, 2]);
    a.exec('begin; insert into t values(3); insert into o.t values(3); rollback');
    expect([rows(a), rows(other)]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    other.exec('begin immediate');
    a.exec('begin; insert into main.t values(4)');
    expect(() => a.exec('insert into o.t values(4)')).toThrowError(locked);
    a.exec('rollback');
    other.exec('rollback');
    expect(
      getVFS()
        .list()
        .filter((file) => file.name.includes('-mj')),
    ).toEqual([]);
    expect(a.location('o')).toBe(name);
  });
});

test('a name that was deleted and made again is another file', () => {
  const name = 'connections-again.db';
  const first = new DatabaseSync(name);
  first.exec('create table t(a); insert into t values(1)');
  first.close();
  getVFS().delete(name);
  const second = new DatabaseSync(name);
  expect(second.prepare('select count(*) n from sqlite_schema').get()).toEqual({ n: 0 });
  second.close();
});

test('what is opened and closed a thousand times leaves nothing behind', () => {
  const name = 'connections-often.db';
  const files = getVFS().list().length;
  for (let i = 0; i < 1000; i++) {
    const db = new DatabaseSync(name);
    if (i === 0) db.exec('create table t(a)');
    db.prepare('insert into t values(?)').run(i);
    if (i % 2) db.prepare('select * from t').iterate().next();
    db.close();
  }
  expect(getVFS().list().length).toBe(files + 1);
  expect(getVFS().delete(name)).toBe(true);
});
