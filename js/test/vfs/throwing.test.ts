// Whatever a method throws, whenever: it stops at the boundary, the SQL call fails with it or has no use for it, and goes on.

import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { DatabaseSync, init, registerVFS, unregisterVFS, VFS, VFSError, WalIndex } from '../../src/index.js';
import { errorOf } from './thrown.js';

beforeAll(() => init());
afterEach(() => unregisterVFS('torn'));

type Method = (...args: never[]) => unknown;

let indexes = 0;

/** A VFS with every method there is, each of which can be made to throw at its n-th call. */
class TornVFS extends MapVFS {
  /** No other VFS's index is this one's. */
  readonly file = ++indexes;
  method = '';
  nth = 0;
  calls = 0;
  error: unknown;

  constructor(readonly logged: boolean) {
    super('torn');
    for (const method of ['open', 'delete', 'exists', 'fullPathname']) this.#tear(this, method);
  }

  override open(path: string | null, flags: number) {
    const locks = { lock() {}, unlock() {}, hasReservedLock: () => false };
    const more = { sectorSize: () => 512, deviceCharacteristics: () => 0, pragma() {}, fileControl() {} };
    const file = Object.assign(super.open(path, flags), locks, more);
    for (const method of [
      'read',
      'write',
      'truncate',
      'sync',
      'size',
      'close',
      ...Object.keys({ ...locks, ...more }),
    ]) {
      this.#tear(file, method);
    }
    if (!this.logged || !(flags & VFS.SQLITE_OPEN_MAIN_DB)) return file;
    const walIndex = new WalIndex(`torn/${this.file}/${path}`);
    for (const method of ['map', 'lock', 'barrier', 'unmap'])
      this.#tear(walIndex, method, `walIndex.${method}`);
    return Object.assign(file, { walIndex });
  }

  override fullPathname(name: string): string {
    return name;
  }

  #tear(object: object, method: string, name = method): void {
    const methods = object as Record<string, Method>;
    const original = (methods[method] as Method).bind(object);
    methods[method] = (...args) => {
      // What is not given back stays taken, and SQLite cannot do anything about it.
      const givesBack = name === 'walIndex.lock' && (Number(args[2]) & VFS.SQLITE_SHM_UNLOCK) !== 0;
      if (name === this.method && !givesBack && ++this.calls === this.nth) throw this.error;
      return original(...args);
    };
  }
}

const names = [
  ...['open', 'delete', 'exists', 'fullPathname'],
  ...['read', 'write', 'truncate', 'sync', 'size', 'close', 'lock', 'unlock'],
  ...['sectorSize', 'deviceCharacteristics', 'pragma', 'fileControl'],
];
const indexNames = ['map', 'lock', 'barrier', 'unmap'].map((name) => `walIndex.${name}`);

/** Each of these throws, at its n-th call, until there is no such call. */
describe.each([
  ['delete', names],
  ['wal', [...names, ...indexNames]],
])('journal_mode=%s', (mode, methods) => {
  test.each(methods)('%s', (method) => {
    const vfs = new TornVFS(mode === 'wal');
    registerVFS(vfs);
    const open = () => new DatabaseSync('x.db', { vfs: 'torn' });
    const check = (db: DatabaseSync) => {
      expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      return db.prepare('SELECT count(*) AS n FROM t').get()?.n as number;
    };
    const first = open();
    first.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(9000))`);
    first.close();
    let rows = 1;
    let failed = 0;
    for (let nth = 1; nth < 200; nth++) {
      const error = new RangeError(`the tape is torn, ${nth}`);
      Object.assign(vfs, { method, nth, calls: 0, error });
      let db: DatabaseSync | undefined;
      let done = false;
      try {
        db = open();
        db.exec('BEGIN; INSERT INTO t VALUES (zeroblob(9000)); DELETE FROM t WHERE rowid % 3 = 0; COMMIT');
        done = true;
        db.exec('PRAGMA wal_checkpoint; VACUUM');
      } catch (thrown) {
        failed++;
        // Only what this very call of a method threw.
        const { cause, message } = thrown as Error;
        expect(cause).toBe(error);
        expect(message).toContain(`: the tape is torn, ${nth}`);
      }
      const reached = vfs.calls >= nth;
      vfs.method = '';
      // The connection goes on, and what it says next is of the next call.
      if (db) {
        if (db.isTransaction) db.exec('ROLLBACK');
        const next = errorOf(() => db?.exec('SELECT * FROM absent'));
        expect(next.message).toBe('no such table: absent');
        expect(next).not.toHaveProperty('cause');
        check(db);
        db.exec('BEGIN; INSERT INTO t VALUES (1); ROLLBACK');
        db.close();
      }
      const again = open();
      const now = check(again);
      again.close();
      if (done) expect(now).toBeGreaterThanOrEqual(Math.floor((rows * 2) / 3));
      else
        expect([
          rows,
          rows + 1,
          rows - Math.floor(rows / 3),
          rows + 1 - Math.floor((rows + 1) / 3),
        ]).toContain(now);
      rows = now;
      if (!reached) break;
    }
    // SQLite has no use for the failures of some.
    const ignored = ['close', 'unlock', 'fileControl', 'walIndex.barrier', 'walIndex.unmap'];
    if (mode === 'wal') ignored.push('delete', 'truncate');
    if (!ignored.includes(method)) expect(failed).toBeGreaterThan(0);
  });
});

const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

const deep = (): unknown => [deep()];

test.each<[string, () => unknown]>([
  ['an object that throws when it is looked at', () => revoked],
  ['an error whose message is none', () => Object.assign(new Error(), { message: Symbol('x') })],
  ['an error of another realm', () => Object.assign(Object.create(null), { message: 'from afar' })],
  ['a function', () => () => {}],
  ['a promise', () => Promise.resolve()],
  ['a VFSError', () => new VFSError('SQLITE_IOERR_DATA', 'a checksum is wrong')],
  ['what is thrown when the stack is full', () => deep()],
])('%s may be thrown', (_, make) => {
  const vfs = new TornVFS(false);
  registerVFS(vfs);
  const db = new DatabaseSync('x.db', { vfs: 'torn' });
  db.exec('CREATE TABLE t (a)');
  let thrown: unknown;
  Object.assign(vfs, {
    exists() {
      try {
        throw make();
      } catch (error) {
        thrown = error;
        throw error;
      }
    },
  });
  const error = errorOf(() => db.prepare('SELECT * FROM t').all());
  expect(error).toMatchObject({ code: 'ERR_SQLITE_ERROR' });
  expect(Object.is(error.cause, thrown)).toBe(true);
  Object.assign(vfs, { exists: () => false });
  expect(db.prepare('SELECT * FROM t').all()).toEqual([]);
  db.close();
});

const codes = [
  ['SQLITE_FULL', 13],
  ['SQLITE_READONLY', 8],
  ['SQLITE_PERM', 3],
  ['SQLITE_AUTH', 23],
  ['SQLITE_NOLFS', 22],
  ['SQLITE_INTERRUPT', 9],
  ['SQLITE_CORRUPT', 11],
  ['SQLITE_IOERR_AUTH', 7178],
  // SQLite answers these two by their shorter names.
  ['SQLITE_IOERR_NOMEM', 7],
  ['SQLITE_IOERR_CORRUPTFS', 11],
  ['SQLITE_READONLY_DBMOVED', 1032],
] as const;

test.each(codes)('%s of a write is answered as it is', (code, errcode) => {
  const vfs = new TornVFS(false);
  registerVFS(vfs);
  const db = new DatabaseSync('x.db', { vfs: 'torn' });
  db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
  Object.assign(vfs, { method: 'write', nth: 1, calls: 0, error: new VFSError(code, 'its words') });
  expect(errorOf(() => db.exec('INSERT INTO t VALUES (2)'))).toMatchObject({ errcode });
  expect(db.prepare('SELECT a FROM t').all()).toEqual([{ a: 1 }]);
  db.close();
});
