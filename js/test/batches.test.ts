import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';

beforeAll(() => init());

const SERIES = 'with recursive c(i) as (select 1 union all select i + 1 from c limit ?)';

describe('rows of statements that take turns are each their own', () => {
  test('whatever their columns, batches and types are', () => {
    const db = new DatabaseSync(':memory:');
    const shapes: [string, (i: number) => unknown[]][] = [
      ['i', (i) => [i]],
      ["'text ' || i, i", (i) => [`text ${i}`, i]],
      ["'é' || i", (i) => [`é${i}`]],
      ['cast(i as blob), null', (i) => [Buffer.from(String(i)), null]],
      ["i * 0.5, hex(zeroblob(i % 300)), 'z'", (i) => [i * 0.5, '00'.repeat(i % 300), 'z']],
    ];
    const readers = shapes.map(([columns, expected]) => ({
      rows: db.prepare(`${SERIES} select ${columns} from c`, { returnArrays: true }).iterate(3000),
      expected,
      i: 0,
    }));
    // A fixed walk, in which each has runs of its own.
    let state = 1;
    for (let step = 0; step < 14_000; step++) {
      state = (state * 48_271) % 2_147_483_647;
      const reader = readers[state % readers.length];
      const next = reader?.rows.next();
      if (!reader || next?.done) continue;
      const row = next?.value as unknown as unknown[];
      const expected = reader.expected(++reader.i);
      const same = row.every((value, column) => {
        const want = expected[column];
        return want instanceof Uint8Array
          ? Buffer.compare(value as Uint8Array, want) === 0
          : Object.is(value, want);
      });
      if (!same || row.length !== expected.length)
        throw new Error(`row ${reader.i}: ${row} is not ${expected}`);
    }
    expect(readers.every(({ i }) => i > 2000)).toBe(true);
  });

  test('while every other kind of call comes in between', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a)');
    const others = [
      () => db.exec('insert into t values(1)'),
      () => db.prepare("select 'other', 1, x'00'").all(),
      () => db.prepare('select 99').get(),
      () => db.prepare('select * from t').columns(),
      () => db.prepare('select ?').expandedSQL,
      () => db.location(),
      () => db.serialize(),
      () => db.store,
      () => db.isTransaction,
      () => expect(() => db.exec('selec')).toThrow(),
      () => new DatabaseSync(':memory:').close(),
    ];
    let expected = 0;
    for (const { i, t } of db.prepare(`${SERIES} select i, 'row ' || i t from c`).iterate(2000)) {
      expected++;
      if (i !== expected || t !== `row ${expected}`) throw new Error(`row ${expected}: ${i} ${t}`);
      others[expected % others.length]?.();
    }
    expect(expected).toBe(2000);
  });

  test('of two connections, too', () => {
    const [a, b] = [new DatabaseSync(':memory:'), new DatabaseSync(':memory:')];
    const left = a.prepare(`${SERIES} select 'left ' || i v from c`).iterate(1000);
    const right = b.prepare(`${SERIES} select 'right ' || i v from c`).iterate(1000);
    for (let i = 1; i <= 1000; i++) {
      expect([left.next().value?.v, right.next().value?.v]).toEqual([`left ${i}`, `right ${i}`]);
    }
  });
});

describe('what comes before an error is handed out', () => {
  test('in rows of every size, which end batches anywhere', () => {
    const db = new DatabaseSync(':memory:');
    const sql = `${SERIES} select hex(zeroblob(?2)) || case when i = ?3 then abs(-9223372036854775807 - 1) else '' end t from c`;
    for (const size of [0, 10, 5000, 200_000]) {
      for (const at of [1, 2, 16, 17, 18, 80, 81, 100]) {
        let seen = 0;
        const read = () => {
          for (const { t } of db.prepare(sql).iterate(200, BigInt(size), BigInt(at))) {
            seen++;
            if ((t as string).length !== size * 2) throw new Error(`row ${seen}`);
          }
        };
        expect(read).toThrowError('integer overflow');
        expect(seen).toBe(at - 1);
      }
    }
  });
});

test('a statement that is prepared anew between batches reads on as it was', () => {
  const db = new DatabaseSync(':memory:');
  db.exec(`create table t as ${SERIES.replace('?', '500')} select i, 'x' || i t from c`);
  const rows = db.prepare('select * from t').iterate();
  const first = rows.next().value;
  db.exec('create table u(a)');
  const rest = [...rows];
  expect(first).toEqual({ i: 1, t: 'x1' });
  expect(rest.at(-1)).toEqual({ i: 500, t: 'x500' });
  expect(rest).toHaveLength(499);
});
