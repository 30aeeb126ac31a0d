/** A VFS written for wa-sqlite as one of this package. */
import { andThen } from '../answer.js';
import { invalidArgType, invalidArgValue, invalidState } from '../errors.js';
import { type FacadeFile, FacadeVFS, type OpenDetails } from '../facade.js';
import { decode } from '../text.js';
import { missingFrom } from '../vfs-answers.js';
import * as VFS from '../vfs-constants.js';
import { nameOfCode, type VFSErrorCode } from '../vfs-error.js';
import { AdaptedFile, LockingFile } from './file.js';
import {
  asyncNames,
  type Code,
  type FacadeMethods,
  facadeNames,
  facadeOf,
  int32,
  type RawMethods,
  rawNames,
  SQLITE_OK,
} from './methods.js';
import { notePending, WaSqliteModule } from './module.js';
import { Refusal } from './refusal.js';

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

const SQLITE_IOERR_DELETE_NOENT = 5898;
const SQLITE_ACCESS_EXISTS = 0;

/** Bytes for the words of an error. */
const ERROR_SIZE = 512;

export class AdaptedVFS extends FacadeVFS {
  override readonly name: string;
  override readonly async: boolean;
  override readonly maxPathname: number;
  /** @internal */
  readonly methods: FacadeMethods;
  /** @internal */
  readonly module: WaSqliteModule;
  /**
   * The class wants to be told of a transaction that it will write.
   *
   * @internal
   */
  wantsHints = false;
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
   * @param fine The other code.
   * @param answered Words that came with a failure.
   */
  ask<T>(
    failure: VFSErrorCode,
    call: () => Code,
    next: (code: number) => Async<T>,
    fine: number = SQLITE_OK,
    answered?: () => string | null,
  ): Async<T> {
    const before = this.#vfs.lastError;
    return andThen<'async', number | undefined, T>(call(), (answer) => {
      notePending(this.module);
      // As wasm takes what is no number.
      const code = Number(answer) | 0;
      if (code === SQLITE_OK || code === fine) return next(code);
      return andThen<'async', string, T>(answered?.() ?? this.#words(before), (words) => {
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
