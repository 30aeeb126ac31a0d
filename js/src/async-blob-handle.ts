/** Blobs that are read and written in parts, with promises. */
/// <reference lib="esnext.disposable" preserve="true" />
import { type BlobReadableOptions, readArguments, rowidArgument, writeArguments } from './blob-arguments.js';
import { readableOf, writableOf } from './blob-streams.js';
import { illegalConstructor } from './errors.js';
import { forgotten, keepDatabase } from './forgotten.js';
import type { OpenBlob } from './open-blob.js';
import { early, type Queue } from './queue.js';

/** Opens the constructor to `openBlob` alone. */
const key = Symbol();

/**
 * A blob, or a text's bytes, where it lies in its row. `openBlob` makes it. Its calls have their turns among those of its database.
 *
 * It is as a statement that has not come to its end: while it is open the database is locked for writing, or with `readOnly` for
 * reading, and what is written outside a transaction is committed when it is closed. When its row is changed by anything else it
 * expires, and using it is an error (`SQLITE_ABORT`) until it is reopened.
 */
export class AsyncBlobHandle {
  readonly #queue: Queue;
  readonly #blob: OpenBlob<'async'>;

  private constructor(token: symbol, queue: Queue, blob: OpenBlob<'async'>) {
    if (token !== key) throw illegalConstructor();
    this.#queue = queue;
    this.#blob = blob;
    forgotten.register(this, () => queue.addQuietly(() => blob.abandon()), this);
  }

  /**
   * @internal
   * @param database Whose connection it is.
   */
  static create(database: object, queue: Queue, blob: OpenBlob<'async'>): AsyncBlobHandle {
    const handle = new AsyncBlobHandle(key, queue, blob);
    keepDatabase(handle, database);
    return handle;
  }

  /** Bytes that it has now, whatever calls that are under way make of it. They can be changed, but not their number. */
  get length(): number {
    return this.#blob.length;
  }

  /**
   * Reads bytes.
   *
   * @param offset Where to begin: 0 if left out.
   * @param into How many bytes, or an array that is filled and answered: all that follow if left out.
   */
  read(offset?: number, into?: number): Promise<Uint8Array<ArrayBuffer>>;
  read<T extends Uint8Array>(offset: number, into: T): Promise<T>;
  read(...args: unknown[]): Promise<Uint8Array> {
    const checked = early(() => readArguments(args));
    return this.#queue.add(() => this.#blob.read(checked()));
  }

  /** Writes bytes from `offset` on, 0 if left out. All of them must lie within the blob. */
  write(bytes: ArrayBuffer | ArrayBufferView, offset?: number): Promise<void>;
  write(...args: unknown[]): Promise<void> {
    const checked = early(() => {
      const { bytes, offset } = writeArguments(args);
      return { bytes: new Uint8Array(bytes), offset };
    });
    return this.#queue.add(() => {
      const { bytes, offset } = checked();
      return this.#blob.write(bytes, offset);
    });
  }

  /** Goes to the same column of another row, which is faster than to open it anew; or to the same row as it is now. */
  reopen(rowid: number | bigint): Promise<void> {
    const checked = early(() => rowidArgument(rowid));
    return this.#queue.add(() => this.#blob.reopen(checked()));
  }

  /** Its bytes as a stream, which does not close it. */
  readable(options?: BlobReadableOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
    return readableOf(this, options);
  }

  /** Writes a stream's bytes, from the blob's beginning on. It does not close it. */
  writable(): WritableStream<Uint8Array> {
    return writableOf(this);
  }

  /** Closes it, also if this rejects: then what was written is undone. */
  close(): Promise<void> {
    return this.#queue.add(() => this.#close());
  }

  #close(): void | Promise<void> {
    forgotten.unregister(this);
    return this.#blob.close();
  }

  /** As `close`, also when it is closed already. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.add(() => (this.#blob.isOpen ? this.#close() : undefined));
  }
}
