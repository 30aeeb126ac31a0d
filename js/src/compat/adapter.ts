/** A VFS written for wa-sqlite as one of this package. */
import { andThen } from '../answer.js';
import { invalidArgType, invalidArgValue, invalidState } from '../errors.js';
import { FacadeFile, FacadeVFS, type OpenDetails } from '../facade.js';
import { decode } from '../text.js';
import { missingFrom } from '../vfs-answers.js';
import * as VFS from '../vfs-constants.js';
import { nameOfCode, VFSError, type VFSErrorCode } from '../vfs-error.js';
import {
  asyncNames,
  type Code,
  type FacadeMethods,
  facadeNames,
  facadeOf,
  type RawMethods,
  rawNames,
} from './methods.js';
import { WaSqliteModule } from './module.js';

type Async<T> = T | Promise<T>;

/** What every class written for wa-sqlite has, beside its methods. */
export interface WaSqliteVFS {
  readonly name: string;
}

/** What is known of such an object beyond its methods. */
interface Known extends WaSqliteVFS {
  readonly mxPathname?: unknown;
  readonly _module?: unknown;
  readonly lastError?: unknown;
  hasAsyncMethod?(name: string): boolean;
}

/** How `fromWaSqlite` takes a VFS. */
export interface FromWaSqliteOptions {
  /**
   * Methods answer promises. Left out, the VFS is asked: its `hasAsyncMethod`. That of wa-sqlite's `FacadeVFS` looks for functions
   * declared `async`, which a compiler may have replaced.
   */
  async?: boolean;
  /** What it was made with, if it does not keep that as `_module`. */
  module?: WaSqliteModule;
}

/** What SQLite is told, and whom to ask whether it is worth to call again. */
export class Refusal extends VFSError {
  /** Not to be seen where an error is shown. */
  readonly #vfs: AdaptedVFS;

  constructor(vfs: AdaptedVFS, code: VFSErrorCode, message: string | undefined, cause: unknown) {
    super(code, message, cause === undefined ? undefined : { cause });
    this.#vfs = vfs;
  }

  get vfs(): AdaptedVFS {
    return this.#vfs;
  }
}

const SQLITE_OK = 0;
const SQLITE_NOTFOUND = 12;
const SQLITE_IOERR_SHORT_READ = 522;
const SQLITE_IOERR_DELETE_NOENT = 5898;
const SQLITE_ACCESS_EXISTS = 0;
const SQLITE_FCNTL_PRAGMA = 14;

/** Bytes for the words of an error. */
const ERROR_SIZE = 512;

const int32 = () => new DataView(new ArrayBuffer(4));

export class AdaptedVFS extends FacadeVFS {
  override readonly name: string;
  override readonly async: boolean;
  override readonly maxPathname: number;
  /** @internal */
  readonly methods: FacadeMethods;
  /** @internal */
  readonly module: WaSqliteModule;
  readonly #vfs: Known;
  readonly #isRaw: boolean;
  readonly #locks: boolean;
  #lastFile = 0;

  constructor(vfs: unknown, options: FromWaSqliteOptions) {
    super();
    const known = checkObject(vfs);
    this.#vfs = known;
    this.name = known.name;
    this.module = moduleOf(known, options);
    this.#isRaw = !('jOpen' in known);
    const missing = missingFrom(known, this.#isRaw ? rawNames : facadeNames);
    if (missing.length > 0) {
      throw invalidArgType(
        `The "vfs" argument must be a VFS written for wa-sqlite: '${this.name}' has no ${missing.join(', ')}.`,
      );
    }
    this.methods = this.#isRaw
      ? facadeOf(known as unknown as RawMethods, this.module)
      : (known as unknown as FacadeMethods);
    this.async = options.async ?? asyncNames.some((name) => known.hasAsyncMethod?.(name) === true);
    this.maxPathname = typeof known.mxPathname === 'number' ? known.mxPathname : 64;
    this.#locks = hasLocks(known, this.#isRaw);
    if (this.methods.jFullPathname) this.fullPathname = (name) => this.#fullPathname(name);
  }

  override fullPathname?: (name: string) => Async<string>;

  override open(path: string | null, flags: number, { parameters }: OpenDetails): Async<FacadeFile> {
    // Never used again: what a class keeps of a file that was closed is not taken for another's.
    const id = ++this.#lastFile;
    const pOutFlags = int32();
    const name = path === null ? null : this.#spelled(path, flags, parameters);
    return this.ask(
      'SQLITE_CANTOPEN',
      () => this.methods.jOpen(name, id, flags, pOutFlags),
      () => {
        const { methods } = this;
        const readOnly = (pOutFlags.getInt32(0, true) & VFS.SQLITE_OPEN_READONLY) !== 0;
        return andThen<'async', number | undefined, FacadeFile>(
          methods.jSectorSize?.(id) ?? 512,
          (sectorSize) =>
            andThen<'async', number | undefined, FacadeFile>(
              methods.jDeviceCharacteristics?.(id) ?? 0,
              (characteristics = 0) => {
                const traits = { id, readOnly, sectorSize: sectorSize || 512, characteristics };
                const File = this.#locks && flags & VFS.SQLITE_OPEN_MAIN_DB ? LockingFile : AdaptedFile;
                return new File(this, traits);
              },
            ),
        );
      },
    );
  }

  override delete(path: string, syncDir: boolean): Async<void> {
    return this.ask(
      'SQLITE_IOERR_DELETE',
      () => this.methods.jDelete(path, syncDir ? 1 : 0),
      () => {},
      SQLITE_IOERR_DELETE_NOENT,
    );
  }

  override exists(path: string): Async<boolean> {
    const pResOut = int32();
    return this.ask(
      'SQLITE_IOERR_ACCESS',
      () => this.methods.jAccess(path, SQLITE_ACCESS_EXISTS, pResOut),
      () => pResOut.getInt32(0, true) !== 0,
    );
  }

  #fullPathname(name: string): Async<string> {
    const zOut = new Uint8Array(this.maxPathname + 1);
    return this.ask(
      'SQLITE_CANTOPEN_FULLPATH',
      () => this.methods.jFullPathname?.(name, zOut),
      // That of wa-sqlite's base class writes nothing.
      () => textIn(zOut) || name,
    );
  }

  /** A name with the parameters behind it, as wa-sqlite gives it to classes of either level. */
  #spelled(path: string, flags: number, parameters: URLSearchParams): string {
    if (!(flags & VFS.SQLITE_OPEN_URI)) return path;
    const pairs = [...parameters];
    if (this.#isRaw) return [path, ...pairs.flat()].join('\0');
    return pairs.length === 0 ? path : `${path}?${pairs.map((pair) => pair.join('=')).join('&')}`;
  }

  /**
   * Asks, and goes on with what is there if the answer is `SQLITE_OK`, or another code that is no failure.
   *
   * @internal
   * @param failure The code for one that SQLite does not know.
   */
  ask<T>(
    failure: VFSErrorCode,
    call: () => Code,
    next: (code: number) => Async<T>,
    ...fine: number[]
  ): Async<T> {
    const before = this.#vfs.lastError;
    return andThen<'async', number | undefined, T>(call(), (answer) => {
      // As wasm takes what is no number.
      const code = Number(answer) | 0;
      if (code === SQLITE_OK || fine.includes(code)) return next(code);
      return andThen<'async', string, T>(this.#words(before), (words) => {
        const { lastError } = this.#vfs;
        const cause = lastError === before ? undefined : lastError;
        throw new Refusal(this, nameOfCode(code) ?? failure, words || undefined, cause);
      });
    });
  }

  /** The words for a failure. What a class keeps in `lastError` may be of long ago: it counts if it was not there before. */
  #words(before: unknown): Async<string> {
    const { lastError } = this.#vfs;
    if (lastError instanceof Error) return lastError === before ? '' : lastError.message;
    const zBuf = new Uint8Array(ERROR_SIZE);
    return andThen<'async', number | undefined, string>(this.methods.jGetLastError?.(zBuf), () =>
      textIn(zBuf),
    );
  }
}

/** What is known of a file from its opening. */
interface Traits {
  readonly id: number;
  readonly readOnly: boolean;
  readonly sectorSize: number;
  readonly characteristics: number;
}

class AdaptedFile extends FacadeFile {
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
class LockingFile extends AdaptedFile {
  override lock(level: number): Async<void> {
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

function textIn(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function checkObject(vfs: unknown): Known {
  if (typeof vfs !== 'object' || vfs === null) {
    throw invalidArgType('The "vfs" argument must be a VFS written for wa-sqlite, an object.');
  }
  if (vfs instanceof Promise) {
    throw invalidArgType('The "vfs" argument is a promise of a VFS: await it first.');
  }
  if (vfs instanceof FacadeVFS) {
    throw invalidArgType('The "vfs" argument is a VFS of sqlite-vfs-kit: register it as it is.');
  }
  const { name } = vfs as Known;
  if (typeof name !== 'string' || name === '') {
    throw invalidArgValue('The "vfs.name" argument must be a text that is not empty.');
  }
  return vfs as Known;
}

function moduleOf({ name, _module }: Known, options: FromWaSqliteOptions): WaSqliteModule {
  const module = options.module ?? _module;
  if (module instanceof WaSqliteModule) return module;
  throw invalidState(
    `The VFS '${name}' was made with ${module === undefined ? 'no module' : 'the module of another build'}: ` +
      'make it with one of waSqliteModule(). If it keeps that elsewhere than in `_module`, say so: fromWaSqlite(vfs, { module }).',
  );
}

/**
 * Does the class lock? The base classes of wa-sqlite answer OK to whoever asks for a lock, which lets two connections write: where a
 * class has no others, connections are kept from each other as those of any VFS without locks.
 */
function hasLocks(vfs: Known, isRaw: boolean): boolean {
  const name = isRaw ? 'xLock' : 'jLock';
  const owner = ownerOf(vfs, name);
  if (owner === undefined) return false;
  // `FacadeVFS` is the class that has both levels.
  if (!isRaw) return !Object.hasOwn(owner, 'xLock');
  const isRoot = Object.getPrototypeOf(owner) === Object.prototype;
  const isBase =
    isRoot && ['isReady', 'hasAsyncMethod', 'xFileControl'].every((n) => Object.hasOwn(owner, n));
  return !isBase || owner === ownerOf(vfs, 'xOpen');
}

function ownerOf(object: object, name: string): object | undefined {
  for (let owner = object; owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(owner, name)) return owner;
  }
  return undefined;
}
