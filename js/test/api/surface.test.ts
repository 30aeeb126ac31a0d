import { expect, test } from 'vitest';
import { DatabaseSync, StatementSync, sqlite, subject } from './subject.js';

/** What Node's has and this package does not: all of it is to come, unless a reason is given. */
const missing = {
  module: [],
  database: ['createModule'],
  statement: [],
};

const nodes = {
  module: ['Database', 'DatabaseSync', 'Session', 'Statement', 'StatementSync', 'backup', 'constants'],
  database: [
    'aggregate',
    'applyChangeset',
    'close',
    'createModule',
    'createSession',
    'createTagStore',
    'deserialize',
    'enableDefensive',
    'enableLoadExtension',
    'exec',
    'function',
    'isOpen',
    'isTransaction',
    'limits',
    'loadExtension',
    'location',
    'open',
    'prepare',
    'serialize',
    'setAuthorizer',
  ],
  statement: [
    'all',
    'close',
    'columns',
    'expandedSQL',
    'get',
    'iterate',
    'resetStats',
    'run',
    'setAllowBareNamedParameters',
    'setAllowUnknownNamedParameters',
    'setReadBigInts',
    'setReturnArrays',
    'sourceSQL',
    'stat',
  ],
};

const added = {
  module: [
    'FacadeFile',
    'FacadeVFS',
    'VFS',
    'VFSError',
    'WalIndex',
    'getVFS',
    'init',
    'registerVFS',
    'sqliteVersion',
    'unregisterVFS',
  ],
  database: [
    'checkpoint',
    'collation',
    'executeMany',
    'interrupt',
    'openBlob',
    'pragma',
    'setCommitHook',
    'setPreupdateHook',
    'setProgressHandler',
    'setRollbackHook',
    'setUpdateHook',
    'status',
    'store',
    'transaction',
  ],
  statement: [],
};

/** Names of an object and its prototype. */
function members(object: object): string[] {
  const names = [object, Object.getPrototypeOf(object)].flatMap(Object.getOwnPropertyNames);
  return [...new Set(names)].filter((name) => name !== 'constructor').sort();
}

const db = new DatabaseSync(':memory:');
const found = {
  module: Object.keys(sqlite)
    .filter((name) => name !== 'default')
    .sort(),
  database: members(db),
  statement: members(db.prepare('select 1')),
};

test.each(['module', 'database', 'statement'] as const)(
  'the %s has the names of Node, but for those listed',
  (part) => {
    const expected = nodes[part].filter((name) => !(missing[part] as string[]).includes(name));
    // What is there without being expected is new: then it is to be tested, and the list is too long.
    if (subject === 'node') expect(found[part]).toEqual(nodes[part]);
    else expect(found[part].filter((name) => !(added[part] as string[]).includes(name))).toEqual(expected);
  },
);

test('Database and Statement are other names of the two classes', () => {
  expect(sqlite.Database).toBe(DatabaseSync);
  expect(sqlite.Statement).toBe(StatementSync);
});

test('both can be disposed of', () => {
  expect(DatabaseSync.prototype[Symbol.dispose]).toBeTypeOf('function');
  expect(StatementSync.prototype[Symbol.dispose]).toBeTypeOf('function');
});

test('the constants are those of Node, with its values', async () => {
  const { constants } = await import('../../src/constants.js');
  expect(Object.keys(constants)).toHaveLength(45);
  if (subject === 'node') expect((sqlite as unknown as { constants: object }).constants).toEqual(constants);
});
