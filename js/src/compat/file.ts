/** An open file of a VFS written for wa-sqlite. */
import { andThen } from '../answer.js';
import { FacadeFile } from '../facade.js';
import * as VFS from '../vfs-constants.js';
import { nameOfCode, type VFSErrorCode } from '../vfs-error.js';
import type { AdaptedVFS } from './adapter.js';
import { type Code, type FacadeMethods, int32, SQLITE_OK } from './methods.js';
import { notePending } from './module.js';
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
      (code) => {
        if (code === SQLITE_OK) return length;
        // How many bytes there were is not said.
        return andThen<'async', number, number>(this.size(), (size) =>
          Math.min(Math.max(size - offset, 0), length - 1),
        );
      },
      SQLITE_IOERR_SHORT_READ,
    );
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
    const pSize = new DataView(new ArrayBuffer(8));
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
    return this.#control(SQLITE_FCNTL_PRAGMA, [0, ...texts], (code, argument) => {
      for (const pointer of texts) module._sqlite3_free(pointer);
      const pointer = new DataView(module.HEAPU8.buffer).getUint32(argument, true);
      const answer = pointer === 0 ? null : module.UTF8ToString(pointer);
      module._sqlite3_free(pointer);
      if (code === SQLITE_OK) return answer;
      if (code === SQLITE_NOTFOUND) return undefined;
      // Its own words, or what SQLite itself would say.
      throw new Refusal(this.vfs, nameOfCode(code) ?? 'SQLITE_ERROR', answer ?? undefined, undefined);
    });
  }

  override fileControl(op: number, value: number): Async<boolean | number | undefined> {
    const { module } = this.vfs;
    const words = argumentOf(op, value);
    return this.#control(op, words, (code, argument) => {
      if (code === SQLITE_NOTFOUND) return false;
      if (code !== SQLITE_OK) {
        throw new Refusal(this.vfs, nameOfCode(code) ?? 'SQLITE_IOERR', undefined, undefined);
      }
      const view = new DataView(module.HEAPU8.buffer);
      if (words.length === 0) return true;
      return words.length === 1 ? view.getInt32(argument, true) : Number(view.getBigInt64(argument, true));
    });
  }

  /** Asks with an argument in the module's memory; goes on with the code and the argument's place. */
  #control<T>(op: number, words: number[], next: (code: number, argument: number) => T): Async<T> {
    const { module, methods } = this.vfs;
    const argument = words.length > 0 ? module._sqlite3_malloc(4 * words.length) : 0;
    const { buffer } = module.HEAPU8;
    const pArg = new DataView(buffer, argument);
    for (const [i, word] of words.entries()) pArg.setUint32(4 * i, word, true);
    const asked = methods.jFileControl?.(this.id, op, pArg) ?? SQLITE_NOTFOUND;
    return andThen<'async', number | undefined, T>(asked, (code) => {
      notePending(module);
      try {
        return next(Number(code) | 0, argument);
      } finally {
        module._sqlite3_free(argument);
      }
    });
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
        // It may have to be asked again, and told again.
        andThen<'async', void, void>(this.#lock(level), () => {
          this.#isHinted = hinting;
          this.#hintNext = false;
        }),
      );
    }
    if (this.#isHinted) {
      return andThen<'async', void, void>(this.#lock(level), () => {
        this.vfs.wantsHints = true;
      });
    }
    // Without another failure of its own, of which it writes to the console.
    if (this.vfs.wantsHints) throw this.#wanting(new Refusal(this.vfs, 'SQLITE_BUSY', WANTING, undefined));
    try {
      return this.#lock(level);
    } catch (error) {
      throw error instanceof Refusal && error.code === 'SQLITE_IOERR_LOCK' ? this.#wanting(error) : error;
    }
  }

  #wanting(refusal: Refusal): Refusal {
    this.#hintNext = true;
    refusal.hint = true;
    return refusal;
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
