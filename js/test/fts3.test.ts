// The wasm file that has FTS3 and FTS4 as well, with the JavaScript of the other.

import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';

beforeAll(async () => {
  await init({ wasm: await readFile(new URL('../src/wasm/sqlite_vfs_kit_fts3_bg.wasm', import.meta.url)) });
});

describe.each(['fts3', 'fts4'])('%s', (version) => {
  const open = () => {
    const db = new DatabaseSync(':memory:');
    db.exec(`create virtual table t using ${version}(body)`);
    db.prepare('insert into t values(?)').run('the quick brown fox');
    return db;
  };

  test('finds what was put in, with the syntax that Node has', () => {
    const find = open().prepare("select snippet(t, '[', ']') s from t where t match ?");
    expect(find.all('quick AND (fox OR dog)')).toEqual([{ s: 'the [quick] brown [fox]' }]);
    expect(find.all('quick NOT fox')).toEqual([]);
  });

  test('is closed after use, with statements in every state', () => {
    for (let round = 0; round < 5; round++) {
      const db = open();
      const find = db.prepare("select body from t where t match 'quick'");
      expect(find.all().length).toBe(1);
      db.prepare("insert into t values('x')");
      db.prepare("select body from t where t match 'fox'").iterate().next();
      db.close();
      expect(() => find.all()).toThrowError('statement has been finalized');
    }
    expect(open().prepare("select body from t where t match 'quick'").all().length).toBe(1);
  });
});

test('all else is there as well', () => {
  const db = new DatabaseSync('all-else.db');
  db.exec("create virtual table f using fts5(a); insert into f values('x y')");
  expect(db.prepare("select a from f where f match 'y'").get()).toEqual({ a: 'x y' });
  db.close();
});
