import { beforeEach, describe, expect, test } from 'vitest';
import { finalized, invalidated, sqlError, thrown } from './errors.js';
import { type Database, DatabaseSync, type Statement } from './subject.js';

let db: Database;
let count: Statement;

beforeEach(() => {
  db = new DatabaseSync(':memory:');
  count = db.prepare(
    'with recursive c(i) as (select 1 union all select i + 1 from c limit ?) select i from c',
  );
});

const end = { done: true, value: null };
const item = (i: number) => ({ done: false, value: { i } });

describe('an iterator', () => {
  test('hands out row after row, then its end for ever', () => {
    const rows = count.iterate(2);
    expect([rows.next(), rows.next(), rows.next(), rows.next()]).toEqual([item(1), item(2), end, end]);
  });

  test('hands out results without a prototype', () => {
    const rows = count.iterate(1);
    for (let i = 0; i < 2; i++) expect(Object.getPrototypeOf(rows.next())).toBe(null);
    expect(Object.getPrototypeOf(rows.return?.())).toBe(null);
  });

  test('is iterable, and an iterator to the language', () => {
    const rows = count.iterate(1);
    expect(rows[Symbol.iterator]()).toBe(rows);
    const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
    expect(Object.getPrototypeOf(Object.getPrototypeOf(rows))).toBe(IteratorPrototype);
    expect('throw' in rows).toBe(false);
  });

  test('serves for…of, spreading, destructuring and Array.from', () => {
    const seen: unknown[] = [];
    for (const { i } of count.iterate(3)) seen.push(i);
    expect(seen).toEqual([1, 2, 3]);
    expect([...count.iterate(2)]).toEqual([{ i: 1 }, { i: 2 }]);
    expect(Array.from(count.iterate(3), ({ i }) => i)).toEqual([1, 2, 3]);
    const [first, second] = count.iterate(1000);
    expect([first, second]).toEqual([{ i: 1 }, { i: 2 }]);
  });

  // In the run in Node 26.
  if ('Iterator' in globalThis)
    test('has the helper methods of the language', () => {
      interface Helpers {
        map(f: (row: { i: number }) => number): Helpers;
        filter(f: (n: number) => unknown): Helpers;
        drop(n: number): Helpers;
        take(n: number): Helpers;
        toArray(): unknown[];
      }
      const rows = count.iterate(50) as unknown as Helpers;
      const odd = rows.map(({ i }) => i).filter((i) => i % 2);
      expect(odd.drop(2).take(3).toArray()).toEqual([5, 7, 9]);
    });

  test('reads every row of a long result, in order', () => {
    let expected = 0;
    for (const { i } of count.iterate(30_000))
      if (i !== ++expected) throw new Error(`${i} after ${expected - 1}`);
    expect(expected).toBe(30_000);
  });

  test('of parameters that are refused is none', () => {
    expect(thrown(() => count.iterate(1, 2))).toMatchObject({ message: 'column index out of range' });
  });

  test('over a statement without rows runs it', () => {
    db.exec('create table t(a)');
    const rows = db.prepare('insert into t values(1)').iterate();
    expect(rows.next()).toEqual(end);
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 1 });
  });
});

describe('return', () => {
  test('ends it, before and after the first row and at the end', () => {
    const fresh = count.iterate(2);
    expect([fresh.return?.(), fresh.next(), fresh.return?.(5)]).toEqual([end, end, end]);
    const begun = count.iterate(1000);
    expect([begun.next(), begun.return?.(7), begun.next()]).toEqual([item(1), end, end]);
    const ended = count.iterate(1);
    expect([ended.next(), ended.next(), ended.return?.()]).toEqual([item(1), end, end]);
  });

  test('comes with leaving a for…of, by break or by an error', () => {
    db.exec(
      'create table t as with recursive c(i) as (select 1 union all select i + 1 from c limit 5000) select i from c',
    );
    for (const _ of db.prepare('select i from t').iterate()) break;
    db.exec('alter table t rename to u');
    const failing = () => {
      for (const _ of db.prepare('select i from u').iterate()) throw new RangeError('mine');
    };
    expect(thrown(failing)).toMatchObject({ message: 'mine' });
    db.exec('drop table u');
  });
});

describe('another use of the statement', () => {
  const uses: [string, (statement: Statement) => unknown][] = [
    ['run', (statement) => statement.run(3)],
    ['get', (statement) => statement.get(3)],
    ['all', (statement) => statement.all(3)],
    ['iterate', (statement) => statement.iterate(3)],
    ['refused parameters', (statement) => thrown(() => statement.all(Symbol('x') as never))],
    ['too many parameters', (statement) => thrown(() => statement.all(1, 2))],
  ];

  test.each(uses)('(%s) ends an iterator that is not at its end, for good', (_, use) => {
    const rows = count.iterate(1000);
    rows.next();
    use(count);
    expect(thrown(() => rows.next())).toEqual(invalidated);
    expect(thrown(() => rows.next())).toEqual(invalidated);
  });

  test.each(uses)('(%s) leaves one that is at its end there', (_, use) => {
    const rows = count.iterate(1);
    expect([...rows]).toEqual([{ i: 1 }]);
    use(count);
    expect(rows.next()).toEqual(end);
    expect(rows.return?.()).toEqual(end);
  });

  test('leaves it returnable', () => {
    const rows = count.iterate(1000);
    rows.next();
    count.all(1);
    expect(rows.return?.()).toEqual(end);
    expect(rows.next()).toEqual(end);
  });

  test('by a second iterator gives that one its own rows', () => {
    const first = count.iterate(1000);
    first.next();
    const second = count.iterate(2);
    expect(thrown(() => first.next())).toEqual(invalidated);
    expect([...second]).toEqual([{ i: 1 }, { i: 2 }]);
  });

  test('is none of columns, sourceSQL, expandedSQL and the switches', () => {
    const rows = count.iterate(1000);
    rows.next();
    count.columns();
    expect([count.sourceSQL.length > 0, count.expandedSQL.includes('1000')]).toEqual([true, true]);
    count.setAllowBareNamedParameters(true);
    expect(rows.next()).toEqual(item(2));
  });
});

describe('closing', () => {
  const ways: [string, () => void][] = [
    ['the statement', () => count.close()],
    ['the database', () => db.close()],
  ];

  test.each(ways)('%s ends an iterator, wherever it is', (_, close) => {
    const begun = count.iterate(1000);
    begun.next();
    close();
    expect(thrown(() => begun.next())).toEqual(finalized);
    expect(thrown(() => begun.return?.())).toEqual(finalized);
  });

  test.each(ways)('%s counts for one that is at its end, too', (_, close) => {
    const ended = count.iterate(1);
    expect([...ended]).toHaveLength(1);
    close();
    expect(thrown(() => ended.next())).toEqual(finalized);
  });
});

describe('an error in the middle', () => {
  const sql = `with recursive c(i) as (select 1 union all select i + 1 from c limit 1000)
    select abs(case i when ? then -9223372036854775807 - 1 else i end) v from c`;
  const overflow = sqlError('integer overflow');

  test.each([1, 2, 5, 16, 17, 100, 1000])('comes after the rows before it: at row %d', (at) => {
    const seen: unknown[] = [];
    const read = () => {
      for (const { v } of db.prepare(sql).iterate(at)) seen.push(v);
    };
    expect(thrown(read)).toEqual(overflow);
    expect(seen).toEqual(Array.from({ length: at - 1 }, (_, i) => i + 1));
  });

  test('is the error of all, and of get only if it is in the first row', () => {
    expect(thrown(() => db.prepare(sql).all(500))).toEqual(overflow);
    expect(thrown(() => db.prepare(sql).get(1))).toEqual(overflow);
    expect(db.prepare(sql).get(2)).toEqual({ v: 1 });
    expect(thrown(() => db.prepare(sql).run(1))).toEqual(overflow);
  });

  test('leaves the statement usable', () => {
    const statement = db.prepare(sql);
    for (const at of [1, 5, 1000]) {
      expect(thrown(() => statement.all(at))).toEqual(overflow);
      expect(statement.all(0)).toHaveLength(1000);
    }
  });
});

describe('several at once', () => {
  test('of several statements hand out each its own rows', () => {
    const texts = db.prepare(
      "with recursive c(i) as (select 1 union all select i + 1 from c limit 500) select 't' || i i from c",
    );
    const blobs = db.prepare(
      'with recursive c(i) as (select 1 union all select i + 1 from c limit 500) select cast(i as blob) i from c',
    );
    const [a, b, c] = [count.iterate(500), texts.iterate(), blobs.iterate()];
    for (let i = 1; i <= 500; i++) {
      expect(a.next().value).toEqual({ i });
      expect(b.next().value).toEqual({ i: `t${i}` });
      expect(String.fromCharCode(...(c.next().value as unknown as { i: Uint8Array }).i)).toBe(String(i));
    }
    expect([a.next(), b.next(), c.next()]).toEqual([end, end, end]);
  });

  test('may be nested as deep as one likes', () => {
    const statements = Array.from({ length: 4 }, () => db.prepare(count.sourceSQL));
    let leaves = 0;
    const visit = (depth: number) => {
      const statement = statements[depth];
      if (!statement) return void leaves++;
      let expected = 0;
      for (const { i } of statement.iterate(7)) {
        expect(i).toBe(++expected);
        visit(depth + 1);
      }
      expect(expected).toBe(7);
    };
    visit(0);
    expect(leaves).toBe(7 ** 4);
  });
});
