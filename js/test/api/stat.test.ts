import { expect, test } from 'vitest';
import { argType, argValue, finalized, thrown } from './errors.js';
import { DatabaseSync, wrong } from './subject.js';

const db = new DatabaseSync(':memory:');
type Counter = Parameters<ReturnType<typeof db.prepare>['stat']>[0];

const counters: Counter[] = [
  'fullscanStep',
  'sort',
  'autoindex',
  'vmStep',
  'reprepare',
  'run',
  'filterMiss',
  'filterHit',
  'memused',
];

test('stat counts what a statement does', () => {
  const statement = db.prepare('select value from json_each(?) order by value');
  expect(statement.stat('run')).toBe(0);
  statement.all('[3, 1, 2]');
  statement.get('[1]');
  expect([statement.stat('run'), statement.stat('sort'), statement.stat('reprepare')]).toEqual([2, 2, 0]);
  expect(statement.stat('vmStep')).toBeGreaterThan(10);
  expect(statement.stat('memused')).toBeGreaterThan(100);
  for (const counter of counters) expect(statement.stat(counter)).toBeTypeOf('number');
});

test('stat counts scans of a whole table, and preparing anew', () => {
  db.exec('create table t(a, b); insert into t values(1, 2), (3, 4), (5, 6)');
  const statement = db.prepare('select * from t where a = 3');
  statement.all();
  expect(statement.stat('fullscanStep')).toBe(2);
  db.exec('alter table t add column c');
  statement.all();
  expect(statement.stat('reprepare')).toBe(1);
});

test('resetStats begins anew', () => {
  const statement = db.prepare('select 1');
  statement.get();
  expect(statement.resetStats()).toBe(undefined);
  expect([statement.stat('run'), statement.stat('vmStep')]).toEqual([0, 0]);
  statement.all();
  expect(statement.stat('run')).toBe(1);
});

test('a counter is one of the names', () => {
  const statement = db.prepare('select 1');
  for (const name of [undefined, null, 5, {}]) {
    expect(thrown(() => statement.stat(wrong(name)))).toEqual(
      argType('The "counter" argument must be a string.'),
    );
  }
  for (const name of ['', 'nonsense', 'Run', 'toString', '__proto__']) {
    expect(thrown(() => statement.stat(wrong(name)))).toEqual(
      argValue('The "counter" argument is not a valid statistic name.'),
    );
  }
});

test('a closed statement has no counters', () => {
  const statement = db.prepare('select 1');
  statement.close();
  expect(thrown(() => statement.stat('run'))).toEqual(finalized);
  expect(thrown(() => statement.resetStats())).toEqual(finalized);
});
