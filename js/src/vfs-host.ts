/**
 * Answers what the wasm module asks of VFSes that are written in JavaScript. The other side is `src/engine/imports.rs`.
 *
 * Numbers cross, and where there is text or bytes, a pointer and a length. Each function answers a number. A negative one is a
 * failure: its lower fourteen bits are SQLite's code, the rest the number under which the words and the exception are kept.
 *
 * Nothing that a VFS throws gets past this: an exception that crossed wasm frames would leave SQLite in the middle of a call.
 */
import { Callbacks } from './callbacks.js';
import type { FacadeFile, FacadeVFS, OpenDetails, WalIndexMethods } from './facade.js';
import { type FileLock, lockOf } from './file-locks.js';
import type { Memory } from './memory.js';
import { decode, encode } from './text.js';
import {
  type Answer,
  checkBoolean,
  checkCount,
  checkFile,
  checkNothing,
  checkPointer,
  checkSize,
  checkText,
  closeQuietly,
  codeOf,
  expected,
  type Settle,
  settledNow,
  wordsOf,
} from './vfs-answers.js';
import { SQLITE_LOCK_NONE } from './vfs-constants.js';
import type { VFSErrorCode } from './vfs-error.js';

/** Bits of `JsFeatures`. */
const LOCKS = 1;
const FILE_CONTROL = 2;
const PRAGMA = 4;
const WAL_INDEX = 8;
const READ_ONLY = 16;

/** Words of `struct Opening`. */
enum Opening {
  Name,
  NameLength,
  Database,
  DatabaseLength,
  Parameters,
  ParametersLength,
  Flags,
  Features,
  SectorSize,
  Characteristics,
}

/** Bits of a failure that are its code. */
const CODE_BITS = 14;

/** Failures and texts that are kept: each is asked for right after it was answered. */
const KEPT = 64;

/** The numbers under which they are kept begin anew after so many: what is left beside the code in 31 bits. */
const NUMBERS = 2 ** 17;

/** An open file, and what messages name it by. */
export interface OpenFile {
  readonly file: FacadeFile;
  /** For a file that does not lock itself. */
  readonly lock: FileLock;
  readonly vfs: FacadeVFS;
}

interface Kept {
  text: string;
  bytes?: Uint8Array;
  error?: unknown;
}

export type Import = (...numbers: number[]) => unknown;

export class VFSHost {
  /** Set when the module is instantiated: it is asked for its functions before. */
  memory!: Memory;
  /** The other functions that SQLite calls. */
  readonly callbacks = new Callbacks();

  readonly #vfses: (FacadeVFS | undefined)[] = [];
  readonly #files: (OpenFile | undefined)[] = [];
  readonly #freeFiles: number[] = [];
  readonly #kept = new Map<number, Kept>();
  #last = 0;

  // --- VFSes ---

  /** Answers a number for it. */
  add(vfs: FacadeVFS): number {
    const free = this.#vfses.indexOf(undefined);
    const number = free >= 0 ? free : this.#vfses.length;
    this.#vfses[number] = vfs;
    return number;
  }

  /** Its files stay open. */
  remove(vfs: number): void {
    this.#vfses[vfs] = undefined;
  }

  find(name: string): number | undefined {
    const found = this.#vfses.findIndex((vfs) => vfs?.name === name);
    return found >= 0 ? found : undefined;
  }

  /** The one that is registered under a name. */
  get(name: string): FacadeVFS | undefined {
    return this.#vfses.find((vfs) => vfs?.name === name);
  }

  /** What a VFS threw, by the number that the engine's answer has for it. */
  thrown(cause: number): unknown {
    return this.#kept.get(cause)?.error;
  }

  /**
   * After the module has stopped: closes what is open, and gives its locks back, as nobody else will. What that throws is nobody's to
   * hear.
   */
  async abandon(): Promise<void> {
    for (const open of this.#files.splice(0)) {
      if (!open) continue;
      const { file, lock } = open;
      lock.release();
      try {
        await file.unlock?.(SQLITE_LOCK_NONE);
      } catch {}
      await closeQuietly(file);
    }
  }

  // --- Failures ---

  #keep(kept: Kept): number {
    this.#last = (this.#last + 1) % NUMBERS || 1;
    this.#kept.set(this.#last, kept);
    this.#kept.delete((this.#last - KEPT + NUMBERS) % NUMBERS);
    return this.#last;
  }

  /** The number that tells the module of a failure, whose words and exception are kept. */
  failed(error: unknown, code: VFSErrorCode, vfs: FacadeVFS | undefined, method: string): number {
    // The method used SQLite, and stopped it: there is nothing to go back to.
    if (this.callbacks.engine?.hasStopped) throw error;
    const number = this.#keep({ text: `${nameOf(vfs)}.${method}: ${wordsOf(error)}`, error });
    return -(number * 2 ** CODE_BITS + codeOf(error, code));
  }

  // --- The functions that the module imports ---

  /** For VFSes whose methods answer at once; suspending-imports.ts has those for the others. */
  imports(): Record<string, Import> {
    const files = this.#files;
    const host = this;

    function read(file: number, pointer: number, length: number, offset: number): number {
      const open = files[file] as OpenFile;
      const buffer = host.memory.view(pointer >>> 0, length);
      try {
        const count = open.file.read(buffer, offset);
        if (count === length && buffer.length === length) return count;
        if (buffer.length === length) return checkCount(count, length);
      } catch (error) {
        if (buffer.length === length) return host.failed(error, 'SQLITE_IOERR_READ', open.vfs, 'read');
      }
      return host.#readAgain(open, pointer >>> 0, length, offset);
    }

    function write(file: number, pointer: number, length: number, offset: number): number {
      const open = files[file] as OpenFile;
      const buffer = host.memory.view(pointer >>> 0, length);
      try {
        const answer = open.file.write(buffer, offset);
        if (buffer.length === length) return answer === undefined ? 0 : checkNothing(answer);
      } catch (error) {
        if (buffer.length === length) return host.failed(error, 'SQLITE_IOERR_WRITE', open.vfs, 'write');
      }
      return host.#writeAgain(open, pointer >>> 0, length, offset);
    }

    return { ...this.table(settledNow), js_read: read, js_write: write };
  }

  /**
   * A method that uses SQLite can make memory grow, and its buffer was gone then: what it did with it afterwards failed, or did
   * nothing, silently. So it is asked once more, with bytes of its own. To read or write the same again changes nothing.
   */
  #readAgain(open: OpenFile, pointer: number, length: number, offset: number): number {
    try {
      const buffer = new Uint8Array(length);
      const count = checkCount(open.file.read(buffer, offset), length);
      this.memory.u8.set(buffer.subarray(0, count), pointer);
      return count;
    } catch (error) {
      return this.failed(error, 'SQLITE_IOERR_READ', open.vfs, 'read');
    }
  }

  #writeAgain(open: OpenFile, pointer: number, length: number, offset: number): number {
    try {
      return checkNothing(open.file.write(this.memory.copy(pointer, length), offset));
    } catch (error) {
      return this.failed(error, 'SQLITE_IOERR_WRITE', open.vfs, 'write');
    }
  }

  /** Those that are the same in every build. */
  commonImports(): Record<string, Import> {
    const index = (file: number) => this.open(file).file.walIndex as WalIndexMethods;
    return {
      ...this.callbacks.imports(),
      js_host_lock: (file, level) => (this.open(file).lock.lock(level) ? 1 : 0),
      js_host_unlock: (file, level) => this.open(file).lock.unlock(level),
      js_host_has_reserved_lock: (file) => (this.open(file).lock.isReserved ? 1 : 0),
      js_shm_map: (file, region, size, extend) =>
        this.#try('SQLITE_IOERR_SHMMAP', file, 'walIndex.map', () =>
          checkPointer(index(file).map(region, size >>> 0, extend !== 0)),
        ),
      js_shm_lock: (file, first, n, flags) =>
        this.#try('SQLITE_IOERR_SHMLOCK', file, 'walIndex.lock', () =>
          checkNothing(index(file).lock(first, n, flags)),
        ),
      js_shm_barrier: (file) => {
        this.#try('SQLITE_IOERR', file, 'walIndex.barrier', () => checkNothing(index(file).barrier()));
      },
      js_shm_unmap: (file, deleting) =>
        this.#try('SQLITE_IOERR_SHMMAP', file, 'walIndex.unmap', () =>
          checkNothing(index(file).unmap(deleting !== 0)),
        ),
      js_now: () => performance.now(),
      ...mathematics,
      js_fmod: (x, y) => x % y,
      js_text_length: (text) => this.#bytes(text).length,
      js_text: (text, target) => this.memory.u8.set(this.#bytes(text), target >>> 0),
    };
  }

  /** All but reading and writing. `settled` is what tells a VFS that answers at once from one that does not. */
  table(settled: Settle): Record<string, Import> {
    const call = <T>(
      code: VFSErrorCode,
      vfs: FacadeVFS | undefined,
      method: string,
      ask: () => T | Promise<T>,
      answer: (value: T) => Answer,
    ): Answer => settled(ask, answer, (error) => this.failed(error, code, vfs, method));

    const ofVfs = <T>(
      code: VFSErrorCode,
      vfs: number,
      method: string,
      ask: (vfs: FacadeVFS) => T | Promise<T>,
      answer: (value: T) => number,
    ): Answer => {
      const found = this.#vfses[vfs] as FacadeVFS;
      return call(code, found, method, () => ask(found), answer);
    };

    const ofFile = <T>(
      code: VFSErrorCode,
      number: number,
      method: string,
      ask: (file: FacadeFile) => T | Promise<T>,
      answer: (value: T) => number,
    ): Answer => {
      const { file, vfs } = this.open(number);
      return call(code, vfs, method, () => ask(file), answer);
    };

    return {
      js_open: (vfs, opening) => {
        const found = this.#vfses[vfs] as FacadeVFS;
        const { path, flags, details } = this.#opening(opening);
        return call(
          'SQLITE_CANTOPEN',
          found,
          'open',
          () => found.open(path, flags, details),
          (file) => {
            try {
              return this.#opened(found, file, opening, path, flags);
            } catch (error) {
              // It is open, and nobody else will close it.
              const closed = closeQuietly(file);
              if (found.async !== true) throw error;
              return closed.then(() => {
                throw error;
              });
            }
          },
        );
      },
      js_delete: (vfs, name, length, syncDir) => {
        const path = this.#text(name, length);
        return ofVfs(
          'SQLITE_IOERR_DELETE',
          vfs,
          'delete',
          (vfs) => vfs.delete(path, syncDir !== 0),
          checkNothing,
        );
      },
      js_exists: (vfs, name, length) => {
        const path = this.#text(name, length);
        return ofVfs('SQLITE_IOERR_ACCESS', vfs, 'exists', (vfs) => vfs.exists(path), checkBoolean);
      },
      js_full_pathname: (vfs, name, length) => {
        if (this.#vfses[vfs]?.fullPathname === undefined) return 0;
        const path = this.#text(name, length);
        return ofVfs(
          'SQLITE_CANTOPEN_FULLPATH',
          vfs,
          'fullPathname',
          (vfs) => vfs.fullPathname?.(path) as string | Promise<string>,
          (full) => this.#keep({ text: checkText(full, 'a text') }),
        );
      },
      js_close: (number) => {
        const { file, lock, vfs } = this.open(number);
        lock.release();
        // Whatever it answers, it is closed.
        this.#files[number] = undefined;
        this.#freeFiles.push(number);
        return call('SQLITE_IOERR_CLOSE', vfs, 'close', () => file.close(), checkNothing);
      },
      js_truncate: (file, size) =>
        ofFile('SQLITE_IOERR_TRUNCATE', file, 'truncate', (file) => file.truncate(size), checkNothing),
      js_sync: (file, flags) =>
        ofFile('SQLITE_IOERR_FSYNC', file, 'sync', (file) => file.sync(flags), checkNothing),
      js_size: (file) => ofFile('SQLITE_IOERR_FSTAT', file, 'size', (file) => file.size(), checkSize),
      js_lock: (file, level) =>
        ofFile('SQLITE_IOERR_LOCK', file, 'lock', (file) => file.lock?.(level), checkNothing),
      js_unlock: (file, level) =>
        ofFile('SQLITE_IOERR_UNLOCK', file, 'unlock', (file) => file.unlock?.(level), checkNothing),
      js_has_reserved_lock: (file) =>
        ofFile(
          'SQLITE_IOERR_CHECKRESERVEDLOCK',
          file,
          'hasReservedLock',
          (file) => file.hasReservedLock?.() as boolean | Promise<boolean>,
          checkBoolean,
        ),
      js_pragma: (file, namePointer, nameLength, valuePointer, valueLength) => {
        const name = this.#text(namePointer, nameLength);
        const value = valuePointer === 0 ? null : this.#text(valuePointer, valueLength);
        return ofFile(
          'SQLITE_ERROR',
          file,
          'pragma',
          (file) => file.pragma?.(name, value),
          (answer) => {
            if (answer === undefined) return 0;
            if (answer === null) return 1;
            return this.#keep({ text: checkText(answer, 'a text, null or undefined') }) + 1;
          },
        );
      },
      js_file_control: (file, op, value) => {
        const place = value >>> 3;
        return ofFile(
          'SQLITE_IOERR',
          file,
          'fileControl',
          (file) => file.fileControl?.(op, this.memory.f64[place] as number),
          (answer) => {
            if (answer === undefined || typeof answer === 'boolean') return answer ? 1 : 0;
            if (typeof answer !== 'number') throw expected('a boolean, a number or undefined', answer);
            this.memory.f64[place] = answer;
            return 1;
          },
        );
      },
    };
  }

  // --- What goes over ---

  open(file: number): OpenFile {
    return this.#files[file] as OpenFile;
  }

  #text(pointer: number, length: number): string {
    return decode(this.memory.view(pointer >>> 0, length >>> 0));
  }

  #bytes(number: number): Uint8Array {
    const kept = this.#kept.get(number);
    if (kept === undefined) return new Uint8Array();
    kept.bytes ??= encode(kept.text);
    return kept.bytes;
  }

  #opening(pointer: number): { path: string | null; flags: number; details: OpenDetails } {
    const { u32, i32 } = this.memory;
    const at = pointer >>> 2;
    const text = (word: Opening) => {
      const start = u32[at + word] as number;
      return start === 0 ? null : this.#text(start, u32[at + word + 1] as number);
    };
    const flags = i32[at + Opening.Flags] as number;
    const path = text(Opening.Name);
    const database = text(Opening.Database);
    const parameters = new URLSearchParams();
    const pairs = (text(Opening.Parameters) ?? '').split('\0');
    for (let i = 0; i + 1 < pairs.length; i += 2) {
      parameters.append(pairs[i] as string, pairs[i + 1] as string);
    }
    return { path, flags, details: { database, parameters } };
  }

  /** Takes in what a VFS has opened; answers a number for it. */
  #opened(vfs: FacadeVFS, file: unknown, opening: number, path: string | null, flags: number): number {
    const checked = checkFile(file);
    const sectorSize = checked.sectorSize?.() ?? 4096;
    const characteristics = checked.deviceCharacteristics?.() ?? 0;
    if (!Number.isInteger(sectorSize) || sectorSize < 1 || sectorSize > 65536) {
      throw expected('of sectorSize a number of bytes from 1 to 65536', sectorSize);
    }
    if (!Number.isInteger(characteristics)) {
      throw expected('of deviceCharacteristics flags: a number', characteristics);
    }
    let features = 0;
    if (checked.lock) features |= LOCKS;
    if (checked.fileControl) features |= FILE_CONTROL;
    if (checked.pragma) features |= PRAGMA;
    if (checked.walIndex) features |= WAL_INDEX;
    if (checked.readOnly) features |= READ_ONLY;
    const { u32 } = this.memory;
    const at = opening >>> 2;
    u32[at + Opening.Features] = features;
    u32[at + Opening.SectorSize] = sectorSize;
    u32[at + Opening.Characteristics] = characteristics;
    const number = this.#freeFiles.pop() ?? this.#files.length;
    this.#files[number] = { file: checked, lock: lockOf(vfs, path, flags), vfs };
    return number;
  }

  #try(code: VFSErrorCode, file: number, method: string, body: () => number): number {
    const open = this.open(file);
    try {
      return body();
    } catch (error) {
      return this.failed(error, code, open.vfs, method);
    }
  }
}

function nameOf(vfs: FacadeVFS | undefined): string {
  return vfs?.name ?? 'unregistered VFS';
}

/** `js_sin` and the like: src/engine/math.rs. */
const mathematics = Object.fromEntries(
  'acos asin atan atan2 cos cosh exp log log10 log2 sin sinh tan tanh'
    .split(' ')
    .map((name) => [`js_${name}`, Math[name as 'sin']]),
);
