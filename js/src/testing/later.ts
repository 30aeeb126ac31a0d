/** Values that may be promises. */

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as Promise<unknown>).then === 'function';

/** Goes on with a value now if it is there, later if it is promised: what wraps a VFS is sync or async as the VFS is. */
export function after<T, R>(value: T | Promise<T>, go: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(value) ? value.then((value) => go(value as T)) : go(value);
}
