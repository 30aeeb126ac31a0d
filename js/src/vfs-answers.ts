/** What methods of VFSes answer and throw: looked at before SQLite gets it, whichever build asks. */
import type { FacadeFile } from './facade.js';
import { numberOf, VFSError, type VFSErrorCode } from './vfs-error.js';

/** An answer that may have to be waited for. */
export type Answer = number | Promise<number>;

/** Asks, and makes a number of the answer, or of the failure. */
export type Settle = <T>(
  ask: () => T | Promise<T>,
  answer: (value: T) => Answer,
  failed: (error: unknown) => number,
) => Answer;

export const settledNow: Settle = (ask, answer, failed) => {
  try {
    const value = ask();
    if (isPromise(value)) throw promised(value);
    return answer(value as Awaited<typeof value>);
  } catch (error) {
    return failed(error);
  }
};

export const settledLater: Settle = async (ask, answer, failed) => {
  try {
    return await answer(await ask());
  } catch (error) {
    return failed(error);
  }
};

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as PromiseLike<unknown>).then === 'function';

function promised(value: PromiseLike<unknown>): Error {
  // What becomes of it is nobody's business any more.
  value.then(undefined, () => {});
  return new TypeError(
    'answered a promise; a VFS whose methods do has `readonly async = true`, and is used through sqlite-vfs-kit/jspi',
  );
}

export function expected(what: string, value: unknown): Error {
  if (isPromise(value)) return promised(value);
  return new TypeError(`answered ${shown(value)}; expected was ${what}`);
}

export function checkCount(count: unknown, length: number): number {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= length) return count;
  throw expected(`how many bytes were read, 0 to ${length}`, count);
}

export function checkSize(size: unknown): number {
  if (Number.isSafeInteger(size) && (size as number) >= 0) return size as number;
  throw expected('a length in bytes', size);
}

export function checkPointer(pointer: unknown): number {
  if (Number.isInteger(pointer) && (pointer as number) >= 0 && (pointer as number) < 2 ** 32) {
    return pointer as number;
  }
  throw expected('a place in memory, or 0', pointer);
}

export function checkBoolean(value: unknown): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  throw expected('true or false', value);
}

export function checkText(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw expected(what, value);
}

/** What a method without an answer answered does not matter, unless it is a promise. */
export function checkNothing(value: unknown): number {
  if (isPromise(value)) throw promised(value);
  return 0;
}

const methods = ['read', 'write', 'truncate', 'sync', 'size', 'close'] as const;
const lockMethods = ['lock', 'unlock', 'hasReservedLock'] as const;
const walIndexMethods = ['map', 'lock', 'barrier', 'unmap'] as const;

export function checkFile(value: unknown): FacadeFile {
  if (typeof value !== 'object' || value === null || isPromise(value)) {
    throw expected('an open file: an object with the methods of FacadeFile', value);
  }
  const file = value as FacadeFile;
  const missing = missingFrom(file, methods);
  if (missing.length > 0) throw new TypeError(`answered a file without ${missing.join(', ')}`);
  const locks = missingFrom(file, lockMethods);
  if (locks.length > 0 && locks.length < lockMethods.length) {
    throw new TypeError(
      `answered a file without ${locks.join(', ')}; one that locks itself has ${lockMethods.join(', ')}`,
    );
  }
  if (file.walIndex) {
    const index = missingFrom(file.walIndex, walIndexMethods);
    if (index.length > 0)
      throw new TypeError(`answered a file whose walIndex is without ${index.join(', ')}`);
  }
  return file;
}

export async function closeQuietly(file: unknown): Promise<void> {
  try {
    await (file as FacadeFile).close();
  } catch {}
}

/** Those of the names that are no methods of the object. */
export function missingFrom(object: object, names: readonly string[]): string[] {
  return names.filter((name) => typeof (object as Record<string, unknown>)[name] !== 'function');
}

// What is thrown may be anything, also what throws when it is looked at.

export function codeOf(error: unknown, code: VFSErrorCode): number {
  try {
    if (error instanceof VFSError) return error.errcode;
  } catch {}
  return numberOf(code);
}

export function wordsOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message || error.name : error);
  } catch {
    return 'something that cannot be put in words';
  }
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > 40 ? 'a long text' : JSON.stringify(value);
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return String(value);
}
