import { describe, expect, test } from 'vitest';
import { constants as values } from '../../src/constants.js';
import { argType, notOpen, sqlError, state, thrown } from './errors.js';
import { type Database, DatabaseSync, type Statement, wrong } from './subject.js';

const open = () => {
  const db = new DatabaseSync(':memory:');
  db.exec('create table t(a, b); insert into t values (1, 2)');
  return db;
};

const allow = () => values.SQLITE_OK;
const denied = sqlError('not authorized', 23, 'authorization denied');

/** What a statement answers, if it is asked for. */
function asked(ask: (...args: never[]) => unknown, sql = 'select a, b from t') {
  const db = open();
  db.setAuthorizer(wrong(ask));
  return db.prepare(sql).get();
}

test.each([[], [undefined], [1], ['x'], [{}]])('what is no function: %j', (...args) => {
  expect(thrown(() => open().setAuthorizer(...(args as [never])))).toEqual(
    argType('The "callback" argument must be a function or null.'),
  );
});

test('a database that is not open', () => {
  const db = open();
  db.close();
  expect(thrown(() => db.setAuthorizer(wrong(5)))).toEqual(notOpen);
});

describe('an authorizer', () => {
  test('is asked for each thing that a statement will do', () => {
    const calls: unknown[][] = [];
    const note = function (this: unknown, ...args: unknown[]) {
      calls.push([String(this), ...args]);
      return 0;
    };
    asked(note, 'select a from t');
    expect(calls).toEqual([
      ['undefined', values.SQLITE_SELECT, null, null, null, null],
      ['undefined', values.SQLITE_READ, 't', 'a', 'main', null],
    ]);
  });

  test('is told the trigger', () => {
    const db = open();
    db.exec('create table u(x); create trigger r after insert on t begin insert into u values (new.a); end');
    const calls: string[] = [];
    db.setAuthorizer((...args) => {
      calls.push(args.join());
      return 0;
    });
    db.exec('insert into t values (1, 1)');
    expect(calls).toEqual(['18,t,,main,', '18,u,,main,r', '20,t,a,main,r']);
  });

  test('is told names of any length', () => {
    const names: unknown[] = [];
    const name = 'é'.repeat(100);
    const db = open();
    db.setAuthorizer((action, table) => {
      if (action === values.SQLITE_CREATE_TABLE) names.push(table);
      return 0;
    });
    db.exec(`create table "${name}"(a); create table "short"(a)`);
    expect(names).toEqual([name, 'short']);
  });

  test('allows, denies and ignores', () => {
    expect(asked(allow)).toEqual({ a: 1, b: 2 });
    expect(thrown(() => asked(() => values.SQLITE_DENY))).toEqual(denied);
    const onRead = (answer: number) => (action: number, _table: string, column: string) =>
      action === values.SQLITE_READ && column === 'a' ? answer : 0;
    expect(asked(onRead(values.SQLITE_IGNORE))).toEqual({ a: null, b: 2 });
    expect(thrown(() => asked(onRead(values.SQLITE_DENY)))).toEqual(
      sqlError('access to t.a is prohibited', 23, 'authorization denied'),
    );
    const noFunctions = (action: number) => (action === values.SQLITE_FUNCTION ? 1 : 0);
    expect(thrown(() => asked(noFunctions, 'select abs(1)'))).toEqual(
      sqlError('not authorized to use function: abs'),
    );
  });

  test('is asked for statements that there are, once', () => {
    const db = open();
    const statement = db.prepare('select a from t');
    let calls = 0;
    db.setAuthorizer(() => {
      calls++;
      return 0;
    });
    statement.get();
    statement.get();
    expect(calls).toBe(2);
    db.setAuthorizer(() => values.SQLITE_DENY);
    expect(thrown(() => statement.get())).toEqual(denied);
  });

  test('is replaced, and taken away', () => {
    const db = open();
    db.setAuthorizer(() => values.SQLITE_DENY);
    db.setAuthorizer(allow);
    expect(db.prepare('select a from t').get()).toEqual({ a: 1 });
    db.setAuthorizer(() => values.SQLITE_DENY);
    expect(db.setAuthorizer(null)).toBeUndefined();
    expect(db.prepare('select a from t').get()).toEqual({ a: 1 });
  });

  test('stays when the database is opened again', () => {
    const db = open();
    db.setAuthorizer(() => values.SQLITE_DENY);
    db.close();
    db.open();
    expect(thrown(() => db.prepare('select 1'))).toEqual(denied);
    db.setAuthorizer(null);
    db.close();
    db.open();
    expect(db.prepare('select 1 a').get()).toEqual({ a: 1 });
  });
});

describe('what it answers otherwise', () => {
  const noInteger = {
    name: 'TypeError',
    message: 'Authorizer callback must return an integer authorization code',
  };
  const noCode = { name: 'RangeError', message: 'Authorizer callback returned a invalid authorization code' };
  test.each([
    [3, noCode],
    [-1, noCode],
    ['0', noInteger],
    [undefined, noInteger],
    [null, noInteger],
    [0n, noInteger],
    [0.5, noInteger],
    [true, noInteger],
    [2 ** 32, noInteger],
    [Promise.resolve(0), noInteger],
  ])('%s', (answer, error) => {
    expect(thrown(() => asked(() => answer))).toEqual(error);
  });

  test.each([new RangeError('no'), 5, undefined])('what it throws is what the caller gets: %s', (error) => {
    const fail = () => {
      throw error;
    };
    const db = open();
    const statement = db.prepare('select a from t');
    db.setAuthorizer(fail);
    for (const call of [
      () => db.prepare('select 1'),
      () => db.exec('delete from t'),
      () => statement.get(),
    ]) {
      let caught: unknown = 'nothing';
      try {
        call();
      } catch (error) {
        caught = error;
      }
      expect(caught).toBe(error);
    }
    db.setAuthorizer(null);
    expect(statement.get()).toEqual({ a: 1 });
  });
});

describe('while it is asked', () => {
  /** What a call answers or throws there. */
  function within(call: (db: Database, statement: Statement) => unknown) {
    const db = open();
    const statement = db.prepare('select 9 x');
    let answer: unknown;
    let asked = false;
    db.setAuthorizer(() => {
      if (!asked) {
        asked = true;
        answer = call(db, statement);
      }
      return 0;
    });
    db.prepare('select 1');
    db.setAuthorizer(null);
    return answer;
  }

  test.each<[string, (db: Database, statement: Statement) => unknown]>([
    ['exec', (db) => db.exec('select 1')],
    ['prepare', (db) => db.prepare(wrong(5))],
    ['function', (db) => db.function('f', () => 1)],
    ['aggregate', (db) => db.aggregate('f', { start: 0, step: () => 1 })],
    ['setAuthorizer', (db) => db.setAuthorizer(null)],
    ['serialize', (db) => db.serialize()],
    ['enableDefensive', (db) => db.enableDefensive(true)],
    [
      'limits',
      (db) => {
        db.limits.length = 1000;
      },
    ],
    ['get', (_, statement) => statement.get()],
    ['all', (_, statement) => statement.all()],
    ['run', (_, statement) => statement.run()],
    ['iterate', (_, statement) => statement.iterate()],
  ])('the database must not be used: %s', (_, call) => {
    expect(thrown(() => within(call))).toEqual(
      state('database cannot be accessed from an authorizer callback'),
    );
  });

  test('it cannot be closed or replaced', () => {
    expect(thrown(() => within((db) => db.close()))).toEqual(
      state('database cannot be closed while in a callback'),
    );
    expect(thrown(() => within((db) => db.deserialize(new Uint8Array(1))))).toEqual(
      state('database cannot be deserialized while in a callback'),
    );
  });

  test('what is known can be asked', () => {
    expect(within((db) => [db.isOpen, db.isTransaction, db.location(), db.limits.attach])).toEqual([
      true,
      false,
      null,
      10,
    ]);
    expect(within((_, statement) => [statement.expandedSQL, statement.columns().length])).toEqual([
      'select 9 x',
      1,
    ]);
    expect(within((_, statement) => statement.close())).toBeUndefined();
  });

  test('other databases can be used', () => {
    expect(within(() => open().prepare('select b from t').get())).toEqual({ b: 2 });
  });
});
