import { describe, expect, test } from 'vitest';
import { constants } from '../../src/constants.js';
import { argType, notOpen, state, thrown } from './errors.js';
import { type Database, DatabaseSync, sqlite, wrong } from './subject.js';

const { SQLITE_CHANGESET_OMIT, SQLITE_CHANGESET_REPLACE, SQLITE_CHANGESET_ABORT } = constants;

const SCHEMA = 'create table t(a integer primary key, b); create table u(a primary key, b)';

function open(sql = '') {
  const db = new DatabaseSync(':memory:');
  db.exec(`${SCHEMA}; ${sql}`);
  return db;
}

/** The changes that SQL makes. */
function recorded(sql: string, before = '') {
  const db = open(before);
  const session = db.createSession();
  db.exec(sql);
  return session.changeset();
}

const content = (db: Database) =>
  db
    .prepare('select a, b from t')
    .all()
    .map(({ a, b }) => `${a}${b}`);

const inserted = recorded("insert into t values (1, 'new'), (2, 'two')");
const OLD = "insert into t values (1, 'old')";
const notInCallback = state('session cannot be closed while in a callback');

describe('createSession', () => {
  const options = argType('The "options" argument must be an object.');
  const table = argType('The "options.table" argument must be a string.');
  const db = argType('The "options.db" argument must be a string.');
  test.each([
    [[undefined], options],
    [[null], options],
    [['x'], options],
    [[{ table: 1 }], table],
    [[{ table: undefined }], table],
    [[{ db: null }], db],
    [[{ db: undefined, table: 1 }], table],
  ])('arguments: %j', (args, error) => {
    expect(thrown(() => open().createSession(...(args as [object])))).toEqual(error);
  });

  test.each([{}, { table: '' }, { table: 'none' }, { db: 'none' }, { db: 'temp', table: 't' }, []])(
    'what is let pass: %j',
    (options) => {
      const session = open().createSession(wrong(options));
      expect(session).toBeInstanceOf(sqlite.Session);
      expect(session.changeset()).toEqual(new Uint8Array());
    },
  );

  test('what an object inherits is no option', () => {
    expect(open().createSession(Object.create({ table: 5 }))).toBeInstanceOf(sqlite.Session);
  });

  test('a database that is not open', () => {
    const db = open();
    db.close();
    expect(thrown(() => db.createSession(wrong(5)))).toEqual(notOpen);
  });

  test('nobody else makes sessions', () => {
    expect(thrown(() => new (sqlite.Session as unknown as new () => object)())).toMatchObject({
      code: 'ERR_ILLEGAL_CONSTRUCTOR',
      message: 'Illegal constructor',
    });
  });
});

describe('a session', () => {
  test('records the tables with a primary key', () => {
    const db = open('create table n(a, b)');
    const session = db.createSession();
    db.exec("insert into t values (1, 'x'); insert into u values (2, 'y'); insert into n values (3, 'z')");
    const other = open();
    expect(other.applyChangeset(session.changeset())).toBe(true);
    expect(content(other)).toEqual(['1x']);
    expect(other.prepare('select * from u').all()).toEqual([{ a: 2, b: 'y' }]);
    expect(session.changeset()).toEqual(session.changeset());
  });

  test('records one table, of one database', () => {
    const db = open("attach ':memory:' as other; create table other.t(a integer primary key, b)");
    const one = db.createSession({ table: 'u' });
    const attached = db.createSession({ db: 'other' });
    db.exec('insert into t values (1, 1); insert into u values (1, 1); insert into other.t values (9, 9)');
    const target = open();
    target.applyChangeset(one.changeset());
    expect(content(target)).toEqual([]);
    target.applyChangeset(attached.changeset());
    expect(content(target)).toEqual(['99']);
  });

  test('records what is large', () => {
    const target = open();
    expect(target.applyChangeset(recorded('insert into t values (1, zeroblob(300000))'))).toBe(true);
    expect(target.prepare('select length(b) n from t').get()).toEqual({ n: 300000 });
  });

  test('makes patchsets', () => {
    const db = open(OLD);
    const session = db.createSession();
    db.exec("update t set b = 'new'; delete from u");
    expect(session.patchset().length).toBeLessThan(session.changeset().length);
    const target = open("insert into t values (1, 'another')");
    expect(target.applyChangeset(session.changeset())).toBe(false);
    expect(target.applyChangeset(session.patchset())).toBe(true);
    expect(content(target)).toEqual(['1new']);
  });

  test.each(['changeset', 'patchset', 'close'] as const)('is closed: %s', (method) => {
    const session = open().createSession();
    expect(session.close()).toBeUndefined();
    expect(thrown(() => session[method]())).toEqual(state('session is not open'));
    expect(session[Symbol.dispose]()).toBeUndefined();
  });

  test.each(['changeset', 'patchset', 'close'] as const)('ends with its database: %s', (method) => {
    const db = open();
    const session = db.createSession();
    db.close();
    expect(thrown(() => session[method]())).toEqual(notOpen);
    db.open();
    expect(thrown(() => session[method]())).toEqual(state('session is not open'));
    expect(session[Symbol.dispose]()).toBeUndefined();
  });

  test('can be disposed of', () => {
    const session = open().createSession();
    session[Symbol.dispose]();
    expect(thrown(() => session.close())).toEqual(state('session is not open'));
  });

  test('can be asked in a function, and not closed', () => {
    const db = open();
    const session = db.createSession();
    db.function('size', () => session.changeset().length);
    db.function('finish', () => session.close() as undefined);
    db.function('dispose', () => session[Symbol.dispose]() as undefined);
    db.exec(OLD);
    expect(db.prepare('select size() n').get()).toEqual({ n: session.changeset().length });
    expect(thrown(() => db.exec('select finish()'))).toEqual(notInCallback);
    expect(thrown(() => db.exec('select dispose()'))).toEqual(notInCallback);
  });

  test('cannot be asked while an authorizer is', () => {
    const db = open();
    const session = db.createSession();
    db.setAuthorizer(() => session.changeset().length);
    expect(thrown(() => db.prepare('select 1'))).toEqual(
      state('database cannot be accessed from an authorizer callback'),
    );
  });
});

describe('applyChangeset', () => {
  const bytes = argType('The "changeset" argument must be a Uint8Array.');
  const options = argType('The "options" argument must be an object.');
  const empty = new Uint8Array();
  test.each([
    [[], bytes],
    [['x'], bytes],
    [[new ArrayBuffer(1)], bytes],
    [[new DataView(new ArrayBuffer(1))], bytes],
    [[empty, null], options],
    [[empty, 5], options],
    [[empty, { onConflict: null }], argType('The "options.onConflict" argument must be a function.')],
    [[empty, { onConflict: 1, filter: 1 }], argType('The "options.onConflict" argument must be a function.')],
    [[empty, { filter: 1 }], argType('The "options.filter" argument must be a function.')],
    [[empty, { filter: undefined }], argType('The "options.filter" argument must be a function.')],
  ])('arguments: %j', (args, error) => {
    expect(thrown(() => open().applyChangeset(...(args as [Uint8Array])))).toEqual(error);
  });

  test('what is let pass', () => {
    const db = open();
    for (const options of [undefined, {}, { onConflict: undefined }]) {
      expect(db.applyChangeset(empty, options as object)).toBe(true);
    }
  });

  test('a database that is not open', () => {
    const db = open();
    db.close();
    expect(thrown(() => db.applyChangeset(wrong(5)))).toEqual(notOpen);
  });

  test('what is no changeset', () => {
    const db = open();
    const garbage = new TextEncoder().encode('garbage');
    for (const bytes of [garbage, inserted.slice(0, -1)]) {
      expect(thrown(() => db.applyChangeset(bytes))).toMatchObject({
        code: 'ERR_SQLITE_ERROR',
        errcode: 11,
        message: 'database disk image is malformed',
      });
    }
    expect(content(db)).toEqual([]);
  });

  test('tables that are not there, or are others', () => {
    const db = new DatabaseSync(':memory:');
    expect(db.applyChangeset(inserted)).toBe(true);
    db.exec('create table t(b primary key)');
    expect(db.applyChangeset(inserted)).toBe(true);
    expect(db.prepare('select count(*) n from t').get()).toEqual({ n: 0 });
  });
});

describe('a conflict', () => {
  test('undoes all if nobody is asked', () => {
    const db = open(OLD);
    expect(db.applyChangeset(inserted)).toBe(false);
    expect(content(db)).toEqual(['1old']);
  });

  test.each([
    [SQLITE_CHANGESET_OMIT, true, ['1old', '2two']],
    [SQLITE_CHANGESET_REPLACE, true, ['1new', '2two']],
    [SQLITE_CHANGESET_ABORT, false, ['1old']],
  ])('is answered with %i', (answer, applied, rows) => {
    const db = open(OLD);
    const calls: unknown[] = [];
    const onConflict = function (this: unknown, ...args: unknown[]) {
      calls.push([String(this), ...args]);
      return answer;
    };
    expect(db.applyChangeset(inserted, { onConflict })).toBe(applied);
    expect(calls).toEqual([['null', constants.SQLITE_CHANGESET_CONFLICT]]);
    expect(content(db)).toEqual(rows);
  });

  test.each([3, -1, '1', undefined, null, true, 0.5, 0n, Promise.resolve(0)])(
    'is answered with what is no answer: %s',
    (answer) => {
      const db = open(OLD);
      expect(thrown(() => db.applyChangeset(inserted, { onConflict: () => wrong(answer) }))).toMatchObject({
        code: 'ERR_SQLITE_ERROR',
        errcode: 21,
        message: 'bad parameter or other API misuse',
      });
      expect(content(db)).toEqual(['1old']);
    },
  );

  test('is of one kind or another', () => {
    const kinds: number[] = [];
    const onConflict = (kind: number) => {
      kinds.push(kind);
      return SQLITE_CHANGESET_OMIT;
    };
    const updated = recorded("update t set b = 'upd'", OLD);
    expect(open().applyChangeset(recorded('delete from t', OLD), { onConflict })).toBe(true);
    expect(open("insert into t values (1, 'x')").applyChangeset(updated, { onConflict })).toBe(true);
    expect(
      open(`create unique index i on t(b); insert into t values (9, 'new')`).applyChangeset(inserted, {
        onConflict,
      }),
    ).toBe(true);
    const family = 'create table p(a primary key); create table c(a primary key, p references p(a))';
    const source = open(family);
    const session = source.createSession({ table: 'c' });
    source.exec('insert into p values (1); insert into c values (1, 1)');
    expect(open(family).applyChangeset(session.changeset(), { onConflict })).toBe(true);
    expect(kinds).toEqual([
      constants.SQLITE_CHANGESET_NOTFOUND,
      constants.SQLITE_CHANGESET_DATA,
      constants.SQLITE_CHANGESET_CONSTRAINT,
      constants.SQLITE_CHANGESET_FOREIGN_KEY,
    ]);
  });

  test('may be looked into', () => {
    const db = open(OLD);
    const seen: unknown[] = [];
    const onConflict = () => {
      seen.push(content(db));
      db.applyChangeset(recorded('insert into u values (5, 5)'));
      return SQLITE_CHANGESET_REPLACE;
    };
    expect(db.applyChangeset(inserted, { onConflict })).toBe(true);
    expect(seen).toEqual([['1old']]);
    expect(content(db)).toEqual(['1new', '2two']);
    expect(db.prepare('select * from u').all()).toEqual([{ a: 5, b: 5 }]);
  });

  test('is no time to close the database', () => {
    const db = open(OLD);
    expect(thrown(() => db.applyChangeset(inserted, { onConflict: () => db.close() as never }))).toEqual(
      state('database cannot be closed while in a callback'),
    );
  });
});

test('a filter is asked for each table', () => {
  const both = recorded('insert into t values (1, 1), (2, 2); insert into u values (1, 1)');
  const calls: unknown[] = [];
  const db = open();
  const filter = function (this: unknown, ...args: unknown[]) {
    calls.push([String(this), ...args]);
    return args[0] === 'u';
  };
  expect(db.applyChangeset(both, { filter })).toBe(true);
  expect(calls).toEqual([
    ['null', 't'],
    ['null', 'u'],
  ]);
  expect(content(db)).toEqual([]);
  expect(db.prepare('select count(*) n from u').get()).toEqual({ n: 1 });
});

test.each([
  [1, 2],
  [{}, 2],
  ['', 0],
  [undefined, 0],
  [null, 0],
])('a filter may answer anything: %j', (answer, rows) => {
  const db = open();
  expect(db.applyChangeset(inserted, { filter: () => wrong(answer) })).toBe(true);
  expect(content(db)).toHaveLength(rows);
});

test.each(['filter', 'onConflict'])('what %s throws is what the caller gets', (name) => {
  const error = new RangeError('mine');
  const db = open(OLD);
  let caught: unknown;
  try {
    db.applyChangeset(inserted, {
      [name]: () => {
        throw error;
      },
    });
  } catch (error) {
    caught = error;
  }
  expect(caught).toBe(error);
  expect(content(db)).toEqual(['1old']);
  expect(db.applyChangeset(inserted, { onConflict: () => SQLITE_CHANGESET_REPLACE })).toBe(true);
});
