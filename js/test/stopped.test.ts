import { beforeAll, expect, test } from 'vitest';
import { DatabaseSync, getVFS, init } from '../src/index.js';

beforeAll(() => init());

/** Columns of which each is computed from the one before: SQLite goes as deep as there are columns. */
function deep(columns: number): string {
  const generated = Array.from({ length: columns }, (_, i) => `g${i} as (${i ? `g${i - 1}` : 'a'} + 1)`);
  return `create table deep(a, ${generated.join(', ')})`;
}

test('after a stack overflow in the middle of a call every call says so, and none works on what is left', () => {
  const db = new DatabaseSync('other.db');
  const statement = db.prepare('select 1');
  const calls: (() => unknown)[] = [
    () => new DatabaseSync(':memory:').exec(deep(1900)),
    () => statement.get(),
    () => statement.all(),
    () => statement.close(),
    () => db.exec('select 1'),
    () => db.prepare('select 1'),
    () => db.close(),
    () => new DatabaseSync(':memory:'),
    () => getVFS(),
  ];
  for (const call of calls) {
    let error: unknown;
    try {
      call();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'ERR_INVALID_STATE', cause: expect.any(RangeError) });
    expect(String(error)).toContain('SQLite was stopped in the middle of a call');
    expect(String(error)).toContain('Call init() for a fresh SQLite');
  }
});
