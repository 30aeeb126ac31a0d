import { describe, expect, test } from 'vitest';
import { argType, notOpen, state, thrown } from './errors.js';
import { DatabaseSync, wrong } from './subject.js';

const notAllowed = state('extension loading is not allowed');

test('allowExtension is a boolean', () => {
  expect(thrown(() => new DatabaseSync(':memory:', wrong({ allowExtension: 1 })))).toEqual(
    argType('The "options.allowExtension" argument must be a boolean.'),
  );
});

describe('without allowExtension', () => {
  const db = new DatabaseSync(':memory:');

  test.each([[], [1], ['x'], ['x', 'y']])('nothing is loaded: %j', (...args) => {
    expect(thrown(() => db.loadExtension(...(args as [string])))).toEqual(notAllowed);
  });

  test('loading cannot be turned on, but off', () => {
    expect(thrown(() => db.enableLoadExtension(true))).toEqual(
      state('Cannot enable extension loading because it was disabled at database creation.'),
    );
    expect(db.enableLoadExtension(false)).toBeUndefined();
    for (const value of [undefined, 1, null]) {
      expect(thrown(() => db.enableLoadExtension(wrong(value)))).toEqual(
        argType('The "allow" argument must be a boolean.'),
      );
    }
  });
});

describe('with allowExtension', () => {
  const open = () => new DatabaseSync(':memory:', { allowExtension: true });

  test('there is nothing to load', () => {
    expect(thrown(() => open().loadExtension(wrong(1)))).toEqual(
      argType('The "path" argument must be a string.'),
    );
    expect(thrown(() => open().loadExtension('/none'))).toMatchObject({ code: 'ERR_LOAD_SQLITE_EXTENSION' });
  });

  test('loading can be turned off, and on', () => {
    const db = open();
    db.enableLoadExtension(false);
    expect(thrown(() => db.loadExtension('/none'))).toEqual(notAllowed);
    db.enableLoadExtension(true);
    expect(thrown(() => db.loadExtension('/none'))).toMatchObject({ code: 'ERR_LOAD_SQLITE_EXTENSION' });
  });
});

test('a database that is not open', () => {
  const db = new DatabaseSync(':memory:', { allowExtension: true });
  db.close();
  expect(thrown(() => db.loadExtension('x'))).toEqual(notOpen);
  expect(thrown(() => db.enableLoadExtension(wrong(undefined)))).toEqual(notOpen);
});
