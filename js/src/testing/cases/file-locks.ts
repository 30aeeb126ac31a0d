/** The lock levels between open files (https://sqlite.org/lockingv3.html), of a VFS that locks its files itself. */
import * as VFS from '../../vfs-constants.js';
import { equal, thrownBy } from '../assert.js';
import { fileCases } from '../case.js';
import type { TestFile } from '../file-place.js';

const lock = fileCases('lock', 'own locks', 'several connections');

const { SQLITE_LOCK_EXCLUSIVE, SQLITE_LOCK_NONE, SQLITE_LOCK_RESERVED, SQLITE_LOCK_SHARED } = VFS;
const LEVELS = [SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED, SQLITE_LOCK_EXCLUSIVE];
const NAMES = ['NONE', 'SHARED', 'RESERVED', 'PENDING', 'EXCLUSIVE'];

/** Raises a lock level by level, as SQLite does. */
async function climb(file: TestFile, to: number): Promise<void> {
  for (const level of LEVELS.filter((level) => level <= to)) await file.lock(level);
}

async function busy(body: () => Promise<void>, what: string): Promise<void> {
  // No other code makes SQLite wait.
  equal((await thrownBy(body, what)).code, 'SQLITE_BUSY', `${what}, code`);
}

/** With one at `held`, may another have `wanted`? */
const TABLE: readonly [held: number, wanted: number, free: boolean][] = [
  [SQLITE_LOCK_NONE, SQLITE_LOCK_EXCLUSIVE, true],
  [SQLITE_LOCK_SHARED, SQLITE_LOCK_SHARED, true],
  [SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED, true],
  [SQLITE_LOCK_SHARED, SQLITE_LOCK_EXCLUSIVE, false],
  [SQLITE_LOCK_RESERVED, SQLITE_LOCK_SHARED, true],
  [SQLITE_LOCK_RESERVED, SQLITE_LOCK_RESERVED, false],
  [SQLITE_LOCK_RESERVED, SQLITE_LOCK_EXCLUSIVE, false],
  [SQLITE_LOCK_EXCLUSIVE, SQLITE_LOCK_SHARED, false],
];

export const lockCases = [
  ...TABLE.map(([held, wanted, free]) =>
    lock(`${NAMES[wanted]}-beside-${NAMES[held]}`.toLowerCase(), [], async (place) => {
      const [one, other] = [await place.open('x'), await place.open('x')];
      await climb(one, held);
      if (free) await climb(other, wanted);
      else await busy(() => climb(other, wanted), `${NAMES[wanted]} beside ${NAMES[held]}`);
      const reserved = Math.max(held, wanted) >= SQLITE_LOCK_RESERVED;
      equal(await one.isReserved(), reserved, 'hasReservedLock of the one');
      equal(await other.isReserved(), reserved, 'hasReservedLock of the other');
      // Whatever happened, all is free when both let go.
      for (const file of [one, other]) await file.unlock(SQLITE_LOCK_NONE);
      equal(await one.isReserved(), false, 'hasReservedLock when all let go');
      await climb(other, SQLITE_LOCK_EXCLUSIVE);
      await other.unlock(SQLITE_LOCK_NONE);
    }),
  ),

  lock('a-writer-gets-its-turn', [], async (place) => {
    const [writer, reader, late] = [await place.open('x'), await place.open('x'), await place.open('x')];
    await climb(reader, SQLITE_LOCK_SHARED);
    await busy(() => climb(writer, SQLITE_LOCK_EXCLUSIVE), 'EXCLUSIVE beside a reader');
    await busy(() => climb(late, SQLITE_LOCK_SHARED), 'a new reader while a writer waits');
    await reader.unlock(SQLITE_LOCK_NONE);
    await writer.lock(SQLITE_LOCK_EXCLUSIVE);
    await writer.unlock(SQLITE_LOCK_NONE);
    await climb(late, SQLITE_LOCK_SHARED);
    await late.unlock(SQLITE_LOCK_NONE);
  }),

  lock('goes-from-shared-to-exclusive', [], async (place) => {
    // As for rolling a hot journal back.
    const [one, other] = [await place.open('x'), await place.open('x')];
    await one.lock(SQLITE_LOCK_SHARED);
    await one.lock(SQLITE_LOCK_EXCLUSIVE);
    await busy(() => other.lock(SQLITE_LOCK_SHARED), 'a reader beside EXCLUSIVE');
    await one.unlock(SQLITE_LOCK_NONE);
  }),

  lock('is-lowered-to-shared', [], async (place) => {
    const [one, other] = [await place.open('x'), await place.open('x')];
    await climb(one, SQLITE_LOCK_EXCLUSIVE);
    await one.unlock(SQLITE_LOCK_SHARED);
    equal(await other.isReserved(), false, 'hasReservedLock when the writer has become a reader');
    await climb(other, SQLITE_LOCK_RESERVED);
    await busy(() => other.lock(SQLITE_LOCK_EXCLUSIVE), 'EXCLUSIVE beside a reader');
    for (const file of [one, other]) await file.unlock(SQLITE_LOCK_NONE);
  }),

  lock('is-held-once', [], async (place) => {
    const [one, other] = [await place.open('x'), await place.open('x')];
    await one.lock(SQLITE_LOCK_SHARED);
    await one.lock(SQLITE_LOCK_SHARED);
    await one.unlock(SQLITE_LOCK_NONE);
    await one.unlock(SQLITE_LOCK_NONE);
    await climb(other, SQLITE_LOCK_EXCLUSIVE);
    await other.unlock(SQLITE_LOCK_NONE);
  }),

  lock('is-given-back-by-close', [], async (place) => {
    const [one, other] = [await place.open('x'), await place.open('x')];
    await climb(one, SQLITE_LOCK_EXCLUSIVE);
    await one.close();
    await climb(other, SQLITE_LOCK_EXCLUSIVE);
    await other.unlock(SQLITE_LOCK_NONE);
  }),

  lock('is-of-one-file', [], async (place) => {
    const [one, other] = [await place.open('x'), await place.open('y')];
    await climb(one, SQLITE_LOCK_EXCLUSIVE);
    await climb(other, SQLITE_LOCK_EXCLUSIVE);
    equal(await other.isReserved(), true, 'hasReservedLock of another file');
    for (const file of [one, other]) await file.unlock(SQLITE_LOCK_NONE);
  }),
];
