// Classes written for wa-sqlite whose methods are async, on SQLite that waits.

import { describe, expect, test } from 'vitest';
import { fromWaSqlite, waSqliteModule } from '../../src/compat/wa-sqlite.js';
import { cases, type Subject } from '../../src/testing.js';
import { RawVFS } from '../compat/raw-vfs.js';
import { MemoryAsyncVFS, memoryFaults } from '../compat/theirs.js';
import { jspiEngine } from './engine.js';

/** All of whose methods answer later, when memory may be another. */
class LateRawVFS extends RawVFS {
  override hasAsyncMethod(): boolean {
    return true;
  }
}

for (const name of [
  'xOpen',
  'xClose',
  'xRead',
  'xWrite',
  'xTruncate',
  'xFileSize',
  'xDelete',
  'xAccess',
] as const) {
  const now = RawVFS.prototype[name] as (...numbers: number[]) => number;
  Object.assign(LateRawVFS.prototype, {
    async [name](this: LateRawVFS, ...numbers: number[]) {
      await new Promise((done) => setImmediate(done));
      // It grows under the hands of whoever waits.
      this._module._sqlite3_free(
        this._module._sqlite3_malloc(this._module.HEAPU8.length > 2 ** 20 ? 16 : 2 ** 17),
      );
      return now.apply(this, numbers);
    },
  });
}

describe.each<[name: string, subject: Subject, faults: string[]]>([
  [
    'MemoryAsyncVFS',
    {
      name: 'MemoryAsyncVFS',
      // What its `create` answers is a MemoryVFS.
      create: () => fromWaSqlite(new MemoryAsyncVFS('theirs', waSqliteModule())),
    },
    memoryFaults,
  ],
  ['a raw class', { name: 'raw', create: () => fromWaSqlite(new LateRawVFS('raw', waSqliteModule())) }, []],
])('%s', (_, subject, faults) => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const outcome = await one.run(subject, { engine: jspiEngine }).then(
      ({ outcome }) => outcome,
      () => 'failed',
    );
    if (faults.includes(one.name)) expect(outcome).toBe('failed');
    else expect(outcome).not.toBe('failed');
  });
});
