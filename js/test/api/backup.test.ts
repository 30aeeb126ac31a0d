import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { argType, notOpen, rejected, sqlError, thrown } from './errors.js';
import { type Database, DatabaseSync, sqlite, subject, wrong } from './subject.js';

const { backup } = sqlite;

// Ours are in memory, by any name.
const folder = subject === 'node' ? mkdtempSync(join(tmpdir(), 'backup-')) : '/backup';
afterAll(() => {
  if (subject === 'node') rmSync(folder, { recursive: true });
});

let files = 0;
const file = () => join(folder, `${files++}.db`);

function open(rows = 0) {
  const db = new DatabaseSync(':memory:');
  db.exec(`create table t(a integer primary key, b); insert into t
    with recursive c(i) as (select 1 union all select i + 1 from c limit ${rows}) select i, printf('%0400d', i) from c`);
  return db;
}

const count = (path: string) => new DatabaseSync(path).prepare('select count(*) n from t').get()?.n;
const pages = (db: Database) => db.prepare('pragma page_count').get()?.page_count as number;

describe('arguments of backup', () => {
  const db = open();
  const source = argType('The "sourceDb" argument must be an object.');
  const path = argType('The "path" argument must be a string, Uint8Array, or URL without null bytes.');
  const options = argType('The "options" argument must be an object.');
  const type = (name: string, what: string) => argType(`The "options.${name}" argument must be ${what}.`);
  const positive = {
    name: 'RangeError',
    code: 'ERR_OUT_OF_RANGE',
    message: 'The "options.rate" argument must be a positive integer.',
  };
  test.each([
    [[], source],
    [[1], source],
    [[null], source],
    [[{}], path],
    [[db], path],
    [[db, 1], path],
    [[db, 'a\0b'], path],
    [[db, new Uint8Array([65, 0])], path],
    [[db, file(), undefined], options],
    [[db, file(), 1], options],
    [[db, file(), { rate: '1' }], type('rate', 'an integer')],
    [[db, file(), { rate: 1.5, source: 1 }], type('rate', 'an integer')],
    [[db, file(), { rate: 0 }], positive],
    [[db, file(), { rate: -1 }], positive],
    [[db, file(), { source: 1, target: 1 }], type('source', 'a string')],
    [[db, file(), { target: null, progress: 1 }], type('target', 'a string')],
    [[db, file(), { progress: null }], type('progress', 'a function')],
  ])('%#', (args, error) => {
    expect(thrown(() => backup(...(args as [Database, string])))).toEqual(error);
  });

  test('a URL of another scheme', () => {
    expect(thrown(() => backup(db, new URL('http://x/y'))).code).toBe('ERR_INVALID_URL_SCHEME');
  });

  test('a database that is not open', () => {
    const db = open();
    db.close();
    expect(thrown(() => backup(db, file()))).toEqual(notOpen);
  });
});

describe('a copy', () => {
  test('is a whole database, and answers how many pages it has', async () => {
    const db = open(3000);
    for (const path of [file(), new URL(`file://${file()}`), new TextEncoder().encode(file())]) {
      expect(await backup(db, path)).toBe(pages(db));
    }
    const path = file();
    await backup(db, path);
    expect(count(path)).toBe(3000);
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 3000 });
  });

  test('takes the place of what was there', async () => {
    const path = file();
    const former = new DatabaseSync(path);
    former.exec('create table former(a)');
    former.close();
    await backup(open(5), path);
    const names = new DatabaseSync(path).prepare('select name from sqlite_schema').all();
    expect(names).toEqual([{ name: 't' }]);
  });

  test('tells how far it is, until it is done', async () => {
    const db = open(3000);
    const total = pages(db);
    const calls: unknown[] = [];
    const progress = function (this: unknown, ...args: unknown[]) {
      calls.push([String(this), ...args]);
    };
    expect(await backup(db, file(), { rate: 100, progress })).toBe(total);
    const expected = [];
    for (let left = total - 100; left > 0; left -= 100) {
      expected.push(['null', { totalPages: total, remainingPages: left }]);
    }
    expect(calls).toEqual(expected);
    calls.length = 0;
    expect(await backup(db, file(), { rate: 1_000_000, progress })).toBe(total);
    expect(calls).toEqual([]);
  });

  test('has 100 pages at a time', async () => {
    const db = open(3000);
    let calls = 0;
    await backup(db, file(), { progress: () => calls++ });
    expect(calls).toBe(Math.ceil(pages(db) / 100) - 1);
  });

  test('has what is written meanwhile', async () => {
    const db = open(3000);
    const path = file();
    let calls = 0;
    const progress = () => {
      if (++calls === 3) db.exec("insert into t values (99999, 'meanwhile')");
    };
    expect(await backup(db, path, { rate: 50, progress })).toBe(pages(db));
    expect(count(path)).toBe(3001);
  });

  test('is of the databases that are named', async () => {
    const db = open();
    db.exec("attach ':memory:' as other; create table other.t(a); insert into other.t values (1), (2)");
    const path = file();
    await backup(db, path, { source: 'other', target: 'main' });
    expect(count(path)).toBe(2);
    const unknown = sqlError('unknown database none');
    expect(await rejected(backup(db, file(), { source: 'none' }))).toEqual(unknown);
    expect(await rejected(backup(db, file(), { target: 'none' }))).toEqual(unknown);
  });

  test('can be of nothing, and go to memory', async () => {
    expect(await backup(new DatabaseSync(':memory:'), file())).toBe(0);
    expect(await backup(open(5), ':memory:')).toBe(2);
  });

  test('can be begun in a function', async () => {
    const db = open(5);
    const path = file();
    let copied: Promise<number> | undefined;
    db.function('f', () => {
      copied = backup(db, path);
      return 1;
    });
    db.exec('select f()');
    expect(await copied).toBe(pages(db));
    expect(count(path)).toBe(5);
  });
});

describe('what goes wrong', () => {
  test('what progress throws ends it', async () => {
    const db = open(3000);
    const error = new RangeError('mine');
    const progress = () => {
      throw error;
    };
    await expect(backup(db, file(), { rate: 10, progress })).rejects.toBe(error);
    db.close();
  });

  test('a database that is closed meanwhile', async () => {
    const db = open(3000);
    const copied = backup(db, file(), { rate: 10, progress: () => db.close() });
    expect(await rejected(copied)).toEqual(notOpen);
    expect(db.isOpen).toBe(false);
  });

  test('a copy that cannot be opened', async () => {
    const path = subject === 'node' ? join(folder, 'none', 'x.db') : 'file:x.db?mode=ro';
    expect(await rejected(backup(open(), path))).toMatchObject({ code: 'ERR_SQLITE_ERROR', errcode: 14 });
  });

  test('a copy that somebody else writes', async () => {
    const path = file();
    const other = new DatabaseSync(path);
    other.exec('create table z(a); begin immediate');
    const error = await rejected(backup(open(5), path));
    // Node's has no words for it: "not an error".
    const message = subject === 'node' ? 'not an error' : 'database is locked: locked by another connection';
    expect(error).toMatchObject({ code: 'ERR_SQLITE_ERROR', message });
    other.exec('rollback');
    await backup(open(5), path);
  });

  test('nothing is left of it', async () => {
    const path = file();
    const db = open(3000);
    await backup(db, path);
    db.exec('delete from t');
    const progress = () => {
      throw new Error('stop');
    };
    await rejected(backup(open(6000), path, { rate: 50, progress }));
    expect(count(path)).toBe(3000);
    expect(new DatabaseSync(path).prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });
});

// It ends Node's process.
test.runIf(subject === 'ours')('no other object is a database', () => {
  expect(() => backup(wrong({}), file())).toThrow();
});
