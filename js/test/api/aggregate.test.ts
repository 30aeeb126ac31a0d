import { describe, expect, test } from 'vitest';
import { argType, notOpen, sqlError, state, thrown, tooLarge } from './errors.js';
import { DatabaseSync, wrong } from './subject.js';

const open = () => new DatabaseSync(':memory:');

type Options = Parameters<InstanceType<typeof DatabaseSync>['aggregate']>[1];

const NUMBERS = "(select value v from json_each('[1, 2, 3, 4]'))";

function rows(options: object, sql = `select f(v) r, typeof(f(v)) t from ${NUMBERS}`) {
  const db = open();
  db.aggregate('f', options as Options);
  return db.prepare(sql).all();
}

const step = (sum: number, value: number) => sum + value;
const inverse = (sum: number, value: number) => sum - value;
const list = { start: () => [], step: (all: unknown[], value: unknown) => [...all, value] };
const AROUND = `select v, f(v) over (order by v rows between 1 preceding and 1 following) r from ${NUMBERS}`;
const values = (rows: Record<string, unknown>[]) => rows.map(({ r }) => r);

describe('arguments of aggregate', () => {
  const options = argType('The "options" argument must be an object.');
  const start = argType('The "options.start" argument must be a function or a primitive value.');
  const boolean = (name: string) => argType(`The "options.${name}" argument must be a boolean.`);
  test.each([
    [[], argType('The "name" argument must be a string.')],
    [[1, { start: 0, step }], argType('The "name" argument must be a string.')],
    [['f'], options],
    [['f', null], options],
    [['f', 1], options],
    [['f', {}], start],
    [['f', () => 1], start],
    [['f', { step }], start],
    [['f', { start: undefined, step }], start],
    [['f', { start: 0 }], argType('The "options.step" argument must be a function.')],
    [['f', { start: 0, step: 1, varargs: 1 }], argType('The "options.step" argument must be a function.')],
    [['f', { start: 0, step, inverse: null }], argType('The "options.inverse" argument must be a function.')],
    [['f', { start: 0, step, varargs: 1 }], boolean('varargs')],
    [['f', { start: 0, step, directOnly: 1 }], boolean('directOnly')],
    [['f', { start: 0, step, varargs: 1, useBigIntArguments: 1 }], boolean('useBigIntArguments')],
  ])('%j', (args, error) => {
    const db = open();
    expect(thrown(() => db.aggregate(...(args as [string, Options])))).toEqual(error);
  });

  test('what is let pass', () => {
    const db = open();
    expect(db.aggregate('f', { start: null, step: () => 1, result: wrong(1) })).toBeUndefined();
    expect(db.prepare('select f() r').get()).toEqual({ r: 1 });
  });

  test('a database that is not open', () => {
    const db = open();
    db.close();
    expect(thrown(() => db.aggregate(wrong(undefined), wrong(undefined)))).toEqual(notOpen);
  });
});

describe('an aggregate', () => {
  test('adds up', () => {
    expect(rows({ start: 0, step })).toEqual([{ r: 10, t: 'real' }]);
    const big = { start: 0n, useBigIntArguments: true, step: (sum: bigint, value: bigint) => sum + value };
    expect(rows(big)).toEqual([{ r: 10, t: 'integer' }]);
  });

  test('starts anew for each group, and each use', () => {
    const joined = { ...list, result: (all: unknown[]) => all.join() };
    expect(rows(joined, `select v % 2 g, f(v) r from ${NUMBERS} group by 1`)).toEqual([
      { g: 0, r: '2,4' },
      { g: 1, r: '1,3' },
    ]);
    expect(rows(joined, `select f(v) r, f(v + 1) s from ${NUMBERS}`)).toEqual([
      { r: '1,2,3,4', s: '2,3,4,5' },
    ]);
  });

  test('starts with anything', () => {
    const same = { step: (state: unknown) => state, result: (state: unknown) => JSON.stringify(state) };
    for (const start of [null, 5, 'x', [1], { a: 1 }, true]) {
      expect(values(rows({ start, ...same }, 'select f() r'))).toEqual([JSON.stringify(start)]);
    }
  });

  test('has a result without any row', () => {
    const none = `select f(v) r from ${NUMBERS} where v > 9`;
    expect(rows({ start: 7, step }, none)).toEqual([{ r: 7 }]);
    expect(rows({ start: () => 7, step, result: (sum: number) => `<${sum}>` }, none)).toEqual([{ r: '<7>' }]);
  });

  test('comes to what the last step answered, and to nothing if that is nothing', () => {
    expect(values(rows({ start: 0, step: (_: unknown, _value: unknown) => undefined }))).toEqual([null]);
  });

  test('takes as many values as the longer of step and inverse, less one', () => {
    const wrongCount = sqlError('wrong number of arguments to function f()');
    const count = (n: number) => n + 1;
    expect(rows({ start: 0, step: count }, `select f() r from ${NUMBERS}`)).toEqual([{ r: 4 }]);
    expect(rows({ start: 0, step: () => 5 }, `select f() r from ${NUMBERS}`)).toEqual([{ r: 5 }]);
    expect(thrown(() => rows({ start: 0, step: count }))).toEqual(wrongCount);
    const longer = { start: 0, step: count, inverse: (n: number, _a: unknown, _b: unknown) => n };
    expect(rows(longer, `select f(1, 2) r from ${NUMBERS}`)).toEqual([{ r: 4 }]);
    const any = { start: 0, varargs: true, step: (n: number, ...all: unknown[]) => n + all.length };
    expect(rows(any, `select f(1, 2) r, f() s from ${NUMBERS}`)).toEqual([{ r: 8, s: 0 }]);
  });

  test('calls its functions on what Node does', () => {
    const self = function (this: unknown) {
      return String(this);
    };
    const more = function (this: unknown, state: string, _value: unknown) {
      return `${state} ${String(this)}`;
    };
    const options = { start: self, step: more, result: more };
    expect(rows(options, `select f(v) r from ${NUMBERS} where v = 1`)).toEqual([
      { r: 'null undefined null' },
    ]);
  });

  test('may use the database, and not close it', () => {
    const db = open();
    db.aggregate('f', {
      start: 0,
      step: (sum: number, _v) => sum + (db.prepare('select 2 x').get()?.x as number),
    });
    expect(db.prepare(`select f(v) r from ${NUMBERS}`).all()).toEqual([{ r: 8 }]);
    db.aggregate('g', { start: 0, step: (_sum: number, _v) => db.close() as unknown as number });
    expect(thrown(() => db.prepare(`select g(v) r from ${NUMBERS}`).all())).toEqual(
      state('database cannot be closed while in a callback'),
    );
  });

  test('with directOnly is not for views', () => {
    const db = open();
    db.aggregate('f', { start: 0, step: (sum: number, _v) => sum, directOnly: true });
    db.exec('create view w as select f(1) r');
    expect(thrown(() => db.prepare('select * from w').all())).toEqual(sqlError('unsafe use of f()'));
  });

  test('has its end when an iterator is left', () => {
    const db = open();
    const calls: string[] = [];
    db.aggregate('f', {
      start: 0,
      step: (sum: number, value: number) => {
        calls.push(`step ${value}`);
        return sum + value;
      },
      result: (sum: number) => {
        calls.push('result');
        return sum;
      },
    });
    const groups = db.prepare(`select v % 2 g, f(v) r from ${NUMBERS} group by 1`).iterate();
    groups.next();
    expect(calls).toEqual(['step 2', 'step 4', 'result']);
    groups.return?.();
    expect(db.prepare(`select f(v) r from ${NUMBERS}`).all()).toEqual([{ r: 10 }]);
  });
});

describe('a window', () => {
  test('takes values in and out', () => {
    expect(values(rows({ start: 0, step, inverse }, AROUND))).toEqual([3, 6, 9, 7]);
    const tenfold = { start: () => 0, step, inverse, result: (sum: number) => sum * 10 };
    expect(values(rows(tenfold, AROUND))).toEqual([30, 60, 90, 70]);
  });

  test('that is empty has the start', () => {
    const before = `select f(v) over (order by v rows between 2 preceding and 2 preceding) r from ${NUMBERS}`;
    expect(values(rows({ start: 5, step, inverse }, before))).toEqual([5, 5, 6, 7]);
  });

  test('needs an inverse', () => {
    const error = sqlError('f() may not be used as a window function');
    expect(thrown(() => rows({ start: 0, step }, AROUND))).toEqual(error);
    expect(thrown(() => rows({ start: 0, step }, `select f(v) over () r from ${NUMBERS}`))).toEqual(error);
  });
});

describe('what is thrown', () => {
  const error = new RangeError('mine');
  const fail = () => {
    throw error;
  };
  const none = `select f(v) r from ${NUMBERS} where v > 9`;
  const failing = (_: number, value: number) => (value === 3 ? fail() : value);

  test.each<[string, object, string?]>([
    ['at the start', { start: fail, step }],
    ['at the start without rows', { start: fail, step }, none],
    ['in a step', { start: 0, step: failing }],
    ['in the last step', { start: 0, step: (_: number, value: number) => (value === 4 ? fail() : value) }],
    ['in the result', { start: 0, step, result: fail }],
    ['in the result without rows', { start: 0, step, result: fail }, none],
    ['in the inverse', { start: 0, step, inverse: (_: number, _value: number) => fail() }, AROUND],
    ['in the result of a window', { start: 0, step, inverse, result: fail }, AROUND],
    ['in a step of a group', { start: 0, step: failing }, `select f(v) r from ${NUMBERS} group by v % 2`],
  ])('%s is what the caller gets', (_, options, sql) => {
    let caught: unknown;
    const db = open();
    db.aggregate('f', options as Options);
    const statement = db.prepare(sql ?? `select f(v) r from ${NUMBERS}`);
    try {
      statement.all();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBe(error);
    expect(db.prepare('select 1 a').all()).toEqual([{ a: 1 }]);
  });

  test('an integer that is too large', () => {
    const sql = 'select f(9007199254740993) r';
    expect(thrown(() => rows({ start: 0, step }, sql))).toEqual(tooLarge(9007199254740993n));
  });

  test('what is no value', () => {
    const noValue = sqlError('Returned JavaScript value cannot be converted to a SQLite value');
    const promise = sqlError('Asynchronous user-defined functions are not supported');
    expect(thrown(() => rows(list))).toEqual(noValue);
    expect(thrown(() => rows({ ...list, result: () => ({}) }))).toEqual(noValue);
    expect(thrown(() => rows({ ...list, result: async () => 1 }))).toEqual(promise);
    expect(thrown(() => rows({ start: 0, step: async (_: unknown, _v: unknown) => 1 }))).toEqual(promise);
  });
});
