import { beforeAll, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';
import { engine } from '../src/init.js';

beforeAll(() => init());

const COUNT = process.env.SQLITE_VFS_KIT_FULL ? 200_000 : 5000;

const size = () => engine().memory.u8.length;

test.each(['delete', 'truncate', 'persist', 'memory', 'wal'])(
  `${COUNT} autocommits leave memory where it was after the first thousand: journal_mode=%s`,
  (mode) => {
    const db = new DatabaseSync(`autocommits-${mode}.db`);
    db.exec(`pragma journal_mode=${mode}; create table t(a integer primary key, b)`);
    const update = db.prepare('insert or replace into t values(?, ?)');
    const step = (i: number) => update.run(i % 500, `value ${i}`);
    for (let i = 0; i < 1000; i++) step(i);
    const before = size();
    for (let i = 1000; i < COUNT; i++) step(i);
    expect(size()).toBe(before);
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 500 });
    db.close();
  },
);

test('so do as many statements that are prepared, and databases that are opened', () => {
  const step = (i: number) => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a)');
    db.prepare('insert into t values(?)').run(i);
    expect(() => db.prepare('selec')).toThrow();
    db.close();
  };
  for (let i = 0; i < 200; i++) step(i);
  const before = size();
  for (let i = 200; i < COUNT / 5; i++) step(i);
  expect(size()).toBe(before);
});
