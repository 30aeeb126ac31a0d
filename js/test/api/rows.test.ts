import { describe, expect, test } from 'vitest';
import { sqlError, thrown } from './errors.js';
import { DatabaseSync } from './subject.js';

const db = new DatabaseSync(':memory:');
const get = (sql: string) => db.prepare(sql).get() as Record<string, unknown>;

/** The first row, by each way to rows. */
const ways = [
  ['get', (sql: string) => db.prepare(sql).get()],
  ['all', (sql: string) => db.prepare(sql).all()[0]],
  ['iterate', (sql: string) => db.prepare(sql).iterate().next().value],
] as const;

describe.each(ways)('a row of %s', (_, first) => {
  test('is an object without a prototype, with ordinary properties', () => {
    const row = first('select 1 a, 2 b') as object;
    expect(Object.getPrototypeOf(row)).toBe(null);
    expect(Object.getOwnPropertyDescriptors(row)).toMatchObject({
      a: { value: 1, writable: true, enumerable: true, configurable: true },
      b: { value: 2, writable: true, enumerable: true, configurable: true },
    });
    expect(Object.isExtensible(row)).toBe(true);
  });

  test('has its keys in the order of the columns', () => {
    expect(Object.keys(first('select 1 z, 2 a, 3 m') as object)).toEqual(['z', 'a', 'm']);
  });

  test('has of columns with one name the last one', () => {
    const row = first('select 1 a, 2 b, 3 a') as object;
    expect(row).toEqual({ a: 3, b: 2 });
    expect(Object.keys(row)).toEqual(['a', 'b']);
  });

  test('takes every name for a name', () => {
    const names = [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'prototype',
      'then',
      'toJSON',
      '',
    ];
    const row = first(`select ${names.map((name, i) => `${i} as "${name}"`).join()}`) as object;
    expect(Object.getPrototypeOf(row)).toBe(null);
    expect(Object.keys(row)).toEqual(names);
    expect(Object.values(row)).toEqual(names.map((_, i) => i));
  });

  test('has null for the prototype even if a column of that name is NULL', () => {
    const row = first('select null as "__proto__", 1 as a') as object;
    expect(Object.getPrototypeOf(row)).toBe(null);
    expect(Object.entries(row)).toEqual([
      ['__proto__', null],
      ['a', 1],
    ]);
  });

  test('has numbers for names first, as every object does', () => {
    const row = first('select 1 "b", 2 "2", 3 "1", 4 "a", 5 "-1", 6 "01", 7 "4294967295"') as object;
    expect(Object.keys(row)).toEqual(['1', '2', 'b', 'a', '-1', '01', '4294967295']);
  });

  test('has names in any script', () => {
    expect(first('select 1 "é😀", 2 "a\ufeff", 3 "表"')).toEqual({ 'é😀': 1, 'a\ufeff': 2, 表: 3 });
  });

  test('has up to 2000 columns', () => {
    const row = first(`select ${Array.from({ length: 2000 }, (_, i) => `${i} c${i}`).join()}`) as object;
    expect(Object.keys(row)).toHaveLength(2000);
    expect(Object.entries(row).every(([name, value]) => name === `c${value}`)).toBe(true);
  });
});

test('2001 columns are refused', () => {
  expect(thrown(() => get(`select ${Array(2001).fill(1).join()}`))).toEqual(
    sqlError('too many columns in result set'),
  );
});

test('a column without a name has its expression for one', () => {
  expect(Object.keys(get("select 1, 1 +  1, 'x', ab from (select 1 ab)"))).toEqual([
    '1',
    '1 +  1',
    "'x'",
    'ab',
  ]);
});

test('rows as arrays keep columns of the same name', () => {
  expect(db.prepare('select 1 a, 2 b, 3 a', { returnArrays: true }).get()).toEqual([1, 2, 3]);
});

test('rows of one statement are each their own', () => {
  const [a, b] = db.prepare('select 1 x union all select 2').all() as [Record<string, unknown>, object];
  a.x = 'changed';
  expect(b).toEqual({ x: 2 });
});
