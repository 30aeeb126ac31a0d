/** What files say of their medium, when they answer, and what remains of them. */
import * as VFS from '../../vfs-constants.js';
import { equal, ok, sameBytes } from '../assert.js';
import { pattern } from '../bytes.js';
import { fileCases } from '../case.js';
import { isPromise } from '../later.js';
import { SHAPES } from './names.js';

const sync = fileCases('sync');
const device = fileCases('device');
const batch = fileCases('batch', 'batch atomic');
const persistence = fileCases('persistence', 'reopening');
const answers = fileCases('answers');

const {
  SQLITE_FCNTL_BEGIN_ATOMIC_WRITE,
  SQLITE_FCNTL_COMMIT_ATOMIC_WRITE,
  SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE,
} = VFS;

const SYNCS = {
  normal: VFS.SQLITE_SYNC_NORMAL,
  full: VFS.SQLITE_SYNC_FULL,
  'data-only': VFS.SQLITE_SYNC_NORMAL | VFS.SQLITE_SYNC_DATAONLY,
};

export const moreFileCases = [
  ...Object.entries(SYNCS).map(([name, flags]) =>
    sync(name, [], async (place) => {
      const file = await place.open('x');
      await file.sync(flags);
      await file.write(pattern(5000), 0);
      await file.sync(flags);
      await file.sync(flags);
      sameBytes(await file.content(), pattern(5000), 'content after it was synced');
      await file.truncate(10);
      await file.sync(flags);
      equal(await file.size(), 10, 'size after it was synced');
    }),
  ),

  device('sector-size', [], async (place) => {
    const { file } = await place.open('x');
    const size = file.sectorSize?.() ?? 4096;
    const isPower = Number.isInteger(size) && size > 0 && Number.isInteger(Math.log2(size));
    ok(
      isPower && size <= 65536,
      `sectorSize answered ${String(size)}; expected was a power of two up to 65536`,
    );
  }),

  device('characteristics', [], async (place) => {
    const { file } = await place.open('x');
    const flags = file.deviceCharacteristics?.() ?? 0;
    ok(
      Number.isInteger(flags) && flags >= 0,
      `deviceCharacteristics answered ${String(flags)}, which are no flags`,
    );
    const batchAtomic = (flags & VFS.SQLITE_IOCAP_BATCH_ATOMIC) !== 0;
    ok(
      !batchAtomic || file.fileControl !== undefined,
      'files that say BATCH_ATOMIC have no fileControl to do it',
    );
  }),

  device('locks-itself-wholly-or-not', [], async (place) => {
    const { file } = await place.open('x');
    const has = [file.lock, file.unlock, file.hasReservedLock].filter(
      (method) => method !== undefined,
    ).length;
    ok(has === 0 || has === 3, 'a file that locks itself has lock, unlock and hasReservedLock');
  }),

  batch('commit', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(8192, 1), 0);
    ok(Boolean(await file.control(SQLITE_FCNTL_BEGIN_ATOMIC_WRITE)), 'a batch could not begin');
    await file.write(pattern(4096, 2), 4096);
    await file.write(pattern(4096, 3), 8192);
    ok(Boolean(await file.control(SQLITE_FCNTL_COMMIT_ATOMIC_WRITE)), 'a batch could not be committed');
    equal(await file.size(), 12288, 'size');
    sameBytes(
      (await file.read(4096, 0)).bytes,
      pattern(8192, 1).subarray(0, 4096),
      'what the batch did not write',
    );
    sameBytes((await file.read(4096, 4096)).bytes, pattern(4096, 2), 'what it wrote anew');
    sameBytes((await file.read(4096, 8192)).bytes, pattern(4096, 3), 'what it appended');
  }),

  batch('rollback', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(8192, 1), 0);
    ok(Boolean(await file.control(SQLITE_FCNTL_BEGIN_ATOMIC_WRITE)), 'a batch could not begin');
    await file.write(pattern(4096, 2), 0);
    await file.write(pattern(4096, 3), 0);
    await file.write(pattern(4096, 4), 100_000);
    ok(Boolean(await file.control(SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE)), 'a batch could not be rolled back');
    equal(await file.size(), 8192, 'size after the batch was rolled back');
    sameBytes(await file.content(), pattern(8192, 1), 'content after the batch was rolled back');
    await file.write(pattern(10, 5), 0);
    sameBytes((await file.read(10, 0)).bytes, pattern(10, 5), 'what is written after it');
  }),

  batch('one-after-another', [], async (place) => {
    const file = await place.open('x');
    for (let i = 0; i < 20; i++) {
      ok(Boolean(await file.control(SQLITE_FCNTL_BEGIN_ATOMIC_WRITE)), `batch ${i} could not begin`);
      await file.write(pattern(100, i), 0);
      const end = i % 2 ? SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE : SQLITE_FCNTL_COMMIT_ATOMIC_WRITE;
      ok(Boolean(await file.control(end)), `batch ${i} could not end`);
      sameBytes(await file.content(), pattern(100, i - (i % 2)), `content after batch ${i}`);
    }
  }),

  persistence('bytes', [], async (place) => {
    await place.put('x', pattern(200_000));
    await place.reopen();
    sameBytes(await place.get('x'), pattern(200_000), 'content after a reload');
  }),

  persistence('of-changes', [], async (place) => {
    await place.put('x', pattern(100_000));
    await place.reopen();
    const file = await place.open('x');
    await file.write(pattern(100, 2), 50_000);
    await file.truncate(60_000);
    await file.sync();
    await file.close();
    await place.reopen();
    const found = await place.get('x');
    equal(found.length, 60_000, 'size after a reload');
    sameBytes(found.subarray(50_000, 50_100), pattern(100, 2), 'what was changed');
    sameBytes(found.subarray(0, 50_000), pattern(100_000).subarray(0, 50_000), 'what was not');
  }),

  persistence('of-empty-files', [], async (place) => {
    await place.put('x', new Uint8Array());
    await place.reopen();
    equal((await place.get('x')).length, 0, 'size after a reload');
  }),

  persistence('of-deletions', [], async (place) => {
    await place.put('x', pattern(10));
    await place.put('y', pattern(10));
    await place.reopen();
    await place.delete('x', true);
    await place.reopen();
    equal(await place.exists('x'), false, 'exists of what was deleted');
    equal(await place.exists('y'), true, 'exists of what was not');
  }),

  persistence('of-names', [], async (place) => {
    const names = Object.values(SHAPES).filter((name) => !place.subject.promises?.refusesName?.(name));
    for (const [i, name] of names.entries()) await place.put(name, pattern(20, i));
    await place.reopen();
    for (const [i, name] of names.entries()) {
      sameBytes(await place.get(name), pattern(20, i), `content of ${JSON.stringify(name)} after a reload`);
    }
  }),

  answers('at-once', ['sync'], async (place) => {
    const { vfs } = place;
    const given: Record<string, unknown> = {};
    // Each by itself, where cases that await would not tell one from the other.
    const path = await place.fullName('x');
    const details = { database: path, parameters: new URLSearchParams() };
    const flags = VFS.SQLITE_OPEN_READWRITE | VFS.SQLITE_OPEN_CREATE | VFS.SQLITE_OPEN_MAIN_DB;
    const opened = vfs.open(path, flags, details);
    given.open = opened;
    const file = await opened;
    given.write = file.write(pattern(10), 0);
    await given.write;
    given.read = file.read(new Uint8Array(10), 0);
    given.size = file.size();
    given.truncate = file.truncate(5);
    given.sync = file.sync(VFS.SQLITE_SYNC_NORMAL);
    given.exists = vfs.exists(path);
    given.lock = file.lock?.(VFS.SQLITE_LOCK_SHARED);
    given.hasReservedLock = file.hasReservedLock?.();
    given.unlock = file.unlock?.(VFS.SQLITE_LOCK_NONE);
    given.close = file.close();
    given.delete = vfs.delete(path, false);
    const promised = Object.keys(given).filter((method) => isPromise(given[method]));
    await Promise.allSettled(Object.values(given));
    equal(promised.join(', '), '', 'methods that answered a promise, without `readonly async = true`');
  }),
];
