/**
 * What crosses in shared buffers, beside the numbers of a call: the inbox, the outbox and its readers. The other side is
 * `src/engine/`: `context.rs`, `inbox.rs`, `outbox.rs`.
 */
import { type Answer, lastly, type Mode } from './answer.js';
import type { Engine, Exports } from './engine.js';
import { type SqliteError, sqliteError, tooLarge } from './errors.js';
import type { Memory } from './memory.js';
import { SQLITE_NOMEM } from './result-codes.js';
import { decode, encode, encodeInto } from './text.js';

/** What the inbox keeps from call to call: a larger one is given back at once (`inbox.rs`). */
const KEPT_INBOX = 64 * 1024;

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

/** A batch of rows where it lies in memory: see `rows.rs`. Good until the context's next call into wasm. */
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

/** The buffers of one call after another. */
export class Context<M extends Mode = 'sync'> {
  readonly engine: Engine;
  readonly exports: Exports<M>;
  readonly memory: Memory;
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

  /** @param exports What calls the engine in this context. */
  constructor(engine: Engine, exports: Exports<M>) {
    this.engine = engine;
    this.exports = exports;
    this.memory = engine.memory;
    this.#outbox = exports.kit_outbox() >>> 2;
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
    if (pointer === 0) throw this.errorOf(SQLITE_NOMEM, `out of memory: no room for ${size} bytes`);
    return pointer;
  }

  /**
   * Calls with texts in the inbox, each NUL-terminated; and with `bytes` after them, if there are any. A text is cut at its
   * first NUL by who reads it, as in C.
   */
  withText<T>(
    texts: readonly string[],
    call: (...pointers: number[]) => Answer<M, T>,
    bytes?: Uint8Array,
  ): Answer<M, T> {
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
    if (room + extra <= KEPT_INBOX) return call(...pointers);
    return lastly(
      () => call(...pointers),
      () => this.exports.kit_inbox_trim(),
    );
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

  /** Gives back what it holds, when it is used no more. */
  free(): void {}

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
        value: this.engine.host.thrown(cause),
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
}
