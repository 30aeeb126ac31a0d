/**
 * The wasm module as JavaScript sees it: its functions, its memory, and the two buffers through which all but numbers
 * crosses. The other side is `src/engine/`.
 */
import { invalidState, type SqliteError, sqliteError, tooLarge } from './errors.js';
import { Memory } from './memory.js';
import { decode, encode, encodeInto } from './text.js';
import { VFSHost } from './vfs-host.js';
import type { InitOutput } from './wasm/sqlite_vfs_kit.js';

/** Must be what `kit_start` answers: JavaScript and wasm of one make. */
export const PROTOCOL = 2;

/** The functions of the module. Pointers are numbers; one that comes back negative lies beyond 2 GiB. */
export type Exports = InitOutput;

/** What the inbox keeps from call to call: a larger one is given back at once (`inbox.rs`). */
const KEPT_INBOX = 64 * 1024;

/** SQLite's result codes that are looked at here. */
export const SQLITE_OK = 0;
export const SQLITE_NOMEM = 7;
export const SQLITE_MISUSE = 21;
export const SQLITE_ROW = 100;
export const SQLITE_DONE = 101;

/** Words of the outbox, in units of four bytes from its start: `struct Words` of `outbox.rs`. */
enum Word {
  Code = 4,
  Text = 5,
  TextLength = 6,
  Rows = 7,
  Columns = 8,
  Cells = 9,
  Tags = 10,
  List = 11,
  ListLength = 12,
  Heap = 13,
  HeapLength = 14,
  Reprepared = 15,
  Cause = 16,
}

/** A batch of rows where it lies in memory: see `rows.rs`. Good until the next call into wasm. */
export interface BatchPlace {
  rows: number;
  columns: number;
  cells: number;
  tags: number;
  list: number;
  listLength: number;
  heap: number;
  reprepared: number;
}

export class Engine {
  readonly exports: Exports;
  readonly memory: Memory;
  /** The VFSes that are written in JavaScript. */
  readonly host: VFSHost;
  /** Calls can be suspended, so methods of VFSes may answer promises. */
  readonly suspends: boolean = false;
  readonly #outbox: number;
  /** One object for all batches: it is read at once. */
  readonly #place: BatchPlace = {
    rows: 0,
    columns: 0,
    cells: 0,
    tags: 0,
    list: 0,
    listLength: 0,
    heap: 0,
    reprepared: 0,
  };

  #stopped = false;

  constructor(exports: Exports, host = new VFSHost()) {
    this.host = host;
    this.exports = guarded(exports, () => {
      this.#stopped = true;
    });
    this.memory = new Memory(exports.memory);
    host.memory = this.memory;
    const protocol = typeof exports.kit_start === 'function' ? exports.kit_start() : undefined;
    if (protocol !== PROTOCOL) {
      throw new Error(
        `This JavaScript speaks protocol ${PROTOCOL} with its wasm file, and the file that was loaded ` +
          `${protocol === undefined ? 'is another module' : `speaks ${protocol}`}. ` +
          'Serve both from one version of sqlite-vfs-kit, and clear what caches hold of another.',
      );
    }
    this.#outbox = exports.kit_outbox() >>> 2;
  }

  /** A call ended in its middle, and there will be no more. */
  get hasStopped(): boolean {
    return this.#stopped;
  }

  // --- The outbox ---

  /** Result code of the last call that answers a pointer. */
  get code(): number {
    return this.memory.i32[this.#outbox + Word.Code] as number;
  }

  /** Rows changed by the last `run`. Throws, as `lastInsertRowid` does, if that is no safe integer and not `big`. */
  changes(big: boolean): number | bigint {
    return this.#integer(0, big);
  }

  /** Rowid of the last row that was inserted. */
  lastInsertRowid(big: boolean): number | bigint {
    return this.#integer(2, big);
  }

  #integer(word: number, big: boolean): number | bigint {
    const at = this.#outbox + word;
    if (big) return this.memory.i64[at >>> 1] as bigint;
    // Without a BigInt in between, which would be an allocation.
    const value = (this.memory.i32[at + 1] as number) * 2 ** 32 + (this.memory.u32[at] as number);
    if (!Number.isSafeInteger(value)) throw tooLarge(this.memory.i64[at >>> 1] as bigint);
    return value;
  }

  /** The text of the last answer; null where there is none. */
  text(): string | null {
    const { u32 } = this.memory;
    const pointer = u32[this.#outbox + Word.Text] as number;
    if (pointer === 0) return null;
    return decode(this.memory.view(pointer, u32[this.#outbox + Word.TextLength] as number));
  }

  /** The bytes of the last answer, copied. */
  bytes(): Uint8Array<ArrayBuffer> {
    const { u32 } = this.memory;
    return this.memory.copy(
      u32[this.#outbox + Word.Text] as number,
      u32[this.#outbox + Word.TextLength] as number,
    );
  }

  batch(): BatchPlace {
    const { u32 } = this.memory;
    const outbox = this.#outbox;
    const place = this.#place;
    place.rows = u32[outbox + Word.Rows] as number;
    place.columns = u32[outbox + Word.Columns] as number;
    place.cells = u32[outbox + Word.Cells] as number;
    place.tags = u32[outbox + Word.Tags] as number;
    place.list = u32[outbox + Word.List] as number;
    place.listLength = u32[outbox + Word.ListLength] as number;
    place.heap = u32[outbox + Word.Heap] as number;
    place.reprepared = u32[outbox + Word.Reprepared] as number;
    return place;
  }

  // --- The inbox ---

  /** A place for `size` bytes to hand over. */
  inbox(size: number): number {
    const pointer = size < 2 ** 32 ? this.exports.kit_inbox(size) >>> 0 : 0;
    if (pointer === 0) throw this.#outOfMemory(size);
    return pointer;
  }

  /**
   * Calls with texts in the inbox, each NUL-terminated; and with `bytes` after them, if there are any. A text is cut at its
   * first NUL by who reads it, as in C.
   */
  withText<T>(texts: readonly string[], call: (...pointers: number[]) => T, bytes?: Uint8Array): T {
    const units = texts.reduce((sum, text) => sum + text.length, 0);
    const extra = bytes?.length ?? 0;
    // Enough for all ASCII; and for anything, as long as it is short. UTF-8 has at most three bytes for a UTF-16 unit.
    let room = units * (units < 16_384 ? 3 : 1) + texts.length;
    let place = this.inbox(room + extra);
    let pointers = this.#writeTexts(texts, place, room);
    if (!pointers) {
      room = texts.reduce((sum, text) => sum + encode(text).length + 1, 0);
      place = this.inbox(room + extra);
      pointers = this.#writeTexts(texts, place, room) as number[];
    }
    if (bytes) {
      pointers.push(place + room);
      this.memory.u8.set(bytes, place + room);
    }
    try {
      return call(...pointers);
    } finally {
      if (room + extra > KEPT_INBOX) this.exports.kit_inbox_trim();
    }
  }

  #writeTexts(texts: readonly string[], place: number, room: number): number[] | undefined {
    const target = this.memory.view(place, room);
    const pointers: number[] = [];
    let used = 0;
    for (const text of texts) {
      pointers.push(place + used);
      const { read, written } = encodeInto(text, target.subarray(used));
      used += written;
      if (read < text.length || used >= room) return undefined;
      target[used++] = 0;
    }
    return pointers;
  }

  // --- Errors ---

  /** The last error of a connection. Ask at once: the next call replaces it. */
  error(db: number): SqliteError {
    const errcode = this.exports.kit_error(db);
    const message = this.text() ?? '';
    return this.failure(errcode, message);
  }

  /** An error of a call in which a VFS may have thrown: what it threw is the cause. */
  failure(errcode: number, message: string | null): SqliteError {
    const cause = this.memory.u32[this.#outbox + Word.Cause] as number;
    const error = this.errorOf(errcode, message);
    // As the constructor's option defines it.
    if (cause !== 0)
      Object.defineProperty(error, 'cause', {
        value: this.host.thrown(cause),
        writable: true,
        configurable: true,
      });
    return error;
  }

  errorOf(errcode: number, message: string | null): SqliteError {
    this.exports.kit_errstr(errcode);
    const errstr = this.text() ?? '';
    return sqliteError(message || errstr, errcode, errstr);
  }

  #outOfMemory(size: number): SqliteError {
    return this.errorOf(SQLITE_NOMEM, `out of memory: no room for ${size} bytes`);
  }
}

type Call = (a: number, b: number, c: number, d: number, e: number) => number;

/**
 * The module's functions, until one of them throws.
 *
 * They never do in the course of things: what is thrown is a trap, or a stack overflow in the middle of a call. Either leaves
 * memory as it happened to be, and whoever went on would work with damaged data. So from then on every call is refused.
 */
function guarded(exports: Exports, stopped: () => void): Exports {
  const table: Record<string, unknown> = { ...exports };
  const stop = (cause: unknown): Error => {
    const error = invalidState(
      `SQLite was stopped in the middle of a call (${cause}), and what it has in memory can't be relied on any more. ` +
        'Load the page again, or start the worker anew.',
      cause,
    );
    for (const name in table) {
      if (typeof table[name] !== 'function') continue;
      table[name] = () => {
        throw error;
      };
    }
    stopped();
    return error;
  };
  for (const name in table) {
    const call = table[name];
    if (typeof call !== 'function' || !name.startsWith('kit_')) continue;
    table[name] = guard(call as Call, stop);
  }
  return table as unknown as Exports;
}

function guard(call: Call, stop: (cause: unknown) => Error): Call {
  return (a, b, c, d, e) => {
    try {
      return call(a, b, c, d, e);
    } catch (cause) {
      throw stop(cause);
    }
  };
}
