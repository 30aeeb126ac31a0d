// Copies between stores that are waited for. Real JSPI only.

import { beforeAll, expect, test } from 'vitest';
import { AsyncDatabase, backup, init, MemoryAsyncVFS, registerVFS } from '../../src/jspi.js';
import { rejected, state } from '../api/errors.js';

beforeAll(async () => {
  await init();
  registerVFS(new MemoryAsyncVFS('from'));
  registerVFS(new MemoryAsyncVFS('to'));
});

async function source(name: string) {
  const db = await AsyncDatabase.open(name, { vfs: 'from' });
  await db.exec(`create table t(i integer primary key, s text); insert into t
    with recursive c(i) as (select 1 union all select i + 1 from c limit 2000) select i, printf('%0400d', i) from c`);
  return db;
}

const all = async (db: AsyncDatabase, sql: string) => (await db.prepare(sql)).all();

test('a database is copied from one store to another, while it is written', async () => {
  const db = await source('whole.db');
  let calls = 0;
  let written: Promise<void> | undefined;
  const progress = () => {
    if (++calls === 2) written = db.exec("insert into t values (9999, 'meanwhile')");
  };
  const copied = backup(db, 'file:copy.db?vfs=to', { rate: 20, progress });
  const counted = all(db, 'select count(*) n from t');
  const pages = await copied;
  await written;
  expect(await counted).toEqual([{ n: 2000 }]);
  expect(await all(db, 'pragma page_count')).toEqual([{ page_count: pages }]);
  const copy = await AsyncDatabase.open('copy.db', { vfs: 'to' });
  expect(await all(copy, 'select count(*) n from t')).toEqual([{ n: 2001 }]);
  expect(await all(copy, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  await copy.close();
  await db.close();
});

test('it ends when the database is closed', async () => {
  const db = await source('closed.db');
  let closed: Promise<void> | undefined;
  const copied = backup(db, 'closed.db', {
    vfs: 'to',
    rate: 5,
    progress: () => {
      closed ??= db.close();
    },
  });
  expect(await rejected(copied)).toEqual(state('database is not open'));
  await closed;
  expect(db.isOpen).toBe(false);
});
