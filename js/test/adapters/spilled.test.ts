// A transaction that was larger than its cache, and whose commit is a batch that the store has no room for: SQLite itself would leave
// the pages that it had written before. What is wrong with it: src/register/file_methods.rs.

import { beforeAll, expect, test } from 'vitest';
import { initStores, MemoryVFS } from '../../src/stores.js';
import { allBuilds, type Build, codeOf } from './builds.js';

const SQLITE_FULL = 13;

let builds: Build[];

beforeAll(async () => {
  await initStores();
  builds = await allBuilds();
});

test('a VACUUM that spills and then does not fit leaves the database whole', async () => {
  for (const build of builds) {
    let failures = 0;
    for (let kib = 240; ; kib += 8) {
      const name = `spilled ${kib}`;
      const registration = build.register(new MemoryVFS({ maxBytes: kib * 1024 }), { name });
      const db = await build.open('x.db', name);
      await db.sql('PRAGMA journal_mode = memory');
      await db.sql('CREATE TABLE t (k INTEGER PRIMARY KEY, v)');
      await db.sql(
        'WITH n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 400) INSERT INTO t SELECT k, zeroblob(500) FROM n',
      );
      await db.sql(
        'PRAGMA cache_size = 5; PRAGMA cache_spill = 5; PRAGMA temp_store = memory; PRAGMA page_size = 65536',
      );
      const code = await codeOf(db.sql('VACUUM'));
      const context = `${build.name}, ${kib} KiB`;
      expect(await db.sql('PRAGMA integrity_check'), context).toEqual([['ok']]);
      expect(await db.sql('SELECT count(*), sum(k), sum(length(v)) FROM t'), context).toEqual([
        [400, 80_200, 200_000],
      ]);
      await db.close();
      registration.unregister();
      if (code === 0) break;
      expect(code, context).toBe(SQLITE_FULL);
      failures += 1;
    }
    expect(failures, build.name).toBeGreaterThan(0);
  }
});
