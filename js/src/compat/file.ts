/** An open file of a VFS written for wa-sqlite. */
import { andThen, lastly } from '../answer.js';
import { FacadeFile } from '../facade.js';
import * as VFS from '../vfs-constants.js';
import type { VFSErrorCode } from '../vfs-error.js';
import type { AdaptedVFS } from './adapter.js';
import { type Code, type FacadeMethods, int32, int64, SQLITE_OK } from './methods.js';
import { Refusal } from './refusal.js';

type Async<T> = T | Promise<T>;

const SQLITE_NOTFOUND = 12;
const SQLITE_IOERR_SHORT_READ = 522;
const SQLITE_FCNTL_PRAGMA = 14;

/**
 * How wa-sqlite's SQLite, which is changed for it, says that the transaction which begins will write. OPFSWriteAheadVFS needs it.
 * SQLite itself says nothing: who writes is refused once, and it is said when the call is made again.
 */
const HINT = 'experimental_pragma_20251114';

const WANTING = 'a transaction that writes has to say so when it begins: BEGIN IMMEDIATE';

/** What is known of a file from its opening. */
interface Traits {
  readonly id: number;
  readonly readOnly: boolean;
  readonly sectorSize: number;
  readonly characteristics: number;
}

export class AdaptedFile extends FacadeFile {
  override readonly readOnly: boolean;
  protected readonly vfs: AdaptedVFS;
  protected readonly id: number;
  readonly #traits: Traits;

  constructor(vfs: AdaptedVFS, traits: Traits) {
    super();
    this.vfs = vfs;
    this.id = traits.id;
    this.readOnly = traits.readOnly;
    this.#traits = traits;
  }

  protected get methods(): FacadeMethods {
    return this.vfs.methods;
  }

  override read(buffer: Uint8Array<ArrayBuffer>, offset: number): Async<number> {
    const { length } = buffer;
    return this.vfs.ask(
      'SQLITE_IOERR_READ',
      () => this.methods.jRead(this.id, buffer, offset),
      (code) => (code === SQLITE_OK ? length : this.#shortOf(length, offset)),
      SQLITE_IOERR_SHORT_READ,
    );
  }

  /**
   * How many bytes there were in a short read: the class has put zeros after them, and says nothing else. Its file's size tells, if it
   * can: OPFSCoopSyncVFS has no handle any more after the read by which SQLite opens a database.
   */
  #shortOf(length: number, offset: number): Async<number> {
    const pSize = int64();
    return andThen<'async', number | undefined, number>(this.methods.jFileSize(this.id, pSize), (code) => {
      const there = code ? length : Number(pSize.getBigInt64(0, true)) - offset;
      return Math.min(Math.max(there, 0), length - 1);
    });
  }

  override write(buffer: Uint8Array<ArrayBuffer>, offset: number): Async<void> {
    return this.#do('SQLITE_IOERR_WRITE', () => this.methods.jWrite(this.id, buffer, offset));
  }

  override truncate(size: number): Async<void> {
    return this.#do('SQLITE_IOERR_TRUNCATE', () => this.methods.jTruncate(this.id, size));
  }

  override sync(flags: number): Async<void> {
    return this.#do('SQLITE_IOERR_FSYNC', () => this.methods.jSync(this.id, flags));
  }

  override size(): Async<number> {
    const pSize = int64();
    return this.vfs.ask(
      'SQLITE_IOERR_FSTAT',
      () => this.methods.jFileSize(this.id, pSize),
      () => Number(pSize.getBigInt64(0, true)),
    );
  }

  override close(): Async<void> {
    return this.#do('SQLITE_IOERR_CLOSE', () => this.methods.jClose(this.id));
  }

  override sectorSize(): number {
    return this.#traits.sectorSize;
  }

  override deviceCharacteristics(): number {
    return this.#traits.characteristics;
  }

  override pragma(name: string, value: string | null): Async<string | null | undefined> {
    const { module } = this.vfs;
    const texts = [name, ...(value === null ? [] : [value])].map((text) => {
      const size = module.lengthBytesUTF8(text) + 1;
      const pointer = module._sqlite3_malloc(size);
      module.stringToUTF8(text, pointer, size);
      return pointer;
    });
    // The answer, the name, and the value.
    const argument = this.#argument([0, ...texts, 0].slice(0, 3));
    const answer = () => new DataView(module.HEAPU8.buffer).getUint32(argument, true);
    const text = () => (answer() === 0 ? null : module.UTF8ToString(answer()));
    return lastly<'async', string | null | undefined>(
      () =>
        this.vfs.ask(
          'SQLITE_ERROR',
          () => this.#control(SQLITE_FCNTL_PRAGMA, argument),
          (code) => (code === SQLITE_OK ? text() : undefined),
          SQLITE_NOTFOUND,
          text,
        ),
      () => {
        for (const pointer of [answer(), argument, ...texts]) module._sqlite3_free(pointer);
      },
    );
  }

  override fileControl(op: number, value: number): Async<boolean | number | undefined> {
    const { module } = this.vfs;
    const words = argumentOf(op, value);
    const argument = this.#argument(words);
    return lastly<'async', boolean | number | undefined>(
      () =>
        this.vfs.ask(
          'SQLITE_IOERR',
          () => this.#control(op, argument),
          (code) => {
            if (code !== SQLITE_OK || words.length === 0) return code === SQLITE_OK;
            const view = new DataView(module.HEAPU8.buffer, argument);
            return words.length === 1 ? view.getInt32(0, true) : Number(view.getBigInt64(0, true));
          },
          SQLITE_NOTFOUND,
        ),
      () => module._sqlite3_free(argument),
    );
  }

  /** Words in the module's memory, which are to be freed. None are no place. */
  #argument(words: readonly number[]): number {
    const { module } = this.vfs;
    if (words.length === 0) return 0;
    const argument = module._sqlite3_malloc(4 * words.length);
    const view = new DataView(module.HEAPU8.buffer, argument);
    for (const [i, word] of words.entries()) view.setUint32(4 * i, word, true);
    return argument;
  }

  #control(op: number, argument: number): Code {
    const { module, methods } = this.vfs;
    // Pointers in it are places in all of memory, where classes look for them.
    const pArg = new DataView(module.HEAPU8.buffer, argument);
    return methods.jFileControl ? methods.jFileControl(this.id, op, pArg) : SQLITE_NOTFOUND;
  }

  #do(failure: VFSErrorCode, call: () => Code): Async<void> {
    return this.vfs.ask(failure, call, () => {});
  }
}

/** A file of a class that has locks. */
export class LockingFile extends AdaptedFile {
  /** The class was told that this transaction writes. */
  #isHinted = false;
  /** It is to be told when the next one begins. */
  #hintNext = false;

  override lock(level: number): Async<void> {
    if (level === VFS.SQLITE_LOCK_SHARED) {
      const hinting = this.#hintNext;
      return andThen<'async', unknown, void>(hinting ? this.pragma(HINT, '1') : undefined, () =>
        andThen<'async', void, void>(this.#lock(level), () => {
          this.#isHinted = hinting;
        }),
      );
    }
    if (this.#isHinted) {
      return andThen<'async', void, void>(this.#lock(level), () => {
        // Until then it is told again: the schema may be read first, which is a transaction of its own.
        this.#hintNext = false;
      });
    }
    // Without another failure of its own, of which it writes to the console.
    if (this.vfs.wantsHints) throw this.#wanting();
    try {
      return this.#lock(level);
    } catch (error) {
      this.vfs.wantsHints =
        error instanceof Refusal && error.code === 'SQLITE_IOERR_LOCK' && this.#knowsHint();
      throw this.vfs.wantsHints ? this.#wanting() : error;
    }
  }

  /** After SQLITE_BUSY, and not after an I/O error, SQLite goes on from where it was: the schema is not read again first. */
  #wanting(): Refusal {
    this.#hintNext = true;
    const refusal = new Refusal(this.vfs, 'SQLITE_BUSY', WANTING, undefined);
    refusal.hint = true;
    return refusal;
  }

  /** Whoever knows the hint refuses this value of it. */
  #knowsHint(): boolean {
    try {
      this.pragma(HINT, '0');
      return false;
    } catch {
      return true;
    }
  }

  #lock(level: number): Async<void> {
    return this.vfs.ask(
      'SQLITE_IOERR_LOCK',
      () => this.methods.jLock?.(this.id, level),
      () => {},
    );
  }

  override unlock(level: number): Async<void> {
    return this.vfs.ask(
      'SQLITE_IOERR_UNLOCK',
      () => this.methods.jUnlock?.(this.id, level),
      () => {},
    );
  }

  override hasReservedLock(): Async<boolean> {
    const pResOut = int32();
    return this.vfs.ask(
      'SQLITE_IOERR_CHECKRESERVEDLOCK',
      () => this.methods.jCheckReservedLock?.(this.id, pResOut),
      () => pResOut.getInt32(0, true) !== 0,
    );
  }
}

/** The argument of a file control, in words of 32 bits (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html). */
function argumentOf(op: number, value: number): number[] {
  switch (op) {
    case VFS.SQLITE_FCNTL_SIZE_HINT:
    case VFS.SQLITE_FCNTL_OVERWRITE:
    case VFS.SQLITE_FCNTL_MMAP_SIZE:
      return [value >>> 0, Math.floor(value / 2 ** 32) >>> 0];
    case VFS.SQLITE_FCNTL_CHUNK_SIZE:
    case VFS.SQLITE_FCNTL_PERSIST_WAL:
    case VFS.SQLITE_FCNTL_POWERSAFE_OVERWRITE:
    case VFS.SQLITE_FCNTL_HAS_MOVED:
    case VFS.SQLITE_FCNTL_LOCK_TIMEOUT:
      return [value >>> 0];
    default:
      return [];
  }
}
