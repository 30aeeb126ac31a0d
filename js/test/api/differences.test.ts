import { describe, expect, test } from 'vitest';
import { thrown } from './errors.js';
import { DatabaseSync, StatementSync, subject, wrong } from './subject.js';

/**
 * All that is known to differ from Node's `node:sqlite` apart from what is not there (`surface.test.ts`): with Node's answer
 * and ours. Both are tested, so that none of it is stale.
 */
interface Difference {
  when: string;
  because: string;
  /** What it answers is compared; if it throws, the message. */
  run(): unknown;
  node: unknown;
  ours: unknown;
}

const open = () => new DatabaseSync(':memory:');

const COUNT = 'with recursive c(i) as (select 1 union all select i + 1 from c limit ?) select i from c';
const end = { done: true, value: null };

function threeRows() {
  const db = open();
  db.exec('create table t(a integer primary key); insert into t values(1), (2), (3)');
  return db;
}

function transferred() {
  const buffer = new ArrayBuffer(4);
  structuredClone(buffer, { transfer: [buffer] });
  return buffer;
}

const modules: Difference[] = [3, 4].map((version) => ({
  when: `a table uses fts${version}`,
  because:
    'the wasm file would be 33 KB larger for what FTS5 has replaced; another one has it, sqlite-vfs-kit/fts3/wasm',
  run: () => open().exec(`create virtual table t using fts${version}(a)`),
  node: undefined,
  ours: `no such module: fts${version}`,
}));

const parameters: Difference[] = [
  {
    when: 'an ArrayBuffer of no length is bound',
    because: 'a value does not change its type with its length, and an empty array is a blob to Node too',
    run: () => open().prepare('select typeof(?) t').get(new ArrayBuffer(0)),
    node: { t: 'null' },
    ours: { t: 'blob' },
  },
  {
    when: 'an ArrayBuffer that was transferred away is bound',
    because: 'its bytes are lost, and storing nothing in their place would hide it',
    run: () => open().prepare('select length(?) n').get(transferred()),
    node: { n: null },
    ours: 'Cannot perform Construct on a detached ArrayBuffer',
  },
  {
    when: 'parameters are refused',
    because: 'nothing is bound before all is known to be good',
    run: () => {
      const statement = open().prepare('select ?, ?');
      statement.get(1, 2);
      thrown(() => statement.get(5, wrong(Symbol('x'))));
      return statement.expandedSQL;
    },
    node: 'select 5.0, NULL',
    ours: 'select 1.0, 2.0',
  },
  {
    when: 'bytes that were bound are changed, and then expandedSQL is asked for',
    because: 'SQLite reads parameters where they are and keeps no copy, so they are bound again for it',
    run: () => {
      const statement = open().prepare('select ?');
      const bytes = new Uint8Array([1]);
      statement.get(bytes);
      bytes[0] = 9;
      return statement.expandedSQL;
    },
    node: "select x'01'",
    ours: "select x'09'",
  },
  {
    when: 'a getter of the parameters uses the statement',
    because: 'parameters are read before the statement is touched',
    run: () => {
      const statement = open().prepare('select $a a, $b b');
      return statement.get({
        a: 1,
        get b() {
          return statement.get({ a: 7, b: 8 })?.b as number;
        },
      });
    },
    node: 'statement is already being executed',
    ours: { a: 1, b: 8 },
  },
  {
    when: 'a getter of the parameters closes the statement',
    because: 'parameters are read before the statement is touched',
    run: () => {
      const statement = open().prepare('select $a a');
      return statement.get({
        get a() {
          statement.close();
          return 1;
        },
      });
    },
    node: 'statement is already being executed',
    ours: 'statement has been finalized',
  },
];

const iterators: Difference[] = [
  {
    when: 'a row is deleted while an iterator is before it',
    because: 'an iterator reads ahead: 16 rows at first, then more at a time',
    run: () => {
      const db = threeRows();
      const seen: unknown[] = [];
      for (const { a } of db.prepare('select a from t').iterate()) {
        seen.push(a);
        db.exec('delete from t where a = 3');
      }
      return seen;
    },
    node: [1, 2],
    ours: [1, 2, 3],
  },
  {
    when: 'a table is dropped while an iterator is in its few rows',
    because: 'an iterator reads ahead, and is through with a short result at its first row',
    run: () => {
      const db = threeRows();
      db.prepare('select a from t').iterate().next();
      return db.exec('drop table t');
    },
    node: 'database table is locked',
    ours: undefined,
  },
  {
    when: 'a switch is set while an iterator is in the middle',
    because: 'an iterator reads ahead, and rows that are read stay as they are',
    run: () => {
      const statement = open().prepare(COUNT);
      const rows = statement.iterate(3);
      rows.next();
      statement.setReadBigInts(true);
      return rows.next().value;
    },
    node: { i: 2n },
    ours: { i: 2 },
  },
  {
    when: 'an iterator is asked on after an error',
    because: 'an iterator that has failed is at its end, and does not begin again',
    run: () => {
      const rows = open()
        .prepare('select abs(value) v from json_each(?)')
        .iterate('[1, -9223372036854775808, 3]');
      rows.next();
      thrown(() => rows.next());
      return rows.next();
    },
    node: { done: false, value: { v: 1 } },
    ours: end,
  },
  {
    when: 'an iterator is asked on after an integer that is too large',
    because: 'whoever goes on would have lost a row without noticing',
    run: () => {
      const rows = open().prepare('select 9007199254740993 a union all select 2').iterate();
      thrown(() => rows.next());
      return rows.next();
    },
    node: { done: false, value: { a: 2 } },
    ours: end,
  },
  {
    when: 'a statement is used after its iterator has failed',
    because: 'an error is told once',
    run: () => {
      const statement = open().prepare('select abs(?) v');
      thrown(() => [...statement.iterate(-9223372036854775808n)]);
      return statement.all(-1);
    },
    node: 'integer overflow',
    ours: [{ v: 1 }],
  },
  {
    when: 'an invalidated iterator is returned while another reads',
    because: 'the other one is not sent back to its beginning',
    run: () => {
      const statement = open().prepare(COUNT);
      const first = statement.iterate(90);
      first.next();
      const second = statement.iterate(90);
      second.next();
      first.return?.();
      return second.next().value;
    },
    node: { i: 1 },
    ours: { i: 2 },
  },
];

const functions: Difference[] = [
  {
    when: 'a function has a name that SQLite refuses',
    because: 'an error says what is wrong',
    run: () => open().function('f'.repeat(256), () => 1),
    node: 'not an error',
    ours: "A function's name has at most 255 bytes, and it takes at most 1000 arguments.",
  },
  {
    when: 'a step of an aggregate that has a result throws',
    because: 'what is thrown is what the caller gets, and nothing is made of what there was before',
    run: () => {
      const db = open();
      db.aggregate('f', {
        start: 0,
        step: () => {
          throw new Error('thrown');
        },
        result: () => 1,
      });
      return db.prepare('select f()').get();
    },
    node: '',
    ours: 'thrown',
  },
  {
    when: 'a function is called for some rows only, and an iterator is before them',
    because: 'an iterator reads ahead as far as the next call',
    run: () => {
      const db = open();
      const calls: unknown[] = [];
      db.function('f', (value) => calls.push(value));
      const sql = "select iif(value = 3, f(value), value) v from json_each('[1, 2, 3, 4]')";
      db.prepare(sql).iterate().next();
      return calls;
    },
    node: [],
    ours: [3],
  },
];

const others: Difference[] = [
  {
    when: 'an extension is loaded',
    because: 'SQLite in wasm has no libraries to load',
    run: () => new DatabaseSync(':memory:', { allowExtension: true }).loadExtension('/none'),
    node: '/none.so: cannot open shared object file: No such file or directory',
    ours:
      '/none cannot be loaded: SQLite in WebAssembly has no libraries to load. ' +
      'Use what is built in, or `function` and `aggregate`.',
  },
  {
    when: 'run is used on a SELECT that fails after its first row',
    because: 'run runs a statement to its end',
    run: () => typeof open().prepare('select abs(value) from json_each(?)').run('[1, -9223372036854775808]'),
    node: 'object',
    ours: 'integer overflow',
  },
  {
    when: 'load_extension is called in SQL',
    because: 'SQLite in wasm has no libraries to load, so it is left out',
    run: () => open().prepare("select load_extension('x')").get(),
    node: 'not authorized',
    ours: 'no such function: load_extension',
  },
  {
    when: 'a file that is missing is opened for reading',
    because: "the VFS's reason is part of the message",
    run: () => new DatabaseSync('/no/folder/x.db', { readOnly: true }),
    node: 'unable to open database file',
    ours: "unable to open database file: there is no file '/no/folder/x.db'",
  },
  {
    when: 'DatabaseSync is called without new',
    because: 'it is a class of the language, which says so itself',
    run: () => (DatabaseSync as unknown as () => unknown)(),
    node: 'Cannot call constructor without `new`',
    ours: "Class constructor DatabaseSync cannot be invoked without 'new'",
  },
  {
    when: 'the classes are asked for their names',
    because: 'they have those by which they are known',
    run: () => [DatabaseSync.name, StatementSync.name],
    node: ['Database', 'Statement'],
    ours: ['DatabaseSync', 'StatementSync'],
  },
  {
    when: 'the own properties of a database, and methods of its class, are listed',
    because: 'getters and methods are where and how classes of the language have them',
    run: () => [Object.keys(open()).includes('isOpen'), Object.keys(DatabaseSync.prototype).includes('exec')],
    node: [true, true],
    ours: [false, false],
  },
  {
    when: 'two connections ask for one shared cache',
    because: 'shared caches are left out: SQLite itself advises against them, and MemoryVFS shares files',
    run: () => {
      const uri = 'file:shared?mode=memory&cache=shared';
      const first = new DatabaseSync(uri);
      first.exec('create table t(a)');
      return new DatabaseSync(uri).prepare('select count(*) n from t').get();
    },
    node: { n: 0 },
    ours: 'no such table: t',
  },
  {
    when: 'the size of the page cache is asked for',
    because: 'it is measured for wasm',
    run: () => open().prepare('pragma cache_size').get(),
    node: { cache_size: -2000 },
    ours: { cache_size: -16384 },
  },
];

describe.each([
  ['modules', modules],
  ['parameters', parameters],
  ['iterators', iterators],
  ['functions', functions],
  ['the rest', others],
])('Node and this package differ: %s:', (_, differences) => {
  test.each(differences)('when $when, because $because', ({ run, node, ours }) => {
    let answer: unknown;
    try {
      answer = run();
    } catch (error) {
      answer = (error as Error).message;
    }
    expect(answer).toEqual(subject === 'node' ? node : ours);
    expect(node).not.toEqual(ours);
  });
});
