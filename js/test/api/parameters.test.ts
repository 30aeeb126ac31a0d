import { describe, expect, test } from 'vitest';
import { argType, sqlError, state, thrown } from './errors.js';
import { DatabaseSync, wrong } from './subject.js';

const db = new DatabaseSync(':memory:');

/** The row of a statement, as an array, for these parameters. */
function row(sql: string, ...parameters: unknown[]): unknown {
  return db.prepare(sql, { returnArrays: true }).get(...(parameters as never[]));
}

const outOfRange = sqlError('column index out of range', 25, 'column index out of range');
const unknown = (name: string) => state(`Unknown named parameter '${name}'`);
const conflict = (short: string, first: string, second: string) =>
  state(
    `Cannot create bare named parameter '${short}' because of conflicting names '${first}' and '${second}'.`,
  );

describe('by position', () => {
  test('fill parameters in order', () => {
    expect(row('select ?, ?', 1, 2)).toEqual([1, 2]);
    expect(row('select ?2, ?1', 1, 2)).toEqual([2, 1]);
    expect(row('select ?1, ?1', 1)).toEqual([1, 1]);
    expect(row('select ?3, ?', 1, 2, 3, 4)).toEqual([3, 4]);
  });

  test('that are left out are NULL', () => {
    expect(row('select ?, ?')).toEqual([null, null]);
    expect(row('select ?, ?', 1)).toEqual([1, null]);
    expect(row('select ?5', 1)).toEqual([null]);
    expect(row('select ?, ?', undefined, 2)).toEqual([null, 2]);
  });

  test('that are too many are refused', () => {
    expect(thrown(() => row('select 1', 5))).toEqual(outOfRange);
    expect(thrown(() => row('select 1', undefined))).toEqual(outOfRange);
    expect(thrown(() => row('select ?', 1, 2))).toEqual(outOfRange);
    expect(thrown(() => row('select ?1, ?1', 1, 2))).toEqual(outOfRange);
    for (const method of ['run', 'get', 'all', 'iterate'] as const) {
      expect(thrown(() => db.prepare('select ?')[method](1, 2))).toEqual(outOfRange);
    }
  });

  test('pass over those with a name', () => {
    expect(row('select $a, ?', 1)).toEqual([null, 1]);
    expect(row('select ?, $a, ?', 1, 2)).toEqual([1, null, 2]);
    expect(row('select ?1, $a, ?3', 2, 3)).toEqual([2, null, 3]);
    expect(thrown(() => row('select $a, ?', 1, 2))).toEqual(outOfRange);
    expect(thrown(() => row('select $a', 5))).toEqual(outOfRange);
    expect(thrown(() => row('select $a', null))).toEqual(outOfRange);
  });

  test('as many as SQLite has', () => {
    const count = 32_766;
    const sum = `select count(*) n, sum(column1) s from (values ${Array(count).fill('(?)').join()})`;
    const values = Array.from({ length: count }, (_, i) => i);
    expect(db.prepare(sum).get(...values)).toEqual({ n: count, s: (count * (count - 1)) / 2 });
    expect(thrown(() => db.prepare('select ?32767'))).toEqual(
      sqlError('variable number must be between ?1 and ?32766'),
    );
  });
});

describe('by name', () => {
  test('with the prefix or bare', () => {
    expect(row('select $a, :b, @c', { a: 1, b: 2, c: 3 })).toEqual([1, 2, 3]);
    expect(row('select $a, :b, @c', { $a: 1, ':b': 2, '@c': 3 })).toEqual([1, 2, 3]);
    expect(row('select $a, $a', { a: 1 })).toEqual([1, 1]);
    expect(row('select $é', { é: 1 })).toEqual([1]);
    expect(row('select $a::b(c)', { 'a::b(c)': 1 })).toEqual([1]);
  });

  test('of both, the one that comes last counts', () => {
    expect(row('select $a', { $a: 1, a: 2 })).toEqual([2]);
    expect(row('select $a', { a: 2, $a: 1 })).toEqual([1]);
  });

  test('that are left out are NULL', () => {
    expect(row('select $a, $b', { a: 1 })).toEqual([1, null]);
    expect(row('select $a', {})).toEqual([null]);
    expect(row('select ?', {})).toEqual([null]);
    expect(row('select $a', { a: undefined })).toEqual([null]);
  });

  test('that are numbers', () => {
    expect(row('select ?1, ?3', { 1: 5, 3: 6 })).toEqual([5, 6]);
    expect(row('select ?1, ?2', { '?2': 5 })).toEqual([null, 5]);
    expect(row('select :1', { 1: 5 })).toEqual([5]);
    expect(row('select ?01', { '01': 5 })).toEqual([5]);
    expect(thrown(() => row('select ?01', { 1: 5 }))).toEqual(unknown('1'));
    expect(thrown(() => row('select ?', { 1: 5 }))).toEqual(unknown('1'));
  });

  test('together with those by position', () => {
    expect(row('select $a, ?', { a: 1 }, 2)).toEqual([1, 2]);
    expect(row('select ?, $a, ?', { a: 1 }, 2, 3)).toEqual([2, 1, 3]);
    expect(row('select $a, ?1, ?2, ?', { a: 9 }, 1, 2)).toEqual([9, 9, 1, 2]);
    expect(row('select $a, ?', { a: 1 })).toEqual([1, null]);
    expect(row('select ?1, ?2', { 1: 5 }, 6)).toEqual([6, null]);
    expect(thrown(() => row('select ?, $a, ?', { a: 1 }, 2, 3, 4))).toEqual(outOfRange);
    expect(thrown(() => row('select $a', { a: 1 }, 5))).toEqual(outOfRange);
  });

  test('that are unknown are refused', () => {
    expect(thrown(() => row('select $a', { b: 1 }))).toEqual(unknown('b'));
    expect(thrown(() => row('select $a', { a: 1, b: 2 }))).toEqual(unknown('b'));
    expect(thrown(() => row('select $a', { A: 1 }))).toEqual(unknown('A'));
    expect(thrown(() => row('select $a', { $b: 1 }))).toEqual(unknown('$b'));
    expect(thrown(() => row('select $a', { '': 1 }))).toEqual(unknown(''));
    expect(thrown(() => row('select 1', { a: 1 }))).toEqual(unknown('a'));
    expect(thrown(() => row('select ?', [1]))).toEqual(unknown('0'));
  });

  test('that are bare and stand for two are refused, however they are given', () => {
    expect(thrown(() => row('select $a, :a', { a: 1 }))).toEqual(conflict('a', '$a', ':a'));
    expect(thrown(() => row('select $a, :a', { $a: 1, ':a': 2 }))).toEqual(conflict('a', '$a', ':a'));
    expect(thrown(() => row('select :a, $b, @a', { b: 1 }))).toEqual(conflict('a', ':a', '@a'));
    expect(thrown(() => row('select ?1, $1', { 1: 5 }))).toEqual(conflict('1', '?1', '$1'));
    expect(row('select $a, :a')).toEqual([null, null]);
  });

  test('are the own enumerable ones of any object that is no bytes', () => {
    expect(row('select $a', Object.create({ a: 1 }))).toEqual([null]);
    expect(row('select $a', Object.defineProperty({}, 'a', { value: 3 }))).toEqual([null]);
    expect(row('select $a', { a: 1, [Symbol('x')]: 2 })).toEqual([1]);
    expect(row('select $a', Object.assign(Object.create(null), { a: 1 }))).toEqual([1]);
    expect(
      row(
        'select $a',
        Object.assign(() => 1, { a: 4 }),
      ),
    ).toEqual([4]);
    expect(row('select $a', new Proxy({ a: 1 }, {}))).toEqual([1]);
    expect(
      row(
        'select $a',
        new (class {
          a = 3;
        })(),
      ),
    ).toEqual([3]);
    expect(row('select ?', new Date(0))).toEqual([null]);
    expect(row('select ?', new Map([['a', 1]]))).toEqual([null]);
  });

  test('may be getters, whose errors come out', () => {
    const row = (named: object) => db.prepare('select $a a').get(wrong(named));
    expect(
      row({
        get a() {
          return 4;
        },
      }),
    ).toEqual({ a: 4 });
    const failing = {
      get a(): number {
        throw new RangeError('mine');
      },
    };
    expect(thrown(() => row(failing))).toEqual({ name: 'RangeError', message: 'mine' });
  });
});

describe('the switches', () => {
  test('allowBareNamedParameters: false wants the prefix, and knows no conflict', () => {
    const statement = db.prepare('select $a a, :a b');
    statement.setAllowBareNamedParameters(false);
    expect(statement.get({ $a: 1, ':a': 2 })).toEqual({ a: 1, b: 2 });
    expect(thrown(() => statement.get({ a: 1 }))).toEqual(unknown('a'));
    statement.setAllowBareNamedParameters(true);
    expect(thrown(() => statement.get({ $a: 1 }))).toEqual(conflict('a', '$a', ':a'));
  });

  test('allowUnknownNamedParameters: true passes over what is unknown, whatever it is', () => {
    const statement = db.prepare('select $a a');
    statement.setAllowUnknownNamedParameters(true);
    expect(statement.get({ a: 1, b: 2, c: wrong(Symbol('x')) })).toEqual({ a: 1 });
    statement.setAllowBareNamedParameters(false);
    expect(statement.get({ a: 1 })).toEqual({ a: null });
    statement.setAllowUnknownNamedParameters(false);
    expect(thrown(() => statement.get({ a: 1 }))).toEqual(unknown('a'));
  });
});

describe('a statement used again', () => {
  test('forgets what was bound', () => {
    const statement = db.prepare('select ? a, ? b');
    expect(statement.get(1, 2)).toEqual({ a: 1, b: 2 });
    expect(statement.get(3)).toEqual({ a: 3, b: null });
    expect(statement.all()).toEqual([{ a: null, b: null }]);
    const named = db.prepare('select $a a, $b b');
    named.get({ a: 1, b: 2 });
    expect(named.get({ a: 5 })).toEqual({ a: 5, b: null });
    expect(named.get({})).toEqual({ a: null, b: null });
  });

  test('works after a refusal', () => {
    const statement = db.prepare('select ? a, ? b');
    expect(thrown(() => statement.get(5, wrong(Symbol('x'))))).toEqual(
      argType('Provided value cannot be bound to SQLite parameter 2.'),
    );
    expect(thrown(() => statement.get(5, 6, 7))).toEqual(outOfRange);
    expect(statement.get(1, 2)).toEqual({ a: 1, b: 2 });
  });
});
