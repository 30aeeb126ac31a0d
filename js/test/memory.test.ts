import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';
import { engine } from '../src/init.js';
import { Memory } from '../src/memory.js';

const PAGE = 65_536;

describe('views of a memory', () => {
  test('are real typed arrays over it', () => {
    const wasm = new WebAssembly.Memory({ initial: 1 });
    const memory = new Memory(wasm);
    const view = memory.view(16, 4);
    expect(view.constructor).toBe(Uint8Array);
    expect([view.length, view.byteOffset, view.buffer === wasm.buffer]).toEqual([4, 16, true]);
    view.set([1, 2, 3, 4]);
    expect(memory.u32[4]).toBe(0x04030201);
    expect(new Uint8Array(4).fill(9).set(view)).toBe(undefined);
    expect(new TextDecoder().decode(memory.view(16, 2))).toBe('\x01\x02');
  });

  test('share one memory, whatever their elements', () => {
    const memory = new Memory(new WebAssembly.Memory({ initial: 1 }));
    memory.f64[2] = -1.5;
    expect(memory.i64[2]).toBe(-4613937818241073152n);
    memory.i32[0] = -1;
    expect([memory.u32[0], memory.u8[0]]).toEqual([0xffffffff, 0xff]);
  });

  test('are derived anew after growth, once, whoever asks first', () => {
    for (const kind of ['u8', 'u32', 'i32', 'f64', 'i64'] as const) {
      const wasm = new WebAssembly.Memory({ initial: 1 });
      const memory = new Memory(wasm);
      const before = memory[kind];
      before[0] = kind === 'i64' ? (7n as never) : 7;
      wasm.grow(1);
      expect(before.length).toBe(0);
      expect(memory[kind].byteLength).toBe(2 * PAGE);
      expect(Number(memory[kind][0])).toBe(7);
      for (const other of ['u8', 'u32', 'i32', 'f64', 'i64'] as const) {
        expect(memory[other].byteLength).toBe(2 * PAGE);
      }
      expect(memory.derivations).toBe(2);
    }
  });

  test('of part of it reach what has grown', () => {
    const wasm = new WebAssembly.Memory({ initial: 1 });
    const memory = new Memory(wasm);
    expect(memory.view(PAGE, 1).length).toBe(0);
    wasm.grow(1);
    memory.view(PAGE, 2).set([5, 6]);
    expect(memory.u8[PAGE + 1]).toBe(6);
  });

  test('copied are the caller’s own', () => {
    const memory = new Memory(new WebAssembly.Memory({ initial: 1 }));
    memory.u8.set([1, 2, 3], 8);
    const copy = memory.copy(8, 3);
    memory.u8.fill(0);
    expect(copy).toEqual(new Uint8Array([1, 2, 3]));
    expect(copy.buffer.byteLength).toBe(3);
  });

  test('lie beyond 2 GiB where the pointer says so', () => {
    const memory = new Memory(new WebAssembly.Memory({ initial: 32_769, maximum: 32_769 }));
    const pointer = 2 ** 31 + 8;
    memory.view(pointer, 3).set([1, 2, 3]);
    expect(memory.copy(pointer, 3)).toEqual(new Uint8Array([1, 2, 3]));
    memory.u32[pointer >>> 2] = 0xfffffff0;
    expect(memory.i32[pointer >>> 2]).toBe(-16);
    memory.f64[pointer >>> 3] = 0.5;
    expect(memory.view(pointer + 6, 2)).toEqual(new Uint8Array([0xe0, 0x3f]));
  });
});

describe('while SQLite works', () => {
  beforeAll(() => init());

  const derivations = () => engine().memory.derivations;
  const size = () => engine().memory.u8.length;

  /** Calls until memory grows, so that growth is at that call and not before the test. */
  function untilGrowth(call: (i: number) => void, most = 2000): void {
    const before = size();
    for (let i = 0; i < most; i++) {
      call(i);
      if (size() !== before) return;
    }
    throw new Error('memory did not grow');
  }

  test('parameters that make memory grow arrive whole', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(n, a, b, c)');
    const insert = db.prepare('insert into t values(?, ?, ?, ?)');
    let rows = 0;
    untilGrowth((i) => {
      insert.run(i, new Uint8Array(100_000).fill(i), 'é'.repeat(50_000), i * 1.5);
      rows++;
    });
    const found = db.prepare('select n, a, b, c from t order by n').all() as {
      n: number;
      a: Uint8Array;
      b: string;
      c: number;
    }[];
    expect(found).toHaveLength(rows);
    for (const { n, a, b, c } of found) {
      if (!a.every((byte) => byte === (n & 255))) throw new Error(`blob of row ${n}`);
      if (b !== 'é'.repeat(50_000) || c !== n * 1.5) throw new Error(`row ${n}`);
    }
  });

  test('rows that make memory grow arrive whole', () => {
    const db = new DatabaseSync(':memory:');
    const get = db.prepare("select ?1 n, zeroblob(?2) z, 'é' || hex(zeroblob(?2)) t, 'end' e");
    let length = 100_000;
    untilGrowth((i) => {
      length = Math.floor(length * 1.3);
      const row = get.get(i, BigInt(length)) as { n: number; z: Uint8Array; t: string; e: string };
      expect([row.n, row.z.length, row.t.length, row.e]).toEqual([i, length, 2 * length + 1, 'end']);
    });
  });

  test('rows of one statement are read on after another has made memory grow', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a)');
    const sql = `with recursive c(i) as (select 1 union all select i + 1 from c limit 5000)
      select i, 'text ' || i t, cast(i as blob) b from c`;
    const grow = db.prepare('insert into t values(zeroblob(1000000))');
    let expected = 0;
    const before = size();
    for (const { i, t, b } of db.prepare(sql).iterate()) {
      expected++;
      const blob = Buffer.from(b as Uint8Array).toString();
      if (i !== expected || t !== `text ${i}` || blob !== String(i))
        throw new Error(`row ${expected}: ${i} ${t}`);
      if (i % 50 === 0) grow.run();
    }
    expect(expected).toBe(5000);
    expect(size()).toBeGreaterThan(before);
  });

  test('a blob that came out before growth stays what it was', () => {
    const db = new DatabaseSync(':memory:');
    const { b } = db.prepare("select x'010203' b").get() as { b: Uint8Array };
    db.exec('create table t(a)');
    untilGrowth(() => db.exec('insert into t values(zeroblob(1000000))'));
    expect(b).toEqual(new Uint8Array([1, 2, 3]));
  });

  test('over 100,000 calls in steady state no view is derived', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a integer primary key, b)');
    const insert = db.prepare('insert or replace into t values(?, ?)');
    const get = db.prepare('select b from t where a = ?');
    const round = (i: number) => {
      insert.run(i % 1000, `text ${i % 100}`);
      get.get(i % 1000);
    };
    for (let i = 0; i < 5000; i++) round(i);
    const [views, bytes] = [derivations(), size()];
    for (let i = 0; i < 50_000; i++) round(i);
    expect([derivations(), size()]).toEqual([views, bytes]);
  });
});
