// What AsyncDatabase and AsyncStatement answer is what DatabaseSync and StatementSync answer, and so are their errors: the same calls on
// both. What those answer, the tests of the API say.
import { beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, init, StatementSync } from '../../src/index.js';
import { thrown as describeThrown, rejected } from '../api/errors.js';
import { AsyncDatabase, AsyncStatement } from './subject.js';

beforeAll(() => init());

type Either = DatabaseSync | AsyncDatabase;
// Each of them is called with what the types of the other would not allow.
// biome-ignore lint/suspicious/noExplicitAny: wrong on purpose, and both at once.
type Any = any;

const SCHEMA = `
  create table t(id integer primary key, name text, data blob);
  insert into t values (1, 'one', x'01'), (2, 'zwei ☃', null), (3, null, x'030303');
`;

/** What a series of calls comes to: its answer, or its error. */
async function outcome(make: () => Either, use: (db: Any) => unknown): Promise<unknown> {
  const db = make();
  try {
    await db.exec(SCHEMA);
    return { answer: await use(db) };
  } catch (error) {
    return {
      error: describeThrown(() => {
        throw error;
      }),
    };
  } finally {
    if (db.isOpen) await db.close();
  }
}

const uses: Record<string, (db: Any) => unknown> = {
  'run, changes and rowids': async (db) => {
    const insert = await db.prepare('insert into t(name, data) values (?, ?)');
    const first = await insert.run('four', new Uint8Array([4]));
    insert.setReadBigInts(true);
    return [first, await insert.run('five', null), await (await db.prepare('delete from t')).run()];
  },
  get: async (db) => (await db.prepare('select * from t where id = ?')).get(2),
  'get without a row': async (db) => (await db.prepare('select * from t where id = ?')).get(9),
  all: async (db) => (await db.prepare('select * from t')).all(),
  'all of many batches': async (db) =>
    (
      await db.prepare(
        "with recursive c(i) as (select 1 union all select i + 1 from c limit 20000) select i, 'text ' || i t, x'0102' b from c",
      )
    ).all(),
  'all, an error in the middle': async (db) =>
    (await db.prepare("select id, iif(id = 3, json('{'), 1) from t")).all(),
  'an integer that is too large': async (db) => (await db.prepare('select 9007199254740993')).get(),
  'rows as arrays, with BigInts': async (db) =>
    (await db.prepare('select * from t', { returnArrays: true, readBigInts: true })).all(),
  'switches of a statement': async (db) => {
    const statement = await db.prepare('select $a a');
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    statement.setAllowUnknownNamedParameters(true);
    const unknown = await statement.get({ a: 1, b: 2 });
    statement.setAllowBareNamedParameters(false);
    return [unknown, await statement.get({ $a: 3 }), await statement.get({ a: 3 })];
  },
  'a wrong switch': async (db) => (await db.prepare('select 1')).setReadBigInts(1),
  'named parameters': async (db) => (await db.prepare('select $a a, :b b, ? c')).get({ a: 1, b: 2 }, 3),
  'parameters of all types': async (db) =>
    (await db.prepare('select ?, ?, ?, ?, ?, ?, ?', { returnArrays: true })).get(
      1,
      1.5,
      2n ** 40n,
      true,
      'x',
      new Float64Array([1]),
      Buffer.from('ab'),
    ),
  'an unknown parameter': async (db) => (await db.prepare('select $a')).get({ b: 1 }),
  'a parameter that cannot be bound': async (db) => (await db.prepare('select ?')).get(Symbol('x')),
  'an object that cannot be bound': async (db) => (await db.prepare('select ?, ?')).get(1, {}),
  'a BigInt that is too large': async (db) => (await db.prepare('select ?')).get(2n ** 64n),
  'too many parameters': async (db) => (await db.prepare('select ?')).get(1, 2),
  'a constraint': async (db) => (await db.prepare('insert into t(id) values (1)')).run(),
  iterate: async (db) => {
    const rows: unknown[] = [];
    for await (const row of (await db.prepare('select id from t')).iterate()) rows.push(row);
    return rows;
  },
  columns: async (db) => (await db.prepare('select id, name as n, 1 + 1 from t')).columns(),
  'sourceSQL and expandedSQL': async (db) => {
    const statement = await db.prepare('select ? /* ☃ */; select 2');
    await statement.get("it's");
    return [await statement.sourceSQL, await statement.expandedSQL, await statement.expandedSQL];
  },
  'stat and resetStats': async (db) => {
    const statement = await db.prepare('select * from t order by name');
    await statement.all();
    const [before, sorts] = [await statement.stat('run'), await statement.stat('sort')];
    await statement.resetStats();
    return [before, sorts, await statement.stat('run')];
  },
  'a wrong counter': async (db) => (await db.prepare('select 1')).stat('runs'),
  'no counter': async (db) => (await db.prepare('select 1')).stat(),
  'close of a statement': async (db) => {
    const statement = await db.prepare('select 1');
    await statement.close();
    return statement.get();
  },
  'close of a statement twice': async (db) => {
    const statement = await db.prepare('select 1');
    await statement.close();
    return statement.close();
  },
  'exec, an error': (db) => db.exec('select 1; selec'),
  'exec of no string': (db) => db.exec(1),
  'prepare of no statement': (db) => db.prepare(' -- nothing'),
  'prepare of no string': (db) => db.prepare(),
  'prepare, wrong options': (db) => db.prepare('select 1', { readBigInts: 1 }),
  'prepare, an error': (db) => db.prepare('select nothing'),
  'a long text': async (db) => {
    const text = 'ä'.repeat(100_000);
    await db.exec(`insert into t(id, name) values (7, '${text}')`);
    return (await db.prepare(`select name = '${text}' same from t where id = 7`)).get();
  },
  location: (db) => db.location(),
  'location of nothing': (db) => db.location('other'),
  'location, wrong': (db) => db.location(1),
  'serialize and deserialize': async (db) => {
    const bytes = await db.serialize();
    const statement = await db.prepare('select 1');
    await db.exec('drop table t');
    await db.deserialize(bytes);
    const { error } = (await outcomeOf(() => statement.get())) as { error: unknown };
    return [bytes.length, error, await (await db.prepare('select count(*) n from t')).get()];
  },
  'serialize, no such database': (db) => db.serialize('other'),
  'serialize, wrong': (db) => db.serialize(1),
  'deserialize, no bytes': (db) => db.deserialize('x'),
  'deserialize, empty': (db) => db.deserialize(new Uint8Array()),
  'deserialize, wrong options': (db) => db.deserialize(new Uint8Array(1), { dbName: 1 }),
  'deserialize, no database': async (db) => {
    await db.deserialize(new Uint8Array(1000).fill(7));
    return db.exec('select * from t');
  },
  enableDefensive: async (db) => {
    await db.enableDefensive(false);
    await db.exec('pragma writable_schema = on; delete from sqlite_schema');
    return (await db.prepare('select count(*) n from sqlite_schema')).get();
  },
  'enableDefensive, wrong': (db) => db.enableDefensive(),
  limits: (db) => {
    db.limits.column = 2;
    return [db.limits.column, { ...db.limits }];
  },
  'limits, over one': (db) => {
    db.limits.column = 2;
    return db.prepare('select 1, 2, 3');
  },
  isTransaction: async (db) => {
    const before = db.isTransaction;
    await db.exec('begin');
    return [before, db.isTransaction];
  },
  store: (db) => db.store,
  'open, closed and opened again': async (db) => {
    await db.close();
    const closed = db.isOpen;
    await db.open();
    return [closed, db.isOpen, await (await db.prepare('select count(*) n from sqlite_schema')).get()];
  },
  'close twice': async (db) => {
    await db.close();
    return db.close();
  },
  'exec when it is closed': async (db) => {
    await db.close();
    return db.exec(1);
  },
  'limits when it is closed': async (db) => {
    await db.close();
    return db.limits;
  },
  'isTransaction when it is closed': async (db) => {
    await db.close();
    return db.isTransaction;
  },
};

async function outcomeOf(use: () => unknown): Promise<unknown> {
  try {
    return { answer: await use() };
  } catch (error) {
    return {
      error: describeThrown(() => {
        throw error;
      }),
    };
  }
}

test.each(Object.entries(uses))('%s', async (_, use) => {
  const expected = await outcome(() => new DatabaseSync(':memory:'), use);
  expect(await outcome(() => new AsyncDatabase(':memory:'), use)).toEqual(expected);
});

test('most of these do not fail, and not the same thing happens in all of them', async () => {
  const all = await Promise.all(
    Object.values(uses).map((use) => outcome(() => new DatabaseSync(':memory:'), use)),
  );
  expect(
    new Set(all.map((one) => JSON.stringify(one, (_, v) => (typeof v === 'bigint' ? `${v}` : v)))).size,
  ).toBeGreaterThan(40);
});

describe('the constructor throws at once', () => {
  test.each<[string, unknown[]]>([
    ['no path', []],
    ['a NUL', ['a\0b']],
    ['wrong options', [':memory:', null]],
    ['a wrong option', [':memory:', { readOnly: 1 }]],
    ['a wrong limit', [':memory:', { limits: { column: -1 } }]],
    ['a wrong vfs', [':memory:', { vfs: 1 }]],
  ])('%s', (_, args) => {
    const make = (Class: Any) => describeThrown(() => new Class(...args));
    expect(make(AsyncDatabase)).toEqual(make(DatabaseSync));
  });
});

test('options count', async () => {
  const options = {
    readOnly: false,
    limits: { column: 2 },
    returnArrays: true,
    enableForeignKeyConstraints: false,
  };
  const db = new AsyncDatabase(':memory:', options);
  expect(await (await db.prepare('pragma foreign_keys')).get()).toEqual([0]);
  expect(db.limits.column).toBe(2);
  const readOnly = new AsyncDatabase('missing.db', { readOnly: true });
  expect(await rejected(readOnly.exec('select 1'))).toEqual(
    describeThrown(() => new DatabaseSync('missing.db', { readOnly: true })),
  );
});

/** Names of an object's class, but for what tells one build from the other. */
const members = (prototype: object) =>
  Object.getOwnPropertyNames(prototype)
    .filter((name) => !['constructor', 'engine', 'again'].includes(name))
    .sort();

test('the names are the same', () => {
  expect(members(AsyncDatabase.prototype)).toEqual([]);
  // Calls of others have their turns between those of a function that waits, and would be in its transaction.
  const names = members(DatabaseSync.prototype).filter((name) => name !== 'transaction');
  expect(members(Object.getPrototypeOf(AsyncDatabase.prototype))).toEqual(names);
  expect(members(AsyncStatement.prototype)).toEqual(members(StatementSync.prototype));
  expect(AsyncDatabase.prototype[Symbol.asyncDispose]).toBeTypeOf('function');
  expect(AsyncStatement.prototype[Symbol.asyncDispose]).toBeTypeOf('function');
});

test('nobody can make a statement but a database', () => {
  expect(describeThrown(() => new (AsyncStatement as Any)())).toEqual(
    describeThrown(() => new (StatementSync as Any)()),
  );
});
