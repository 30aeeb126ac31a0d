import { expect, test } from 'vitest';
import { argType, notOpen, sqlError, thrown } from './errors.js';
import { DatabaseSync, wrong } from './subject.js';

const outOfRange = (message: string) => ({ name: 'RangeError', code: 'ERR_OUT_OF_RANGE', message });

test('limits are those of SQLite, in its order', () => {
  expect(Object.entries(new DatabaseSync(':memory:').limits)).toEqual([
    ['length', 1_000_000_000],
    ['sqlLength', 1_000_000_000],
    ['column', 2000],
    ['exprDepth', 1000],
    ['compoundSelect', 500],
    ['vdbeOp', 250_000_000],
    ['functionArg', 1000],
    ['attach', 10],
    ['likePatternLength', 50_000],
    ['variableNumber', 32_766],
    ['triggerDepth', 1000],
  ]);
});

test('a limit that is set holds', () => {
  const db = new DatabaseSync(':memory:');
  db.limits.variableNumber = 2;
  expect(thrown(() => db.prepare('select ?3'))).toEqual(
    sqlError('variable number must be between ?1 and ?2'),
  );
  db.limits.attach = 0;
  expect(thrown(() => db.exec("attach ':memory:' as x"))).toMatchObject({ errcode: 1 });
  db.limits.length = 1000;
  expect(thrown(() => db.prepare('select zeroblob(1001)').get())).toMatchObject({ errcode: 18 });
  expect(thrown(() => db.prepare('select ?').get('x'.repeat(1001)))).toMatchObject({ errcode: 18 });
  db.limits.sqlLength = 10;
  expect(thrown(() => db.exec('select 1, 2, 3'))).toMatchObject({ errcode: 18 });
});

test('one beyond what SQLite allows is the highest, and so is Infinity', () => {
  const { limits } = new DatabaseSync(':memory:');
  limits.column = 5;
  expect(limits.column).toBe(5);
  limits.column = 1_000_000;
  expect(limits.column).toBe(2000);
  limits.column = 5;
  limits.column = Infinity;
  expect(limits.column).toBe(2000);
});

test('a limit is no negative integer of 32 bits', () => {
  const { limits } = new DatabaseSync(':memory:');
  for (const value of [1.5, '5', null, undefined, true, NaN, 2 ** 31, {}, 1n]) {
    expect(thrown(() => Object.assign(limits, { column: value }))).toEqual(
      argType('Limit value must be a non-negative integer or Infinity.'),
    );
  }
  expect(thrown(() => Object.assign(limits, { column: -1 }))).toEqual(
    outOfRange('Limit value must be non-negative.'),
  );
});

test('the option limits must be an object of integers', () => {
  const open = (limits: unknown) => new DatabaseSync(':memory:', wrong({ limits })).limits.column;
  for (const limits of [null, 5, 'x', true]) {
    expect(thrown(() => open(limits))).toEqual(argType('The "options.limits" argument must be an object.'));
  }
  for (const column of ['5', 1.5, null, 2 ** 31, NaN, Infinity]) {
    expect(thrown(() => open({ column }))).toEqual(
      argType('The "options.limits.column" argument must be an integer.'),
    );
  }
  expect(thrown(() => open({ column: -1 }))).toEqual(
    outOfRange('The "options.limits.column" argument must be non-negative.'),
  );
  expect([undefined, {}, [], () => 1, { column: undefined }, { nonsense: 1 }].map(open)).toEqual(
    Array(6).fill(2000),
  );
  expect(open({ column: 5, attach: 0 })).toBe(5);
});

test('limits belong to an open database, and stay when it is opened again', () => {
  const db = new DatabaseSync(':memory:', { limits: { attach: 3 } });
  const { limits } = db;
  limits.column = 7;
  db.close();
  expect(thrown(() => limits.column)).toEqual(notOpen);
  expect(thrown(() => Object.assign(limits, { column: 5 }))).toEqual(notOpen);
  expect(thrown(() => new DatabaseSync(':memory:', { open: false }).limits.column)).toEqual(notOpen);
  db.open();
  expect(db.limits).toBe(limits);
  expect([limits.column, limits.attach]).toEqual([7, 3]);
});
