// Hooks, the progress handler, interrupt and collations, on both builds: what node:sqlite does not have.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DatabaseSync, init } from '../src/index.js';
import { rejected, type Thrown } from './api/errors.js';
import { AsyncDatabase } from './async/subject.js';

beforeAll(() => init());

// Each of them is called with what the types of the other would not allow.
// biome-ignore lint/suspicious/noExplicitAny: both at once.
type Any = any;

/** What a call throws, at once or later. */
const fails = (use: () => unknown): Promise<Thrown> => rejected(Promise.resolve().then(use));

const boom = () => {
  throw new RangeError('boom');
};

const COUNT =
  'with recursive c(i) as (select 1 union all select i + 1 from c limit 1000000) select count(*) n from c';

describe.each([
  ['DatabaseSync', () => new DatabaseSync(':memory:')],
  ['AsyncDatabase', () => new AsyncDatabase(':memory:')],
])('%s', (_, open) => {
  let db: Any;
  const all = async (sql: string) => (await (await db.prepare(sql)).all()).flatMap(Object.values);
  const names = () => all('select name from t order by id');

  beforeEach(async () => {
    db = open();
    await db.exec(
      "create table t(id integer primary key, name text); insert into t values (1, 'one'), (2, 'two')",
    );
  });

  describe('the update hook', () => {
    test('is told of each row', async () => {
      const changes: unknown[] = [];
      await db.setUpdateHook((change: unknown) => changes.push(change));
      await db.exec(
        "insert into t values (3, 'x'); update t set name = 'y' where id > 1; delete from t where id = 1",
      );
      await db.exec('insert into t(id) values (1152921504606846976)');
      const change = (operation: string, rowid: unknown) => ({
        operation,
        dbName: 'main',
        table: 't',
        rowid,
      });
      expect(changes).toEqual([
        change('insert', 3),
        change('update', 2),
        change('update', 3),
        change('delete', 1),
        change('insert', 2n ** 60n),
      ]);
      await db.setUpdateHook(null);
      await db.exec('delete from t');
      expect(changes).toHaveLength(5);
    });

    test('what it throws undoes a statement of its own, and not a transaction', async () => {
      let calls = 0;
      await db.setUpdateHook(() => {
        calls++;
        boom();
      });
      const uses: (() => unknown)[] = [
        () => db.exec("update t set name = 'x'"),
        async () => (await db.prepare("update t set name = 'x'")).run(),
        async () => (await db.prepare("update t set name = 'x' returning id")).all(),
        async () => (await db.prepare("update t set name = 'x' returning id")).get(),
        async () => {
          for await (const _ of (await db.prepare("update t set name = 'x' returning id")).iterate());
        },
      ];
      for (const use of uses) {
        expect(await fails(use)).toEqual({ name: 'RangeError', message: 'boom' });
        expect(await names()).toEqual(['one', 'two']);
      }
      expect(calls).toBe(uses.length);
      await db.exec('begin');
      expect(await fails(() => db.exec("update t set name = 'x'"))).toMatchObject({ message: 'boom' });
      expect(db.isTransaction).toBe(true);
      await db.exec('rollback');
      await db.setUpdateHook(null);
      await db.exec("update t set name = 'x'");
      expect(await names()).toEqual(['x', 'x']);
    });
  });

  test('hooks cannot use the database, nor close it', async () => {
    if (!(db instanceof DatabaseSync)) return;
    const errors: Thrown[] = [];
    const statement = db.prepare('select 1');
    const uses = [
      () => db.exec('select 1'),
      () => statement.get(),
      () => db.openBlob('t', 'name', 1),
      () => db.close(),
    ];
    db.setUpdateHook(async () => {
      for (const use of uses) {
        try {
          use();
        } catch (error) {
          errors.push(error as Thrown);
        }
      }
    });
    db.exec('delete from t where id = 1');
    expect(errors.map(({ code }) => code)).toEqual(Array(4).fill('ERR_INVALID_STATE'));
    expect(errors.map(({ message }) => message)).toEqual([
      ...Array(3).fill('database cannot be accessed from a hook, a progress handler or a collation'),
      'database cannot be closed while in a callback',
    ]);
    expect(statement.get()).toEqual({ 1: 1 });
  });

  describe('commit and rollback hooks', () => {
    test('are called at each', async () => {
      const calls: string[] = [];
      await db.setCommitHook(() => calls.push('commit'));
      await db.setRollbackHook(() => calls.push('rollback'));
      await db.exec('delete from t where id = 1; begin; delete from t; rollback; select 1');
      expect(calls).toEqual(['commit', 'rollback']);
      await db.setCommitHook(null);
      await db.setRollbackHook(null);
      await db.exec('delete from t where id = 2; begin; delete from t; rollback');
      expect(calls).toHaveLength(2);
    });

    test('a commit is refused by true, and by throwing', async () => {
      await db.setCommitHook(() => true);
      expect(await fails(() => db.exec('delete from t'))).toMatchObject({ errcode: 531 });
      let rollbacks = 0;
      await db.setRollbackHook(() => {
        rollbacks++;
      });
      await db.setCommitHook(boom);
      await db.exec('begin; delete from t');
      expect(await fails(() => db.exec('commit'))).toEqual({ name: 'RangeError', message: 'boom' });
      expect(db.isTransaction).toBe(false);
      expect(rollbacks).toBe(1);
      await db.setCommitHook(null);
      expect(await names()).toEqual(['one', 'two']);
    });

    test('what a rollback hook throws is thrown, and a close calls none', async () => {
      await db.setRollbackHook(boom);
      await db.exec('begin');
      expect(await fails(() => db.exec('rollback'))).toMatchObject({ message: 'boom' });
      expect(db.isTransaction).toBe(false);
      await db.exec('begin; delete from t');
      await db.close();
      expect(db.isOpen).toBe(false);
    });
  });

  describe('the pre-update hook', () => {
    test('has the values before and after', async () => {
      const changes: Any[] = [];
      await db.setPreupdateHook((change: unknown) => changes.push(change));
      await db.exec(`
        insert into t values (3, 'x');
        update t set id = 9007199254740993, name = null where id = 3;
        delete from t where id = 1`);
      const common = { dbName: 'main', table: 't', depth: 0, blobColumn: -1 };
      expect(changes).toEqual([
        { ...common, operation: 'insert', old: null, new: { rowid: 3, values: [3, 'x'] } },
        {
          ...common,
          operation: 'update',
          old: { rowid: 3, values: [3, 'x'] },
          new: { rowid: 9007199254740993n, values: [9007199254740993n, null] },
        },
        { ...common, operation: 'delete', old: { rowid: 1, values: [1, 'one'] }, new: null },
      ]);
      await db.setPreupdateHook(null);
      await db.exec('delete from t');
      expect(changes).toHaveLength(3);
    });

    test('of many columns, in triggers, and of blobs that are written in part', async () => {
      const columns = Array.from({ length: 20 }, (_, i) => `c${i}`);
      await db.exec(`
        create table wide(${columns});
        create trigger tr after delete on t begin insert into wide(c0, c19) values (old.id, x'0102'); end`);
      const changes: Any[] = [];
      await db.setPreupdateHook((change: unknown) => changes.push(change));
      await db.exec('delete from t where id = 1');
      expect(changes.map(({ table, depth }) => [table, depth])).toEqual([
        ['t', 0],
        ['wide', 1],
      ]);
      expect(changes[1].new.values).toHaveLength(20);
      const blob = await db.openBlob('wide', 'c19', 1);
      await blob.write(new Uint8Array([9]));
      await blob.close();
      expect(changes[2]).toMatchObject({ operation: 'update', blobColumn: 19, new: null });
      expect(changes[2].old.values[19]).toEqual(new Uint8Array([1, 2]));
    });

    test('excludes sessions, and they it', async () => {
      const session = await db.createSession();
      expect(await fails(() => db.setPreupdateHook(() => {}))).toMatchObject({
        code: 'ERR_INVALID_STATE',
        message: expect.stringContaining('exclude each other'),
      });
      await db.setPreupdateHook(null);
      await db.exec('delete from t where id = 1');
      expect((await session.changeset()).length).toBeGreaterThan(0);
      await session.close();
      await db.setPreupdateHook(boom);
      expect(await fails(() => db.createSession())).toMatchObject({ code: 'ERR_INVALID_STATE' });
      expect(await fails(() => db.exec('delete from t'))).toMatchObject({ message: 'boom' });
      expect(await names()).toEqual(['two']);
      await db.setPreupdateHook(null);
      await (await db.createSession()).close();
    });
  });

  describe('what runs is interrupted', () => {
    test('by a progress handler', async () => {
      let calls = 0;
      await db.setProgressHandler(() => ++calls === 5, { steps: 100 });
      expect(await fails(() => all(COUNT))).toMatchObject({ errcode: 9, message: 'interrupted' });
      expect(calls).toBe(5);
      await db.setProgressHandler(boom);
      expect(await fails(() => all(COUNT))).toEqual({ name: 'RangeError', message: 'boom' });
      await db.setProgressHandler(null);
      expect(await all(COUNT)).toEqual([1_000_000]);
    });

    test('by interrupt, in a function and in a handler; it has no effect on what comes later', async () => {
      await db.function('stop', () => {
        db.interrupt();
        return 1;
      });
      expect(await fails(() => all(`select stop() from (${COUNT}), t a, t b, t c`))).toMatchObject({
        errcode: 9,
      });
      await db.setProgressHandler(() => db.interrupt());
      expect(await fails(() => all(COUNT))).toMatchObject({ errcode: 9 });
      await db.setProgressHandler(null);
      db.interrupt();
      expect(await names()).toEqual(['one', 'two']);
    });
  });

  describe('a collation', () => {
    const byLength = (a: string, b: string) => a.length - b.length;

    test('orders, and may take the place of another one', async () => {
      await db.exec("insert into t values (3, 'drei ☃'), (4, '')");
      await db.collation('mine', byLength);
      expect(await all('select name from t order by name collate mine, id')).toEqual([
        '',
        'one',
        'two',
        'drei ☃',
      ]);
      await db.collation('mine', (a: string, b: string) => Infinity * byLength(b, a) || 0);
      expect(await all('select name from t order by name collate mine, id')).toEqual([
        'drei ☃',
        'one',
        'two',
        '',
      ]);
      await db.collation('mine', null);
      expect(await fails(() => all('select name from t order by name collate mine'))).toMatchObject({
        message: 'no such collation sequence: mine',
      });
      await db.collation('nocase', byLength);
      expect(await all("select 'a' = 'b' collate nocase")).toEqual([1]);
    });

    test('what it throws, or answers that is no number, is thrown, and no index is damaged', async () => {
      let isWrong = false;
      await db.collation('mine', (a: string, b: string) => {
        if (isWrong) boom();
        return a < b ? -1 : Number(a > b);
      });
      await db.exec('create index i on t(name collate mine)');
      isWrong = true;
      expect(await fails(() => all("select name from t order by name || '' collate mine desc"))).toEqual({
        name: 'RangeError',
        message: 'boom',
      });
      expect(await fails(() => db.exec("insert into t values (3, 'three'), (4, 'x')"))).toMatchObject({
        message: 'boom',
      });
      isWrong = false;
      expect(await all('pragma integrity_check')).toEqual(['ok']);
      expect(await names()).toEqual(['one', 'two']);
      for (const answer of [NaN, '1', 1n, undefined]) {
        await db.collation('wrong', () => answer);
        expect(await fails(() => all('select name from t order by name collate wrong'))).toMatchObject({
          code: 'ERR_INVALID_ARG_TYPE',
        });
      }
    });

    test('stays while a statement uses it', async () => {
      await db.collation('mine', byLength);
      const rows = (
        await db.prepare(
          'with recursive c(i) as (select 1 union all select i + 1 from c limit 100) select i from c',
        )
      ).iterate();
      await rows.next();
      const busy = await (async () => {
        try {
          await db.collation('mine', null);
          return undefined;
        } catch (error) {
          return error as Thrown;
        }
      })();
      expect(busy).toMatchObject({
        errcode: 5,
        message: 'unable to delete/modify collation sequence due to active statements',
      });
      await rows.return();
      await db.collation('mine', null);
    });
  });

  test('wrong arguments', async () => {
    const wrong: (() => unknown)[] = [
      () => db.setUpdateHook(),
      () => db.setPreupdateHook(1),
      () => db.setCommitHook('x'),
      () => db.setRollbackHook({}),
      () => db.setProgressHandler(),
      () => db.setProgressHandler(boom, { steps: '1' }),
      () => db.collation(1, boom),
      () => db.collation('x'),
    ];
    for (const use of wrong) expect(await fails(use)).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' });
    expect(await fails(() => db.setProgressHandler(boom, { steps: 0 }))).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
    });
    expect(await fails(() => db.collation('a\0b', boom))).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' });
  });

  test('they go with the connection', async () => {
    await db.setCommitHook(boom);
    await db.setProgressHandler(boom, { steps: 1 });
    await db.close();
    await db.open();
    await db.exec('create table u(x); insert into u values (1)');
    expect(await all('select x from u')).toEqual([1]);
  });
});
