/** A blob that is open, to be read and written in parts: what `BlobHandle` and `AsyncBlobHandle` share. `src/engine/blobs.rs`. */
import { type Answer, andThen, atOnce, forEach, type Mode } from './answer.js';
import type { BlobArguments, ReadArguments } from './blob-arguments.js';
import type { Connection } from './connection.js';
import { invalidState, outOfRange } from './errors.js';
import { SQLITE_ABORT } from './result-codes.js';

/** Bytes that cross at once: wasm's memory never shrinks, and need not grow to what a blob has. */
const PIECE = 256 * 1024;

const EXPIRED =
  'The blob has expired: its row was changed or deleted, or it could not be reopened. Reopen it.';

export class OpenBlob<M extends Mode = 'sync'> {
  readonly #connection: Connection<M>;
  readonly #arguments: BlobArguments;
  #pointer = 0;
  #length = 0;

  private constructor(connection: Connection<M>, args: BlobArguments) {
    this.#connection = connection;
    this.#arguments = args;
  }

  static open<M extends Mode>(connection: Connection<M>, args: BlobArguments): Answer<M, OpenBlob<M>> {
    const blob = new OpenBlob(connection, args);
    return andThen(blob.#open(args.rowid), () => blob);
  }

  #open(rowid: bigint): Answer<M, void> {
    const { context, pointer } = this.#connection;
    const { names, readOnly } = this.#arguments;
    // They lie one behind another, and are found from the first.
    const open = (names?: number) =>
      context.exports.kit_blob_open(pointer, names as number, rowid, readOnly ? 0 : 1);
    return andThen(context.withText(names, open), (blob) => {
      if (blob === 0) throw this.#connection.error();
      this.#pointer = blob;
      this.#measure();
      this.#connection.blobs.add(this);
    });
  }

  #measure(): void {
    this.#length = this.#connection.context.exports.kit_blob_bytes(this.#pointer);
  }

  get isOpen(): boolean {
    return this.#pointer !== 0;
  }

  get length(): number {
    this.#live();
    return this.#length;
  }

  read({ offset, into }: ReadArguments): Answer<M, Uint8Array<ArrayBuffer>> {
    const { context, pointer } = this.#connection;
    const size = typeof into === 'object' ? into.length : (into ?? Math.max(0, this.length - offset));
    const pieces = this.#pieces(offset, size);
    const target = typeof into === 'object' ? into : new Uint8Array(size);
    const done = forEach<M, number>(pieces, (at) => {
      const length = Math.min(PIECE, size - at);
      return andThen(context.exports.kit_blob_read(pointer, this.#live(), length, offset + at), (code) => {
        this.#check(code);
        target.set(context.bytes(), at);
      });
    });
    return andThen(done, () => target);
  }

  write(bytes: Uint8Array, offset: number): Answer<M, void> {
    const { context, pointer } = this.#connection;
    if (this.#arguments.readOnly) throw invalidState('The blob was opened with readOnly.');
    return forEach<M, number>(this.#pieces(offset, bytes.length), (at) => {
      const piece = bytes.subarray(at, at + PIECE);
      const write = (place?: number) =>
        context.exports.kit_blob_write(pointer, this.#live(), place as number, piece.length, offset + at);
      return andThen(context.withText([], write, piece), (code) => this.#check(code));
    });
  }

  /** Where pieces of so many bytes begin, if the blob has them. */
  #pieces(offset: number, size: number): Iterable<number> {
    const { length } = this;
    const end = offset + size;
    if (end > length) {
      throw outOfRange(
        `Bytes ${offset} to ${end} are beyond the end of the blob, which has ${length}. Its length is fixed.`,
      );
    }
    return Array.from({ length: Math.ceil(size / PIECE) }, (_, i) => i * PIECE);
  }

  /** Goes to another row, or to the same one as it is now. */
  reopen(rowid: bigint): Answer<M, void> {
    const { context, pointer } = this.#connection;
    const code = context.exports.kit_blob_reopen(pointer, this.#live(), rowid);
    return andThen<M, number, void>(code, (code) => {
      // SQLite itself has no use for one that has expired.
      if ((code & 0xff) === SQLITE_ABORT)
        return andThen<M, void, void>(this.close(), () => this.#open(rowid));
      this.#measure();
      this.#connection.check(code);
      return undefined;
    });
  }

  close(): Answer<M, void> {
    const blob = this.#live();
    const { context, pointer, blobs } = this.#connection;
    this.#pointer = 0;
    blobs.delete(this);
    return andThen(context.exports.kit_blob_close(pointer, blob), (code) => this.#connection.check(code));
  }

  /** Closes what was forgotten. */
  abandon(): Answer<M, void> {
    return this.isOpen && !this.#connection.context.engine.hasStopped ? this.close() : atOnce(undefined);
  }

  #check(code: number): void {
    const { context } = this.#connection;
    this.#connection.checkThrown();
    if ((code & 0xff) === SQLITE_ABORT) throw context.errorOf(code, EXPIRED);
    this.#connection.check(code);
  }

  #live(): number {
    if (!this.isOpen) throw invalidState('blob is not open');
    this.#connection.checkAccess();
    return this.#pointer;
  }
}
