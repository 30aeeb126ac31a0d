/** Blobs that are read and written in parts: not in `node:sqlite`. */
/// <reference lib="esnext.disposable" preserve="true" />
import { type BlobReadableOptions, readArguments, rowidArgument, writeArguments } from './blob-arguments.js';
import { readableOf, writableOf } from './blob-streams.js';
import { illegalConstructor } from './errors.js';
import { forgotten, keepDatabase } from './forgotten.js';
import type { OpenBlob } from './open-blob.js';

/** Opens the constructor to `openBlob` alone. */
const key = Symbol();

/**
 * A blob, or a text's bytes, where it lies in its row. `openBlob` makes it.
 *
 * It is as a statement that has not come to its end: while it is open the database is locked for writing, or with `readOnly` for
 * reading, and what is written outside a transaction is committed when it is closed. When its row is changed by anything else it
 * expires, and using it is an error (`SQLITE_ABORT`) until it is reopened.
 */
export class BlobHandle {
  readonly #blob: OpenBlob;

  private constructor(token: symbol, blob: OpenBlob) {
    if (token !== key) throw illegalConstructor();
    this.#blob = blob;
    forgotten.register(this, () => blob.abandon(), this);
  }

  /**
   * @internal
   * @param database Whose connection it is.
   */
  static create(database: object, blob: OpenBlob): BlobHandle {
    const handle = new BlobHandle(key, blob);
    keepDatabase(handle, database);
    return handle;
  }

  /** Bytes that it has. They can be changed, but not their number. */
  get length(): number {
    return this.#blob.length;
  }

  /**
   * Reads bytes.
   *
   * @param offset Where to begin: 0 if left out.
   * @param into How many bytes, or an array that is filled and answered: all that follow if left out.
   */
  read(offset?: number, into?: number): Uint8Array<ArrayBuffer>;
  read<T extends Uint8Array>(offset: number, into: T): T;
  read(...args: unknown[]): Uint8Array {
    return this.#blob.read(readArguments(args));
  }

  /** Writes bytes from `offset` on, 0 if left out. All of them must lie within the blob. */
  write(bytes: ArrayBuffer | ArrayBufferView, offset?: number): void;
  write(...args: unknown[]): void {
    const { bytes, offset } = writeArguments(args);
    this.#blob.write(bytes, offset);
  }

  /** Goes to the same column of another row, which is faster than to open it anew; or to the same row as it is now. */
  reopen(rowid: number | bigint): void {
    this.#blob.reopen(rowidArgument(rowid));
  }

  /** Its bytes as a stream, which does not close it. */
  readable(options?: BlobReadableOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
    return readableOf(this, options);
  }

  /** Writes a stream's bytes, from the blob's beginning on. It does not close it. */
  writable(): WritableStream<Uint8Array> {
    return writableOf(this);
  }

  /** Closes it, also if this throws: then what was written is undone. */
  close(): void {
    this.#blob.close();
    forgotten.unregister(this);
  }

  /** As `close`, also when it is closed already. */
  [Symbol.dispose](): void {
    if (this.#blob.isOpen) this.close();
  }
}
