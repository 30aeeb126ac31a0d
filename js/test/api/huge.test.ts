import { expect, test } from 'vitest';
import { DatabaseSync } from './subject.js';

/** 100 MB in the full run. */
const SIZE = process.env.SQLITE_VFS_KIT_FULL === '1' ? 100_000_000 : 10_000_000;

const TIME = 120_000;

const open = () => new DatabaseSync(':memory:');

test(
  `a text of ${SIZE} characters goes in and comes out`,
  () => {
    const text = 'abcdefghijklmnopqrstuvwxyz'.repeat(SIZE / 26 + 1).slice(0, SIZE);
    const row = open().prepare('SELECT ? AS text, length(?1) AS length').get(text);
    expect(row?.length).toBe(SIZE);
    expect(row?.text === text).toBe(true);
  },
  TIME,
);

test(
  'so does one that is not ASCII',
  () => {
    const text = 'Grüße aus 東京 😀\0'.repeat(SIZE / 50);
    expect(open().prepare('SELECT ? AS text').get(text)?.text === text).toBe(true);
  },
  TIME,
);

test(
  `a blob of ${SIZE} bytes goes in and comes out`,
  () => {
    const blob = new Uint8Array(SIZE);
    for (let i = 0; i < SIZE; i += 997) blob[i] = i % 251;
    const out = open().prepare('SELECT ? AS blob').get(blob)?.blob as Uint8Array;
    expect(out.length).toBe(SIZE);
    expect(Buffer.compare(out, blob)).toBe(0);
  },
  TIME,
);

test(
  `an SQL text of ${SIZE} characters runs, by exec and by prepare`,
  () => {
    const db = open();
    db.exec('CREATE TABLE t (a)');
    const insert = `INSERT INTO t VALUES ('${'x'.repeat(980)}');\n`;
    const count = Math.floor(SIZE / insert.length);
    db.exec(`BEGIN;${insert.repeat(count)}COMMIT`);
    expect(db.prepare('SELECT count(*) AS n, sum(length(a)) AS sum FROM t').get()).toEqual({
      n: count,
      sum: count * 980,
    });
    const literal = 'é'.repeat(SIZE / 2);
    expect(db.prepare(`SELECT length('${literal}') AS n`).get()).toEqual({ n: SIZE / 2 });
  },
  TIME,
);

test('what is beyond a limit of SQLite is a clear error, and the database goes on', () => {
  const db = open();
  db.limits.length = 1_000_000;
  expect(() => db.prepare('SELECT ?').get('x'.repeat(1_000_001))).toThrowError('string or blob too big');
  expect(() => db.prepare('SELECT ?').get(new Uint8Array(1_000_001))).toThrowError('string or blob too big');
  expect(() => db.prepare('SELECT zeroblob(1000001)').get()).toThrowError('string or blob too big');
  db.limits.sqlLength = 1000;
  expect(() => db.prepare(`SELECT '${'x'.repeat(1000)}'`)).toThrowError();
  expect(db.prepare('SELECT 1 AS one').get()).toEqual({ one: 1 });
});
