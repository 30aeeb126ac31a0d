import { describe, expect, test } from 'vitest';
import { argType, notOpen, sqlError, state, thrown, tooLarge } from './errors.js';
import { DatabaseSync, type Statement, subject, wrong } from './subject.js';

type Func = (...values: unknown[]) => unknown;
type Options = Parameters<InstanceType<typeof DatabaseSync>['function']>[1];

const open = () => new DatabaseSync(':memory:');

/** The row of a statement that calls `f`. */
function row(func: Func, sql = 'select f() r', options: object = {}) {
  const db = open();
  db.function('f', options as Options as never, func);
  return db.prepare(sql).get();
}

const withLength = (length: unknown): Func => Object.defineProperty(() => 1, 'length', { value: length });

const executing = state('statement is already being executed');

describe('arguments of function', () => {
  const name = argType('The "name" argument must be a string.');
  const func = argType('The "function" argument must be a function.');
  const option = (name: string) => argType(`The "options.${name}" argument must be a boolean.`);

  test.each([
    [[], name],
    [[1, () => 1], name],
    [['f'], func],
    [['f', 1], func],
    [['f', null], func],
    [['f', {}], func],
    [['f', {}, 1], func],
    [['f', undefined, () => 1], argType('The "options" argument must be an object.')],
    [['f', 'x', () => 1], argType('The "options" argument must be an object.')],
    [['f', { deterministic: 1 }, () => 1], option('deterministic')],
    [['f', { directOnly: null }, () => 1], option('directOnly')],
    [['f', { useBigIntArguments: 'yes' }, () => 1], option('useBigIntArguments')],
    [['f', { varargs: 0 }, () => 1], option('varargs')],
    [['f', { deterministic: 1, varargs: 1, useBigIntArguments: 1 }, () => 1], option('useBigIntArguments')],
    [['f', { deterministic: 1 }, 1], option('deterministic')],
    [['f', withLength('2')], argType('The "function.length" property must be an integer.')],
    [['f', withLength(1.5)], argType('The "function.length" property must be an integer.')],
  ])('%j', (args, error) => {
    const db = open();
    expect(thrown(() => db.function(...(args as [string, Func])))).toEqual(error);
  });

  test('anything is an options object that is one', () => {
    const db = open();
    expect(db.function('f', wrong([]), () => 1)).toBeUndefined();
    expect(
      db.function(
        'f',
        wrong(() => 2),
        () => 1,
      ),
    ).toBeUndefined();
    expect(db.prepare('select f() r').get()).toEqual({ r: 1 });
  });

  test('a class is a function, which cannot be called', () => {
    expect(() => row(class {} as unknown as Func)).toThrow(/cannot be invoked without 'new'/);
  });

  test('a database that is not open', () => {
    const db = open();
    db.close();
    expect(thrown(() => db.function(wrong(undefined), wrong(undefined)))).toEqual(notOpen);
    expect(thrown(() => new DatabaseSync(':memory:', { open: false }).function('f', () => 1))).toEqual(
      notOpen,
    );
  });

  test('what SQLite takes for no function', () => {
    const db = open();
    const refused = [() => db.function('f'.repeat(256), () => 1), () => db.function('f', withLength(1001))];
    for (const call of refused) expect(thrown(call).code).toBe('ERR_SQLITE_ERROR');
    expect(db.function('f'.repeat(255), () => 1)).toBeUndefined();
    expect(thrown(() => db.prepare('select f()')).message).toBe('no such function: f');
  });
});

describe('what a function is called with', () => {
  const shown = (...values: unknown[]) =>
    values
      .map((value) => {
        if (value instanceof Uint8Array) return `bytes ${[...value]}`;
        return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
      })
      .join(' ');
  const values = "1, 2.5, 'é\u0000x', x'0102', null, x'', '', 9007199254740991, -9007199254740991";

  test('values as statements answer them', () => {
    expect(row(wrong(shown), `select f(${values.replace('\u0000', '')}) r`, { varargs: true })).toEqual({
      r: '1 2.5 "éx" bytes 1,2 null bytes  "" 9007199254740991 -9007199254740991',
    });
  });

  test('integers as BigInts, where they are asked for', () => {
    const options = { varargs: true, useBigIntArguments: true };
    const sql = "select f(1, 2.5, 'x', null, 9223372036854775807) r";
    expect(row(wrong(shown), sql, options)).toEqual({ r: '1n 2.5 "x" null 9223372036854775807n' });
  });

  test.each([9007199254740992n, -9007199254740992n, 9223372036854775807n])(
    'an integer that is no safe number: %s',
    (value) => {
      let calls = 0;
      expect(thrown(() => row(() => calls++, `select f(${value}) r`, { varargs: true }))).toEqual(
        tooLarge(value),
      );
      expect(calls).toBe(0);
    },
  );

  test('texts of any kind and length', () => {
    const db = open();
    db.function('same', (value) => value);
    const same = db.prepare('select same(?) r, same(?) = ? e');
    for (const text of [
      '',
      'a',
      'é',
      '\0',
      'a\0b',
      '"\\\n',
      '😀'.repeat(30),
      'x'.repeat(64),
      'é'.repeat(64),
    ]) {
      for (const repeated of [text, text.repeat(3), text.repeat(500)]) {
        expect(same.get(repeated, repeated, repeated)).toEqual({ r: repeated, e: 1 });
      }
    }
    const long = 'é'.repeat(100_000);
    expect(same.get(long, long, long)).toEqual({ r: long, e: 1 });
  });

  test('blobs of any length, which are its own', () => {
    const db = open();
    const kept: Uint8Array[] = [];
    db.function('same', (value) => {
      kept.push(value as Uint8Array);
      return value;
    });
    const same = db.prepare('select same(?) r, typeof(same(?)) t');
    for (const length of [0, 1, 191, 192, 193, 10_000, 300_000]) {
      const bytes = new Uint8Array(length).map((_, i) => i);
      expect(same.get(bytes, bytes)).toEqual({ r: bytes, t: 'blob' });
      expect(kept.at(-2)).toEqual(bytes);
    }
    expect(kept[2]).toEqual(new Uint8Array([0]));
  });

  test('many arguments', () => {
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    const sum = (...values: number[]) => values.reduce((a, b) => a + b, 0);
    expect(row(wrong(sum), `select f(${numbers}) r`, { varargs: true })).toEqual({ r: 4950 });
  });

  test('as many as its length says', () => {
    const wrongCount = sqlError('wrong number of arguments to function f()');
    expect(row((_a, _b = 1) => 'one', 'select f(1) r')).toEqual({ r: 'one' });
    expect(thrown(() => row((_a) => 1, 'select f() r'))).toEqual(wrongCount);
    expect(thrown(() => row((...values) => values.length, 'select f(1, 2) r'))).toEqual(wrongCount);
  });

  test('nothing as this', () => {
    const self = function (this: unknown) {
      return String(this);
    };
    expect(row(self)).toEqual({ r: 'undefined' });
  });
});

describe('what a function answers', () => {
  test.each([
    ['undefined', undefined, null, 'null'],
    ['null', null, null, 'null'],
    ['a number, which is real', 1, 1, 'real'],
    ['a fraction', 1.5, 1.5, 'real'],
    ['2^53', 2 ** 53, 2 ** 53, 'real'],
    ['NaN', Number.NaN, null, 'null'],
    ['Infinity', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 'real'],
    ['a BigInt, which is an integer', 5n, 5, 'integer'],
    ['a text', 'hé\0x', 'hé\0x', 'text'],
    ['an empty text', '', '', 'text'],
    ['a lone surrogate', 'a\ud800', 'a\ufffd', 'text'],
    ['bytes', new Uint8Array([1, 2]), new Uint8Array([1, 2]), 'blob'],
    ['no bytes', new Uint8Array(0), new Uint8Array(0), 'blob'],
    ['a buffer', new ArrayBuffer(3), new Uint8Array(3), 'blob'],
    ['a view', new DataView(new ArrayBuffer(4), 1, 2), new Uint8Array(2), 'blob'],
    ['another view', new Float64Array(1), new Uint8Array(8), 'blob'],
  ])('%s', (_, value, answer, type) => {
    expect(row(() => value, 'select f() r, typeof(f()) t')).toEqual({ r: answer, t: type });
  });

  const noValue = sqlError('Returned JavaScript value cannot be converted to a SQLite value');
  test.each([
    ['an object', {}],
    ['an array', [1]],
    ['a boolean', true],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a date', new Date(0)],
    ['a String', Object('x')],
  ])('%s is no value', (_, value) => {
    expect(thrown(() => row(() => value))).toEqual(noValue);
  });

  test('a promise is none either', () => {
    const async = sqlError('Asynchronous user-defined functions are not supported');
    expect(thrown(() => row(async () => 1))).toEqual(async);
  });

  test.each([2n ** 63n, -(2n ** 63n) - 1n])('%s is too large', (value) => {
    expect(thrown(() => row(() => value))).toEqual(sqlError('BigInt value is too large for SQLite'));
  });
});

describe('what a function throws', () => {
  const error = Object.assign(new RangeError('three'), { code: 'MINE' });
  const three = (value: unknown) => {
    if (value === 3) throw error;
    return value;
  };
  const all = "select f(value) v from json_each('[1, 2, 3, 4]')";

  function opened() {
    const db = open();
    db.exec('create table t(a)');
    db.function('f', three);
    return db;
  }

  /** The very thing that is thrown. */
  function caught(call: () => unknown) {
    try {
      call();
    } catch (error) {
      return error;
    }
    throw new Error('nothing was thrown');
  }

  test('is what the caller gets', () => {
    const db = opened();
    const one = db.prepare('select f(?) v');
    expect(caught(() => one.get(3))).toBe(error);
    expect(caught(() => one.all(3))).toBe(error);
    expect(caught(() => one.run(3))).toBe(error);
    expect(caught(() => [...db.prepare('select f(?) v').iterate(3)])).toBe(error);
    expect(caught(() => db.exec('select f(3)'))).toBe(error);
    expect(caught(() => db.prepare(all).all())).toBe(error);
    // All is well afterwards.
    expect(one.get(1)).toEqual({ v: 1 });
    expect(db.prepare('select 1 a').get()).toEqual({ a: 1 });
  });

  test.each([5, 'text', undefined, null])('even if it is no error: %s', (value) => {
    const call = () =>
      row(() => {
        throw value;
      });
    expect(caught(call)).toBe(value);
  });

  test('after the rows before it', () => {
    const seen: unknown[] = [];
    const call = () => {
      for (const { v } of opened().prepare(all).iterate()) seen.push(v);
    };
    expect(caught(call)).toBe(error);
    expect(seen).toEqual([1, 2]);
  });

  test('undoes the statement, but not those before it', () => {
    const db = opened();
    const sql = "insert into t values (0); insert into t select f(value) from json_each('[1, 2, 3, 4]')";
    expect(caught(() => db.exec(sql))).toBe(error);
    expect(caught(() => db.exec('insert or ignore into t values (f(3))'))).toBe(error);
    expect(db.prepare('select a from t').all()).toEqual([{ a: 0 }]);
  });

  test('in a trigger', () => {
    const db = opened();
    db.exec('create trigger r after insert on t begin select f(new.a); end');
    expect(caught(() => db.exec('insert into t values (3)'))).toBe(error);
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 0 });
  });

  test('goes through functions within functions', () => {
    const db = opened();
    db.function('outer', () => db.prepare('select f(3)').get() && 1);
    db.function('catching', () => {
      try {
        db.prepare('select f(3)').get();
        return undefined;
      } catch (error) {
        return `caught ${(error as Error).message}`;
      }
    });
    expect(caught(() => db.prepare('select outer()').get())).toBe(error);
    expect(db.prepare('select catching() r').get()).toEqual({ r: 'caught three' });
  });

  test('can be an error of SQL', () => {
    const db = open();
    db.function('f', () => db.exec('bad sql'));
    expect(thrown(() => db.prepare('select f()').get())).toEqual(sqlError('near "bad": syntax error'));
  });
});

describe('options', () => {
  test('deterministic: an index may have it, and it is called once for what does not change', () => {
    const db = open();
    let calls = 0;
    const count = (value: unknown) => {
      calls++;
      return value;
    };
    db.exec('create table t(a)');
    db.function('d', { deterministic: true }, count);
    db.function('n', count);
    db.exec('create index i on t(d(a))');
    expect(thrown(() => db.exec('create index j on t(n(a))'))).toEqual(
      sqlError('non-deterministic functions prohibited in index expressions'),
    );
    db.prepare('select d(1) from (values (1), (2), (3))').all();
    expect(calls).toBe(1);
    db.prepare('select n(1) from (values (1), (2), (3))').all();
    expect(calls).toBe(4);
  });

  test('directOnly: no view may have it', () => {
    const db = open();
    db.function('f', { directOnly: true }, () => 1);
    db.exec('create view v as select f() r');
    expect(db.prepare('select f() r').get()).toEqual({ r: 1 });
    expect(thrown(() => db.prepare('select * from v').get())).toEqual(sqlError('unsafe use of f()'));
  });
});

describe('definitions', () => {
  test('one for each number of arguments', () => {
    const db = open();
    db.function('f', (_a) => 'one');
    db.function('f', (_a, _b) => 'two');
    db.function('f', { varargs: true }, () => 'any');
    expect(db.prepare('select f(1) a, f(1, 2) b, f(1, 2, 3) c').get()).toEqual({
      a: 'one',
      b: 'two',
      c: 'any',
    });
  });

  test('a later one takes the place of an earlier one, in prepared statements too', () => {
    const db = open();
    db.function('f', () => 'old');
    const statement = db.prepare('select f() r');
    expect(statement.get()).toEqual({ r: 'old' });
    db.function('f', () => 'new');
    expect(statement.get()).toEqual({ r: 'new' });
  });

  test("it can take the place of SQLite's own", () => {
    expect(row((_a) => 'mine', 'select abs(-1) r')).toEqual({ r: 1 });
    const db = open();
    db.function('abs', (_a) => 'mine');
    expect(db.prepare('select abs(-1) r').get()).toEqual({ r: 'mine' });
  });

  test('it is gone when the database is closed', () => {
    const db = open();
    db.function('f', () => 1);
    db.close();
    db.open();
    expect(thrown(() => db.prepare('select f()')).message).toBe('no such function: f');
  });

  test('none is replaced while a statement runs', () => {
    const db = open();
    db.function('f', () => {
      db.function('g', () => 'new');
      return db.prepare('select g() r').get()?.r;
    });
    expect(db.prepare('select f() r').get()).toEqual({ r: 'new' });
    db.function('h', () => db.function('h', () => 2));
    expect(thrown(() => db.prepare('select h()').get())).toEqual(
      sqlError('unable to delete/modify user-function due to active statements', 5, 'database is locked'),
    );
  });
});

describe('in a function', () => {
  test('the database can be used', () => {
    const db = open();
    db.exec('create table t(a)');
    db.function('f', (value) => {
      db.exec('insert into t values (1)');
      return `${value} ${db.prepare('select count(*) n, ? p from t').get('x')?.n}`;
    });
    const rows = db.prepare("select f(value) r, ? p from json_each('[7, 8, 9]')").all('kept');
    expect(rows).toEqual(['7 1', '8 2', '9 3'].map((r) => ({ r, p: 'kept' })));
  });

  test('another one can be opened', () => {
    const db = open();
    db.function('f', (value) => {
      const other = open();
      other.function('f', (value) => `<${value}>`);
      return other.prepare('select f(?) r, ? x').get(`a ${value}`, 'x'.repeat(1000))?.r ?? null;
    });
    const rows = db.prepare('select value v, f(value) r from json_each(?)').all('["p", "q", "\\u00e9"]');
    expect(rows).toEqual(['p', 'q', 'é'].map((v) => ({ v, r: `<a ${v}>` })));
  });

  test('statements can be prepared, run and closed', () => {
    const db = open();
    db.exec('create table t(a)');
    db.function('f', (value) => {
      const statement = db.prepare('insert into t values (?)');
      statement.run(value as number);
      statement.close();
      return [...db.prepare('select a from t').iterate()].length;
    });
    const insert = db.prepare('insert into t values (f(?))');
    expect(insert.run(5)).toEqual({ changes: 1, lastInsertRowid: 2 });
    expect(db.prepare('select a from t').all()).toEqual([{ a: 5 }, { a: 1 }]);
  });

  test.each(['get', 'all', 'run', 'iterate'] as const)('its own statement cannot be used: %s', (method) => {
    const db = open();
    let statement: Statement;
    db.function('f', (value) => {
      if (value === 1) statement[method](0);
      return value;
    });
    statement = db.prepare('select f(?) r');
    expect(thrown(() => statement.get(1))).toEqual(executing);
    expect(thrown(() => statement.all(1))).toEqual(executing);
    expect(thrown(() => statement.run(1))).toEqual(executing);
    expect(statement.get(2)).toEqual({ r: 2 });
    expect(thrown(() => [...statement.iterate(1)])).toEqual(executing);
  });

  test.each(['next', 'return'] as const)('its own iterator cannot be used: %s', (method) => {
    const db = open();
    let rows: IterableIterator<unknown>;
    db.function('f', (value) => {
      if (value === 2) rows[method]?.();
      return value;
    });
    rows = db.prepare("select f(value) v from json_each('[1, 2, 3]')").iterate();
    expect(rows.next().value).toEqual({ v: 1 });
    expect(thrown(() => rows.next())).toEqual(executing);
  });

  test.each(['close', Symbol.dispose] as const)('its own statement cannot be closed: %s', (method) => {
    const db = open();
    let statement: Statement;
    db.function('f', () => statement[method]() as undefined);
    statement = db.prepare('select f() r');
    expect(thrown(() => statement.get())).toEqual(executing);
    statement.close();
  });

  test('what is known of its own statement can be asked', () => {
    const db = open();
    let statement: Statement;
    db.function('f', () => {
      statement.setReadBigInts(true);
      return `${statement.expandedSQL} ${statement.columns().length} ${statement.sourceSQL.length}`;
    });
    statement = db.prepare('select f() r, ? x');
    expect(statement.get(3)?.r).toBe('select f() r, 3.0 x 2 17');
    expect(statement.get('a')?.r).toBe("select f() r, 'a' x 2 17");
    expect(statement.all(3)[0]?.r).toBe('select f() r, 3.0 x 2 17');
  });

  test('the database cannot be closed', () => {
    const db = open();
    db.function('f', () => db.close() as undefined);
    const error = state('database cannot be closed while in a callback');
    expect(thrown(() => db.prepare('select f() r').get())).toEqual(error);
    expect(thrown(() => db.exec('select f()'))).toEqual(error);
    db.close();
  });

  test('to dispose of the database does nothing', () => {
    const db = open();
    db.function('f', () => {
      db[Symbol.dispose]();
      return 1;
    });
    expect(db.prepare('select f() r').get()).toEqual({ r: 1 });
    expect(db.isOpen).toBe(true);
  });

  test('the database cannot be replaced, but copied', () => {
    const db = open();
    db.exec('create table t(a)');
    const bytes = db.serialize();
    db.function('f', () => db.deserialize(bytes) as undefined);
    db.function('g', () => db.serialize().length);
    expect(thrown(() => db.prepare('select f()').get())).toEqual(
      state('database cannot be deserialized while in a callback'),
    );
    expect(db.prepare('select g() r').get()).toEqual({ r: bytes.length });
  });

  test('a table that is being read cannot be dropped', () => {
    const db = open();
    db.exec('create table t(a); insert into t values (1), (2)');
    db.function('f', () => db.exec('drop table t') as undefined);
    expect(thrown(() => db.prepare('select f() from t').all())).toEqual(
      sqlError('database table is locked', 6, 'database table is locked'),
    );
  });
});

describe('an iterator', () => {
  test('calls a function when its row is asked for', () => {
    const db = open();
    const calls: unknown[] = [];
    db.function('f', (value) => {
      calls.push(value);
      return value;
    });
    const rows = db.prepare("select f(value) v from json_each('[1, 2, 3]')").iterate();
    expect(calls).toEqual([]);
    rows.next();
    expect(calls).toEqual([1]);
    rows.next();
    expect(calls).toEqual([1, 2]);
    rows.return?.();
    expect(calls).toEqual([1, 2]);
  });
});

test('calls within calls within calls end with an error', () => {
  if (subject === 'node') return;
  const db = open();
  let depth = 0;
  db.function('f', () => {
    depth++;
    return db.prepare('select f() r').get()?.r ?? null;
  });
  expect(thrown(() => db.prepare('select f()').get())).toEqual(
    state('More than 100 calls of functions inside of each other.'),
  );
  expect(depth).toBe(100);
  expect(db.prepare('select 1 a').get()).toEqual({ a: 1 });
});
