import { describe, expect, test } from 'vitest';
import { argType, notOpen, state, thrown } from './errors.js';
import { DatabaseSync, wrong } from './subject.js';

/** What is no boolean, nor left out. */
const notBooleans = [0, 1, '', 'true', null, {}, [], 1n, Symbol('s')];

const booleans = [
  'open',
  'readOnly',
  'enableForeignKeyConstraints',
  'enableDoubleQuotedStringLiterals',
  'readBigInts',
  'returnArrays',
  'allowBareNamedParameters',
  'allowUnknownNamedParameters',
  'defensive',
] as const;

describe('the path', () => {
  const refused = argType('The "path" argument must be a string, Uint8Array, or URL without null bytes.');

  test('must be text, bytes or a URL', () => {
    expect(thrown(() => new DatabaseSync(...([] as unknown as [string])))).toEqual(refused);
    const others = [
      undefined,
      null,
      5,
      1n,
      true,
      {},
      [],
      Symbol('x'),
      new ArrayBuffer(3),
      new Uint16Array(2),
    ];
    for (const path of others) expect(thrown(() => new DatabaseSync(wrong(path)))).toEqual(refused);
    expect(thrown(() => new DatabaseSync(wrong(new String(':memory:'))))).toEqual(refused);
  });

  test('must be without NUL', () => {
    expect(thrown(() => new DatabaseSync('a\0b'))).toEqual(refused);
    expect(thrown(() => new DatabaseSync('\0'))).toEqual(refused);
    expect(thrown(() => new DatabaseSync(new Uint8Array([97, 0, 98])))).toEqual(refused);
  });

  test('may be bytes', () => {
    const db = new DatabaseSync(new TextEncoder().encode(':memory:'));
    expect(db.location()).toBe(null);
    expect(db.isOpen).toBe(true);
  });

  test('may be a URL of scheme file, or what has such an href', () => {
    expect(new DatabaseSync(new URL('file:///x?mode=memory')).isOpen).toBe(true);
    expect(new DatabaseSync(wrong({ href: 'file:///x?mode=memory' })).isOpen).toBe(true);
  });

  test('of another scheme is refused', () => {
    const scheme = {
      name: 'TypeError',
      code: 'ERR_INVALID_URL_SCHEME',
      message: 'The URL must be of scheme file:',
    };
    expect(thrown(() => new DatabaseSync(new URL('http://x/y')))).toEqual(scheme);
    expect(thrown(() => new DatabaseSync(wrong({ href: 'http://x/y' })))).toEqual(scheme);
  });

  test('is looked at before the options', () => {
    expect(thrown(() => new DatabaseSync(wrong(5), wrong(5)))).toEqual(refused);
  });
});

describe('the options', () => {
  test('must be an object, if there are any', () => {
    const refused = argType('The "options" argument must be an object.');
    for (const options of [undefined, null, 5, 'x', true, Symbol('x')]) {
      expect(thrown(() => new DatabaseSync(':memory:', wrong(options)))).toEqual(refused);
    }
  });

  test('may be any object', () => {
    for (const options of [{}, [], Object.create(null), new Date(), () => 1]) {
      expect(new DatabaseSync(':memory:', wrong(options)).isOpen).toBe(true);
    }
  });

  test.each(booleans)('%s must be a boolean', (name) => {
    for (const value of notBooleans) {
      expect(thrown(() => new DatabaseSync(':memory:', wrong({ [name]: value })))).toEqual(
        argType(`The "options.${name}" argument must be a boolean.`),
      );
    }
  });

  test.each(booleans)('%s may be true, false or undefined', (name) => {
    for (const value of [true, false, undefined]) {
      const db = new DatabaseSync(':memory:', wrong({ [name]: value }));
      expect(db.isOpen).toBe(!(name === 'open' && value === false));
    }
  });

  test('timeout must be an integer of 32 bits', () => {
    const refused = argType('The "options.timeout" argument must be an integer.');
    for (const timeout of ['', '5', null, true, {}, 1n, 1.5, NaN, Infinity, -0, 2 ** 31, -(2 ** 31) - 1]) {
      expect(thrown(() => new DatabaseSync(':memory:', wrong({ timeout })))).toEqual(refused);
    }
    for (const timeout of [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), undefined]) {
      expect(new DatabaseSync(':memory:', wrong({ timeout })).isOpen).toBe(true);
    }
  });

  test('an error of a getter comes out', () => {
    const options = {
      get readOnly(): boolean {
        throw new RangeError('mine');
      },
    };
    expect(thrown(() => new DatabaseSync(':memory:', options))).toEqual({
      name: 'RangeError',
      message: 'mine',
    });
  });

  test('what is unknown is passed over', () => {
    expect(new DatabaseSync(':memory:', wrong({ nonsense: 5 })).isOpen).toBe(true);
  });
});

describe('what an option does', () => {
  const value = (db: InstanceType<typeof DatabaseSync>, sql: string) =>
    Object.values(db.prepare(sql).get() ?? {})[0];

  test('open: false leaves it closed until open()', () => {
    const db = new DatabaseSync(':memory:', { open: false });
    expect(db.isOpen).toBe(false);
    expect(thrown(() => db.exec('select 1'))).toEqual(notOpen);
    db.open();
    expect(db.isOpen).toBe(true);
    expect(thrown(() => db.open())).toEqual(state('database is already open'));
    expect(value(db, 'select 1')).toBe(1);
  });

  test('readOnly: true refuses to write', () => {
    const db = new DatabaseSync(':memory:', { readOnly: true });
    expect(value(db, 'select 1')).toBe(1);
    expect(thrown(() => db.exec('create table t(a)'))).toMatchObject({
      message: 'attempt to write a readonly database',
      errcode: 8,
    });
  });

  test('enableForeignKeyConstraints is on, and can be off', () => {
    expect(value(new DatabaseSync(':memory:'), 'pragma foreign_keys')).toBe(1);
    const off = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
    expect(value(off, 'pragma foreign_keys')).toBe(0);
  });

  test('enableDoubleQuotedStringLiterals is off, and can be on', () => {
    expect(thrown(() => new DatabaseSync(':memory:').prepare('select "x"'))).toMatchObject({ errcode: 1 });
    const on = new DatabaseSync(':memory:', { enableDoubleQuotedStringLiterals: true });
    expect(value(on, 'select "x"')).toBe('x');
    on.exec('create table t(a default "text")');
    expect(value(on, 'insert into t default values returning a')).toBe('text');
  });

  test('timeout is the busy timeout', () => {
    expect(value(new DatabaseSync(':memory:'), 'pragma busy_timeout')).toBe(0);
    expect(value(new DatabaseSync(':memory:', { timeout: 77 }), 'pragma busy_timeout')).toBe(77);
  });

  test('defensive is on, and can be off', () => {
    const damage = "pragma writable_schema=on; update sqlite_schema set sql='create table t(a,b)'";
    const db = new DatabaseSync(':memory:');
    db.exec('create table t(a)');
    expect(thrown(() => db.exec(damage))).toMatchObject({
      message: 'table sqlite_master may not be modified',
    });
    const off = new DatabaseSync(':memory:', { defensive: false });
    off.exec('create table t(a)');
    off.exec(damage);
    expect(value(off, 'select sql from sqlite_schema')).toBe('create table t(a,b)');
  });

  test('those of statements are the defaults of its statements', () => {
    const arrays = new DatabaseSync(':memory:', { returnArrays: true });
    expect(arrays.prepare('select 1 a').get()).toEqual([1]);
    expect(arrays.prepare('select 1 a', { returnArrays: false }).get()).toEqual({ a: 1 });
    const bigs = new DatabaseSync(':memory:', { readBigInts: true });
    expect(bigs.prepare('select 1 a').get()).toEqual({ a: 1n });
    const bare = new DatabaseSync(':memory:', { allowBareNamedParameters: false });
    expect(thrown(() => bare.prepare('select $a').get({ a: 1 }))).toEqual(
      state("Unknown named parameter 'a'"),
    );
    const unknown = new DatabaseSync(':memory:', { allowUnknownNamedParameters: true });
    expect(unknown.prepare('select $a a').get({ a: 1, b: 2 })).toEqual({ a: 1 });
  });

  test('stays when the database is opened again', () => {
    const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false, timeout: 77 });
    db.close();
    db.open();
    expect(value(db, 'pragma foreign_keys')).toBe(0);
    expect(value(db, 'pragma busy_timeout')).toBe(77);
  });
});
