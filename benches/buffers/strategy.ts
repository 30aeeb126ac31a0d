/**
 * A way to hand the buffer of a read or write to a VFS in JavaScript.
 *
 * Each has a file of its own, with all of what is called for a page in it, though half of the lines are the same: engines keep
 * notes on a function for all its callers, and code that five kinds of buffers go through would be slow for each of them, which
 * it is not for an app that has one kind.
 */
import type { ChunkFile } from './chunks.js';
import type { Heap } from './heap.js';

/** What the wasm module calls: `js_read` and `js_write`. */
export interface Calls {
  read(file: number, pointer: number, length: number, offset: number): number;
  write(file: number, pointer: number, length: number, offset: number): number;
}

export interface Strategy<Buffer> {
  readonly name: string;
  /** What the method gets, and what the store must do with it. */
  readonly how: string;
  /** The part of a million pages that it is measured with: less for one that would take minutes. */
  readonly share: number;
  readonly File: new (...args: ConstructorParameters<typeof ChunkFile<Buffer>>) => ChunkFile<Buffer>;
  /** What makes the buffers, and calls `files`; or `ours` as it is. */
  calls(heap: Heap, files: readonly (ChunkFile<Buffer> | undefined)[], ours: Calls): Calls;
}

/** As this package checks what `read` answers. */
export function checkCount(count: unknown, length: number): number {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= length) return count;
  throw new TypeError(`answered ${count} for ${length} bytes`);
}

export function checkNothing(answer: unknown): number {
  if (answer !== undefined) throw new TypeError(`answered ${answer}`);
  return 0;
}

/** Negative numbers are failures: SQLite's codes. */
export const failed = { read: -266, write: -778 } as const;
