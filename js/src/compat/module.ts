/**
 * What classes written for wa-sqlite expect of the Emscripten module that they are made with.
 *
 * It has a memory of its own, a small one. Such classes find file controls and, if they are raw, buffers by a number in `HEAPU8`. SQLite's
 * memory would do for that, but not what they do with it: they allocate there, and keep views of it while a call waits.
 */
import { decode, encode } from '../text.js';

const SMALLEST = 16;
const FIRST_SIZE = 128 * 1024;

/** Those with something in `pendingOps`. */
const pending = new Set<WaSqliteModule>();

/** Notes that a call has left something in `pendingOps`, if it has. */
export function notePending(module: WaSqliteModule): void {
  if (module.pendingOps.length > 0) pending.add(module);
}

/** Waits for what calls have left in `pendingOps`. */
export async function settlePending(): Promise<void> {
  for (const module of pending) {
    pending.delete(module);
    const operations = module.pendingOps;
    module.pendingOps = [];
    await Promise.all(operations);
  }
}

/** Waits for what is in `retryOps`: what others put there meanwhile stays. */
export async function settleRetries(module: WaSqliteModule): Promise<void> {
  const operations = [...module.retryOps];
  try {
    await Promise.all(operations);
  } finally {
    module.retryOps = module.retryOps.filter((operation) => !operations.includes(operation));
  }
}

/** The part of an Emscripten module that VFSes of wa-sqlite use. Made by `waSqliteModule`. */
export class WaSqliteModule {
  /** Promises of what makes it worth to call again. A class that answers `SQLITE_BUSY` puts them here. */
  retryOps: Promise<unknown>[] = [];
  /** Promises that belong to a call that has succeeded, and end it. */
  pendingOps: Promise<unknown>[] = [];

  #heap: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_SIZE);
  /** Where memory begins that was never allocated. 0 is no place. */
  #top = SMALLEST;
  readonly #sizes = new Map<number, number>();
  readonly #free = new Map<number, number[]>();

  /** Memory as bytes: another array when it has grown. */
  get HEAPU8(): Uint8Array<ArrayBuffer> {
    return this.#heap;
  }

  /** Allocates bytes, all zero. */
  _sqlite3_malloc(size: number): number {
    // Sizes are powers of two, so what is given back fits again.
    let room = SMALLEST;
    while (room < size) room *= 2;
    const used = this.#free.get(room)?.pop();
    const pointer = used ?? this.#top;
    if (used === undefined) {
      this.#top += room;
      if (this.#top > this.#heap.length) this.#grow();
    }
    this.#sizes.set(pointer, room);
    this.#heap.fill(0, pointer, pointer + room);
    return pointer;
  }

  _sqlite3_malloc64(size: number | bigint): number {
    return this._sqlite3_malloc(Number(size));
  }

  _sqlite3_free(pointer: number): void {
    const room = this.#sizes.get(pointer);
    if (room === undefined) return;
    this.#sizes.delete(pointer);
    const free = this.#free.get(room);
    if (free) free.push(pointer);
    else this.#free.set(room, [pointer]);
  }

  /** The NUL-terminated text at a place. */
  UTF8ToString(pointer: number, maxBytes = Number.POSITIVE_INFINITY): string {
    if (!pointer) return '';
    const heap = this.#heap;
    const end = Math.min(heap.indexOf(0, pointer), pointer + maxBytes);
    return decode(heap.subarray(pointer, end));
  }

  /** Writes a text and a NUL, in at most so many bytes. Answers how many bytes the text has there. */
  stringToUTF8(text: string, pointer: number, maxBytes: number): number {
    if (maxBytes <= 0) return 0;
    const { written } = new TextEncoder().encodeInto(
      text,
      this.#heap.subarray(pointer, pointer + maxBytes - 1),
    );
    this.#heap[pointer + written] = 0;
    return written;
  }

  lengthBytesUTF8(text: string): number {
    return encode(text).length;
  }

  #grow(): void {
    const old = this.#heap;
    let size = old.length;
    while (size < this.#top) size *= 2;
    this.#heap = new Uint8Array(size);
    this.#heap.set(old);
    // As when WebAssembly's memory grows: whoever has kept a view sees that it is empty.
    structuredClone(old.buffer, { transfer: [old.buffer] });
  }
}
