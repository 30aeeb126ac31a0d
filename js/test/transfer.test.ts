import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';
import { engine } from '../src/init.js';

beforeAll(() => init());

const KEPT = 64 * 1024;

const open = () => new DatabaseSync(':memory:');

/** Lengths around a border, in steps of one. */
const around = (border: number) => Array.from({ length: 9 }, (_, i) => border - 4 + i);

describe('SQL', () => {
  test.each([
    ['ASCII', 'x'],
    ['two bytes a character', 'é'],
    ['three bytes', '表'],
    ['four bytes, two units', '😀'],
  ])('of every length around 64 KiB goes through whole: %s', (_, unit) => {
    const db = open();
    const bytes = new TextEncoder().encode(unit).length;
    for (const border of [16_384, KEPT]) {
      for (const size of around(border)) {
        for (const count of new Set([Math.floor(size / bytes), Math.floor(size / unit.length)])) {
          const text = unit.repeat(count);
          const row = db.prepare(`select '${text}' t, length('${text}') n`).get();
          if (row?.t !== text || row.n !== Array.from(text).length) throw new Error(`${count} times ${unit}`);
        }
      }
    }
  });

  test('of tens of megabytes runs, in exec and prepare, ASCII or not', () => {
    const db = open();
    db.exec('create table t(a)');
    const row = `('${'é'.repeat(20)}'),`;
    db.exec(`insert into t values${row.repeat(400_000).slice(0, -1)}`);
    expect(db.prepare('select count(*) n, sum(length(a)) s from t').get()).toEqual({
      n: 400_000,
      s: 8_000_000,
    });
    const comment = `/* ${'x'.repeat(30_000_000)} */ select 5 n`;
    expect(db.prepare(comment).get()).toEqual({ n: 5 });
  });

  test('ends at a NUL, wherever it is', () => {
    const db = open();
    for (const size of [1, ...around(KEPT)]) {
      const head = `select ${size} n --`.padEnd(size, 'x');
      expect(db.prepare(`${head}\0 this is no SQL ${'é'.repeat(50)}`).get()).toEqual({ n: size });
    }
  });

  test('that is beyond the limit is refused, and the next one runs', () => {
    const db = open();
    db.limits.sqlLength = 100_000;
    expect(() => db.exec(`select '${'x'.repeat(100_000)}'`)).toThrowError(
      expect.objectContaining({ errcode: 18, message: 'string or blob too big' }),
    );
    expect(db.prepare('select 1 n').get()).toEqual({ n: 1 });
  });
});

describe('parameters', () => {
  test('of every length around 64 KiB arrive whole, with others around them', () => {
    const db = open();
    const get = db.prepare('select ?1 a, ?2 b, ?3 c, ?4 d');
    for (const border of [16_384, KEPT - 36, KEPT]) {
      for (const size of around(border)) {
        for (const text of ['x'.repeat(size), 'é'.repeat(size / 2), '表'.repeat(size / 3)]) {
          const bytes = new Uint8Array(size).fill(size);
          const row = get.get('before', text, bytes, 1.5) as Record<string, unknown>;
          if (row.a !== 'before' || row.b !== text || row.d !== 1.5) throw new Error(`of size ${size}`);
          if (Buffer.compare(row.c as Uint8Array, bytes) !== 0) throw new Error(`bytes of size ${size}`);
        }
      }
    }
  });

  test('that are many and large arrive whole', () => {
    const db = open();
    const count = 500;
    const get = db.prepare(`select ${Array.from({ length: count }, (_, i) => `?${i + 1} c${i}`).join()}`, {
      returnArrays: true,
    });
    const values = Array.from({ length: count }, (_, i) =>
      i % 2 ? `${i} ${'é'.repeat(i * 10)}` : new Uint8Array(i * 20).fill(i),
    );
    const row = get.get(...values) as unknown as (string | Uint8Array)[];
    expect(row).toHaveLength(count);
    expect(
      values.findIndex((value, i) => Buffer.compare(Buffer.from(value), Buffer.from(row[i] ?? '')) !== 0),
    ).toBe(-1);
  });

  test('of tens of megabytes arrive whole, and again', () => {
    const db = open();
    const get = db.prepare('select length(?1) n, substr(?1, -3) e, length(?2) m');
    for (let round = 0; round < 3; round++) {
      expect(get.get(`${'x'.repeat(30_000_000)}end`, 'é'.repeat(10_000_000))).toEqual({
        n: 30_000_003,
        e: 'end',
        m: 10_000_000,
      });
    }
  });

  test.each(['run', 'get', 'all'] as const)(
    'of %s are what expandedSQL says, whatever came in between',
    (method) => {
      const db = open();
      const statement = db.prepare('select ?, ?, $a');
      statement[method]({ a: 'é' }, 'the text', new Uint8Array([1, 2, 3]));
      db.prepare('select ?').get('x'.repeat(100_000));
      db.prepare('select ?, ?').get('another', new Uint8Array(50).fill(9));
      for (let i = 0; i < 2; i++) expect(statement.expandedSQL).toBe("select 'the text', x'010203', 'é'");
      expect(statement.get({ a: 1 }, 2, 3)).toEqual({ '?': 3, $a: 1 });
      expect(statement.expandedSQL).toBe('select 2.0, 3.0, 1.0');
    },
  );

  test('one beyond the limit is refused, and the next one arrives', () => {
    const db = open();
    db.limits.length = 1000;
    const get = db.prepare('select length(?) n');
    for (const value of ['x'.repeat(1001), 'é'.repeat(501), new Uint8Array(1001)]) {
      expect(() => get.get(value)).toThrowError(
        expect.objectContaining({ errcode: 18, message: 'string or blob too big' }),
      );
      expect(get.get('x'.repeat(1000))).toEqual({ n: 1000 });
    }
  });
});

describe('what a large call takes', () => {
  test('is given back after it: the next ones take no more', () => {
    const db = open();
    const get = db.prepare('select length(?) n');
    const blob = new Uint8Array(4_000_000);
    const calls = [
      () => db.exec(`/* ${'x'.repeat(4_000_000)} */`),
      () => db.prepare(`select 1 /* ${'é'.repeat(2_000_000)} */`).close(),
      () => get.get(blob),
      () => get.get('x'.repeat(4_000_000)),
      () => db.prepare('select zeroblob(4000000) z').get(),
      () => db.prepare("select 'é' || hex(zeroblob(2000000)) z").get(),
    ];
    const round = () => {
      for (const call of calls) call();
      // The parameter stays bound until the statement is used again.
      get.get(1);
    };
    for (let i = 0; i < 3; i++) round();
    const before = engine().memory.u8.length;
    for (let i = 0; i < 5; i++) round();
    expect(engine().memory.u8.length).toBe(before);
  });

  test('leaves small calls what they had: no memory is asked for in between', () => {
    const db = open();
    const get = db.prepare('select ?1 a');
    get.get('x');
    const inbox = engine().main.inbox(100);
    for (const size of [1, 1000, KEPT - 9]) {
      get.get('x'.repeat(Math.floor(size / 3)));
      expect(engine().main.inbox(100)).toBe(inbox);
    }
  });
});
