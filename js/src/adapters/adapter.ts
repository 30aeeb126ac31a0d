/**
 * A VFS of this package in another build of SQLite: the methods of `sqlite3_vfs` and `sqlite3_io_methods` over a `FacadeVFS`.
 *
 * That build has a memory of its own, and all pointers are into it. Offsets and lengths are JavaScript's numbers, and a file is known
 * by its `sqlite3_file`. What each build passes in another way, its adapter makes so.
 *
 * The methods are those of version 1. A write-ahead log has an index in one SQLite's memory, so a file is never open in WAL mode
 * from here: the pragma is refused, and so is a database that was left in that mode.
 */
import type { FacadeFile, FacadeVFS } from '../facade.js';
import { type FileLock, lockOf } from '../file-locks.js';
import type { Memory } from '../memory.js';
import { encode } from '../text.js';
import {
  type Answer,
  checkBoolean,
  checkCount,
  checkFile,
  checkNothing,
  checkSize,
  checkText,
  closeQuietly,
  codeOf,
  expected,
  isPromise,
  type Settle,
  settledLater,
  settledNow,
  wordsOf,
} from '../vfs-answers.js';
import * as VFS from '../vfs-constants.js';
import { VFSError, type VFSErrorCode } from '../vfs-error.js';
import { readDetails, readName } from './names.js';

/** The other build's memory, and what allocates in it. */
export interface Theirs {
  readonly memory: Memory;
  /** `sqlite3_malloc`: 0 if there is no room. */
  malloc(bytes: number): number;
  /** `sqlite3_free`. */
  free(pointer: number): void;
}

interface OpenFile {
  readonly file: FacadeFile;
  /** For a file that does not lock itself. */
  readonly lock: FileLock;
  readonly sectorSize: number;
  readonly characteristics: number;
  /** What was written since SQLite locked the file, outside of batches: see `#spilled`. */
  sinceLocked: 'unlocked' | 'nothing' | 'pages';
}

const SQLITE_OK = 0;
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_NOTFOUND = 12;
const SQLITE_IOERR_SHORT_READ = 522;
const SQLITE_IOERR_BEGIN_ATOMIC = 7434;
const SQLITE_LOCK_EXCLUSIVE = 4;

/** File controls that no VFS of this package is asked. */
const SQLITE_FCNTL_VFSNAME = 12;
const SQLITE_FCNTL_PRAGMA = 14;

/** What comes with a file control, and whether an answer goes back; nothing comes with the others that a VFS is asked. */
const VALUES: Readonly<Record<number, 'i32' | 'i64' | 'i32 and back' | 'i64 and back' | undefined>> = {
  [VFS.SQLITE_FCNTL_SIZE_HINT]: 'i64',
  [VFS.SQLITE_FCNTL_OVERWRITE]: 'i64',
  [VFS.SQLITE_FCNTL_CHUNK_SIZE]: 'i32',
  [VFS.SQLITE_FCNTL_PERSIST_WAL]: 'i32 and back',
  [VFS.SQLITE_FCNTL_POWERSAFE_OVERWRITE]: 'i32 and back',
  [VFS.SQLITE_FCNTL_HAS_MOVED]: 'i32 and back',
  [VFS.SQLITE_FCNTL_LOCK_TIMEOUT]: 'i32 and back',
  [VFS.SQLITE_FCNTL_MMAP_SIZE]: 'i64 and back',
};

const PLAIN_CONTROLS: readonly number[] = [
  VFS.SQLITE_FCNTL_SYNC,
  VFS.SQLITE_FCNTL_COMMIT_PHASETWO,
  VFS.SQLITE_FCNTL_BEGIN_ATOMIC_WRITE,
  VFS.SQLITE_FCNTL_COMMIT_ATOMIC_WRITE,
  VFS.SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE,
  VFS.SQLITE_FCNTL_CKPT_START,
  VFS.SQLITE_FCNTL_CKPT_DONE,
];

/**
 * Room that SQLite wants beyond the longest name: 8 bytes for `-journal`, 12 for a super-journal's `-mj` and nine digits. A
 * super-journal whose name is longer than `mxPathname` it does not read back.
 */
const SUFFIX = 12;

/** Milliseconds from the beginning of Julian days to 1970-01-01. */
const JULIAN_EPOCH = 210_866_760_000_000;

/** Bytes 18 and 19 of a database say by which version of the format it is written and read; 2 is WAL. */
const HEADER_SIZE = 20;

export class Adapter {
  readonly vfs: FacadeVFS;
  readonly name: string;
  /** Methods of the VFS may answer promises, and so do those here. */
  readonly suspends: boolean;
  readonly #theirs: Theirs;
  readonly #memory: Memory;
  readonly #settled: Settle;
  readonly #files = new Map<number, OpenFile>();
  #registered = true;
  #error: unknown;

  constructor(vfs: FacadeVFS, name: string, theirs: Theirs) {
    this.vfs = vfs;
    this.name = name;
    this.suspends = vfs.async === true;
    this.#theirs = theirs;
    this.#memory = theirs.memory;
    this.#settled = this.suspends ? settledLater : settledNow;
  }

  // --- For whoever registered it ---

  /** What went wrong last, as it was thrown. */
  get error(): unknown {
    return this.#error;
  }

  get openFiles(): number {
    return this.#files.size;
  }

  /** Length of the longest name, for SQLite. */
  get maxPathname(): number {
    return this.#longestName + SUFFIX;
  }

  get #longestName(): number {
    return this.vfs.maxPathname ?? 1024;
  }

  /** Opens nothing any more. Open files stay usable. */
  unregistered(): void {
    this.#registered = false;
  }

  /** Closes all files, as a crash would: their locks are free, and what was being written stays as it was. */
  async abandon(): Promise<void> {
    this.unregistered();
    const files = [...this.#files.values()];
    this.#files.clear();
    for (const { lock } of files) lock.release();
    await Promise.all(files.map(({ file }) => closeQuietly(file)));
  }

  // --- sqlite3_vfs ---

  open(zName: number, pFile: number, flags: number, pOutFlags: number): Answer {
    let path: string | null = null;
    return this.#call(
      'SQLITE_CANTOPEN',
      () => {
        this.#check();
        if (flags & VFS.SQLITE_OPEN_WAL) throw inWalMode(`'${readName(this.#memory, zName)}' is a log`);
        path = zName === 0 ? null : readName(this.#memory, zName);
        return this.vfs.open(path, flags, readDetails(this.#memory, zName, flags));
      },
      (file) => this.#opened(file, path, pFile, flags, pOutFlags),
    );
  }

  delete(zName: number, syncDir: number): Answer {
    return this.#call(
      'SQLITE_IOERR_DELETE',
      () => {
        this.#check();
        return this.vfs.delete(readName(this.#memory, zName), syncDir !== 0);
      },
      checkNothing,
    );
  }

  access(zName: number, pResult: number): Answer {
    this.#memory.i32[pResult >>> 2] = 0;
    return this.#call(
      'SQLITE_IOERR_ACCESS',
      () => {
        this.#check();
        return this.vfs.exists(readName(this.#memory, zName));
      },
      (exists) => {
        this.#memory.i32[pResult >>> 2] = checkBoolean(exists);
        return SQLITE_OK;
      },
    );
  }

  fullPathname(zName: number, room: number, pResult: number): Answer {
    return this.#call(
      'SQLITE_CANTOPEN_FULLPATH',
      () => {
        const name = readName(this.#memory, zName);
        return this.vfs.fullPathname ? this.vfs.fullPathname(name) : name;
      },
      (full) => {
        const bytes = encode(checkText(full, 'a text'));
        if (bytes.length > this.#longestName || bytes.length >= room) {
          throw new VFSError(
            'SQLITE_CANTOPEN_FULLPATH',
            `the name is ${bytes.length} bytes long; this VFS allows ${this.#longestName}`,
          );
        }
        if (bytes.includes(0)) throw new VFSError('SQLITE_CANTOPEN_FULLPATH', 'the full name holds a NUL');
        this.#writeText(bytes, pResult >>> 0);
        return SQLITE_OK;
      },
    );
  }

  randomness(length: number, pResult: number): number {
    // So many at once are what the platform gives.
    for (let at = 0; at < length; at += 65_536) {
      crypto.getRandomValues(this.#memory.view((pResult >>> 0) + at, Math.min(length - at, 65_536)));
    }
    return length;
  }

  /** Where nothing can happen meanwhile, it does not wait. */
  sleep(microseconds: number): Answer {
    if (!this.suspends) return 0;
    return new Promise((done) => setTimeout(done, microseconds / 1000, microseconds));
  }

  currentTime(pResult: number): number {
    this.#memory.f64[pResult >>> 3] = (Date.now() + JULIAN_EPOCH) / 86_400_000;
    return SQLITE_OK;
  }

  currentTimeInt64(pResult: number): number {
    this.#writeInt64(pResult, Date.now() + JULIAN_EPOCH);
    return SQLITE_OK;
  }

  /** SQLite itself passes no room, and asks for the number alone. */
  lastError(room: number, pResult: number): number {
    if (this.#error === undefined) return SQLITE_OK;
    if (room > 0 && pResult !== 0) {
      this.#writeText(encode(wordsOf(this.#error)).subarray(0, room - 1), pResult >>> 0);
    }
    return codeOf(this.#error, 'SQLITE_IOERR');
  }

  /** Why no library was loaded. */
  noLibraries(room: number, pResult: number): void {
    const words = encode('extensions cannot be loaded through this VFS');
    if (room > 0) this.#writeText(words.subarray(0, room - 1), pResult >>> 0);
  }

  // --- sqlite3_io_methods ---

  close(pFile: number): Answer {
    const open = this.#files.get(pFile);
    // One that was never opened: not every build spares us that.
    if (open === undefined) return this.suspends ? Promise.resolve(SQLITE_OK) : SQLITE_OK;
    // Whatever it answers, it is closed.
    this.#files.delete(pFile);
    return this.#call(
      'SQLITE_IOERR_CLOSE',
      () => {
        // SQLite has given it up by now, unless it closes after a failure.
        try {
          return open.file.close();
        } finally {
          open.lock.release();
        }
      },
      checkNothing,
    );
  }

  read(pFile: number, pBuffer: number, length: number, offset: number): Answer {
    if (this.suspends) return this.#readLater(pFile, pBuffer >>> 0, length, offset);
    const open = this.#files.get(pFile);
    if (open === undefined) return this.#closed();
    const buffer = this.#memory.view(pBuffer >>> 0, length);
    try {
      const count = open.file.read(buffer, offset);
      if (count === length && buffer.length === length) return SQLITE_OK;
      if (buffer.length === length) return ended(buffer, count);
    } catch (error) {
      if (buffer.length === length) return this.#failed(error, 'SQLITE_IOERR_READ');
    }
    // The method made this memory grow, and its buffer was gone: it is asked once more, with bytes of its own.
    try {
      const copy = new Uint8Array(length);
      const code = ended(copy, open.file.read(copy, offset));
      this.#memory.u8.set(copy, pBuffer >>> 0);
      return code;
    } catch (error) {
      return this.#failed(error, 'SQLITE_IOERR_READ');
    }
  }

  /** Memory may grow, and then its views are gone, while a method is waited for: it gets bytes of its own. */
  async #readLater(pFile: number, pBuffer: number, length: number, offset: number): Promise<number> {
    const open = this.#files.get(pFile);
    if (open === undefined) return this.#closed();
    try {
      const buffer = new Uint8Array(length);
      const code = ended(buffer, await open.file.read(buffer, offset));
      this.#memory.u8.set(buffer, pBuffer);
      return code;
    } catch (error) {
      return this.#failed(error, 'SQLITE_IOERR_READ');
    }
  }

  write(pFile: number, pBuffer: number, length: number, offset: number): Answer {
    const open = this.#files.get(pFile);
    if (open === undefined) return this.#now(this.#closed());
    if (open.sinceLocked === 'nothing') open.sinceLocked = 'pages';
    if (this.suspends) return this.#writeLater(open, pBuffer >>> 0, length, offset);
    const buffer = this.#memory.view(pBuffer >>> 0, length);
    try {
      const answer = open.file.write(buffer, offset);
      if (buffer.length === length) return answer === undefined ? SQLITE_OK : checkNothing(answer);
    } catch (error) {
      if (buffer.length === length) return this.#failed(error, 'SQLITE_IOERR_WRITE');
    }
    // As for reading.
    try {
      return checkNothing(open.file.write(this.#memory.copy(pBuffer >>> 0, length), offset));
    } catch (error) {
      return this.#failed(error, 'SQLITE_IOERR_WRITE');
    }
  }

  async #writeLater(open: OpenFile, pBuffer: number, length: number, offset: number): Promise<number> {
    try {
      await open.file.write(this.#memory.copy(pBuffer, length), offset);
      return SQLITE_OK;
    } catch (error) {
      return this.#failed(error, 'SQLITE_IOERR_WRITE');
    }
  }

  truncate(pFile: number, size: number): Answer {
    return this.#ask(pFile, 'SQLITE_IOERR_TRUNCATE', ({ file }) => file.truncate(size), checkNothing);
  }

  sync(pFile: number, flags: number): Answer {
    return this.#ask(pFile, 'SQLITE_IOERR_FSYNC', ({ file }) => file.sync(flags), checkNothing);
  }

  size(pFile: number, pResult: number): Answer {
    return this.#ask(
      pFile,
      'SQLITE_IOERR_FSTAT',
      ({ file }) => file.size(),
      (size) => {
        this.#writeInt64(pResult, checkSize(size));
        return SQLITE_OK;
      },
    );
  }

  lock(pFile: number, level: number): Answer {
    return this.#ask<unknown>(
      pFile,
      'SQLITE_IOERR_LOCK',
      (open) => {
        if (level === SQLITE_LOCK_EXCLUSIVE) open.sinceLocked = 'nothing';
        return open.file.lock ? open.file.lock(level) : open.lock.lock(level);
      },
      (answer) => (answer === false ? SQLITE_BUSY : checkNothing(answer)),
    );
  }

  unlock(pFile: number, level: number): Answer {
    return this.#ask(
      pFile,
      'SQLITE_IOERR_UNLOCK',
      (open) => {
        open.sinceLocked = 'unlocked';
        return open.file.unlock ? open.file.unlock(level) : open.lock.unlock(level);
      },
      checkNothing,
    );
  }

  checkReservedLock(pFile: number, pResult: number): Answer {
    this.#memory.i32[pResult >>> 2] = 0;
    return this.#ask(
      pFile,
      'SQLITE_IOERR_CHECKRESERVEDLOCK',
      ({ file, lock }) => (file.hasReservedLock ? file.hasReservedLock() : lock.isReserved),
      (reserved) => {
        this.#memory.i32[pResult >>> 2] = checkBoolean(reserved);
        return SQLITE_OK;
      },
    );
  }

  fileControl(pFile: number, op: number, pArgument: number): Answer {
    if (op === SQLITE_FCNTL_PRAGMA) return this.#pragma(pFile, pArgument >>> 2);
    if (op === SQLITE_FCNTL_VFSNAME) {
      this.#memory.u32[pArgument >>> 2] = this.#newText(this.name);
      return this.#now(SQLITE_OK);
    }
    const kind = VALUES[op];
    const open = this.#files.get(pFile);
    if (open && this.#spilled(open, op)) return this.#now(SQLITE_IOERR_BEGIN_ATOMIC);
    if (!open?.file.fileControl || (kind === undefined && !PLAIN_CONTROLS.includes(op))) {
      return this.#now(SQLITE_NOTFOUND);
    }
    const value = kind === undefined || pArgument === 0 ? 0 : this.#readInt(kind, pArgument);
    return this.#ask(
      pFile,
      'SQLITE_IOERR',
      ({ file }) => file.fileControl?.(op, value),
      (answer) => {
        if (answer === undefined || typeof answer === 'boolean') return answer ? SQLITE_OK : SQLITE_NOTFOUND;
        if (typeof answer !== 'number') throw expected('a boolean, a number or undefined', answer);
        if (kind === 'i32 and back') this.#memory.i32[pArgument >>> 2] = answer;
        if (kind === 'i64 and back') this.#writeInt64(pArgument, answer);
        return SQLITE_OK;
      },
    );
  }

  sectorSize(pFile: number): number {
    return this.#files.get(pFile)?.sectorSize ?? 4096;
  }

  deviceCharacteristics(pFile: number): number {
    return this.#files.get(pFile)?.characteristics ?? 0;
  }

  // --- Behind them ---

  /**
   * Is a batch about to begin that SQLite could not undo? What is wrong with it, and when, src/register/file_methods.rs tells,
   * which has the same for our own build.
   */
  #spilled(open: OpenFile, op: number): boolean {
    if (open.sinceLocked !== 'pages') return false;
    if (op === VFS.SQLITE_FCNTL_BEGIN_ATOMIC_WRITE) return true;
    if (
      op === VFS.SQLITE_FCNTL_COMMIT_ATOMIC_WRITE ||
      op === VFS.SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE ||
      op === VFS.SQLITE_FCNTL_COMMIT_PHASETWO
    ) {
      open.sinceLocked = 'nothing';
    }
    return false;
  }

  /** @param words Three of them: a place for an answer, the name, and the value or 0. */
  #pragma(pFile: number, words: number): Answer {
    const { u32 } = this.#memory;
    const name = readName(this.#memory, u32[words + 1] as number);
    const pValue = u32[words + 2] as number;
    const value = pValue === 0 ? null : readName(this.#memory, pValue);
    const refused = (error: unknown): number => {
      this.#error = error;
      const text = this.#newText(wordsOf(error));
      this.#memory.u32[words] = text;
      return codeOf(error, 'SQLITE_ERROR');
    };
    if (name.toLowerCase() === 'journal_mode' && value?.toLowerCase() === 'wal') {
      refused(inWalMode('the journal mode stays what it is'));
      return this.#now(SQLITE_ERROR);
    }
    const open = this.#files.get(pFile);
    if (!open?.file.pragma) return this.#now(SQLITE_NOTFOUND);
    return this.#settled(
      () => open.file.pragma?.(name, value),
      (answer) => {
        if (answer === undefined) return SQLITE_NOTFOUND;
        if (answer !== null) {
          const text = this.#newText(checkText(answer, 'a text, null or undefined'));
          this.#memory.u32[words] = text;
        }
        return SQLITE_OK;
      },
      refused,
    );
  }

  /** Takes in what the VFS has opened. */
  #opened(file: unknown, path: string | null, pFile: number, flags: number, pOutFlags: number): Answer {
    const take = (header: Uint8Array | undefined): Answer => {
      const checked = checkFile(file);
      if (header?.[18] === 2 || header?.[19] === 2) throw inWalMode(`'${path}' is in WAL mode`);
      const sectorSize = checked.sectorSize?.() ?? 4096;
      const characteristics = checked.deviceCharacteristics?.() ?? 0;
      const readOnly = checked.readOnly === true || (flags & VFS.SQLITE_OPEN_READONLY) !== 0;
      if (readOnly && !(flags & (VFS.SQLITE_OPEN_READONLY | VFS.SQLITE_OPEN_MAIN_DB))) {
        // SQLite looks at what was granted for databases alone.
        throw new VFSError('SQLITE_CANTOPEN', 'a file that SQLite writes was opened for reading only');
      }
      const lock = lockOf(this.vfs, path, flags);
      this.#files.set(pFile, { file: checked, lock, sectorSize, characteristics, sinceLocked: 'unlocked' });
      if (pOutFlags !== 0) {
        const access = VFS.SQLITE_OPEN_READONLY | VFS.SQLITE_OPEN_READWRITE;
        const granted = readOnly ? VFS.SQLITE_OPEN_READONLY : VFS.SQLITE_OPEN_READWRITE;
        this.#memory.i32[pOutFlags >>> 2] = (flags & ~access) | granted;
      }
      return SQLITE_OK;
    };
    // It is open, and nobody else will close it.
    const refuse = (error: unknown): Answer => {
      const closed = closeQuietly(file);
      if (!this.suspends) throw error;
      return closed.then(() => {
        throw error;
      });
    };
    try {
      if (!(flags & VFS.SQLITE_OPEN_MAIN_DB)) return take(undefined);
      const header = new Uint8Array(HEADER_SIZE);
      const count = checkFile(file).read(header, 0);
      if (this.suspends && isPromise(count)) {
        return Promise.resolve(count)
          .then((count) => take(header.subarray(0, checkCount(count, HEADER_SIZE))))
          .catch(refuse);
      }
      return take(header.subarray(0, checkCount(count, HEADER_SIZE)));
    } catch (error) {
      return refuse(error);
    }
  }

  #check(): void {
    if (!this.#registered) throw new VFSError('SQLITE_MISUSE', `the VFS '${this.name}' was unregistered`);
  }

  #closed(): number {
    return this.#failed(new VFSError('SQLITE_MISUSE', 'this file was closed'), 'SQLITE_MISUSE');
  }

  #call<T>(code: VFSErrorCode, ask: () => T | Promise<T>, answer: (value: T) => Answer): Answer {
    return this.#settled(ask, answer, (error) => this.#failed(error, code));
  }

  #ask<T>(
    pFile: number,
    code: VFSErrorCode,
    ask: (open: OpenFile) => T | Promise<T>,
    answer: (value: T) => Answer,
  ): Answer {
    const open = this.#files.get(pFile);
    if (open === undefined) return this.#now(this.#closed());
    return this.#call(code, () => ask(open), answer);
  }

  #failed(error: unknown, code: VFSErrorCode): number {
    this.#error = error;
    return codeOf(error, code);
  }

  /** What is known at once, in the way that methods answer. */
  #now(code: number): Answer {
    return this.suspends ? Promise.resolve(code) : code;
  }

  #readInt(kind: string, pointer: number): number {
    const low = this.#memory.i32[pointer >>> 2] as number;
    if (kind.startsWith('i32')) return low;
    return (this.#memory.i32[(pointer >>> 2) + 1] as number) * 2 ** 32 + (low >>> 0);
  }

  /** Without a BigInt, which would be an allocation. */
  #writeInt64(pointer: number, value: number): void {
    const { i32 } = this.#memory;
    i32[pointer >>> 2] = value;
    i32[(pointer >>> 2) + 1] = Math.floor(value / 2 ** 32);
  }

  #writeText(bytes: Uint8Array, pointer: number): void {
    this.#memory.u8.set(bytes, pointer);
    this.#memory.u8[pointer + bytes.length] = 0;
  }

  /** A text that SQLite frees; 0 if there is no room. */
  #newText(text: string): number {
    // What follows a NUL would be lost in any case.
    const bytes = encode(text.split('\0', 1)[0] as string);
    const pointer = this.#theirs.malloc(bytes.length + 1) >>> 0;
    if (pointer !== 0) this.#writeText(bytes, pointer);
    return pointer;
  }
}

/** What was not read must be zero, or corruption follows. */
function ended(buffer: Uint8Array, count: unknown): number {
  const checked = checkCount(count, buffer.length);
  if (checked === buffer.length) return SQLITE_OK;
  buffer.fill(0, checked);
  return SQLITE_IOERR_SHORT_READ;
}

function inWalMode(what: string): VFSError {
  return new VFSError(
    'SQLITE_CANTOPEN',
    `${what}: a VFS that is lent to another build of SQLite has no write-ahead log, whose index cannot lie in two memories. ` +
      'Use another journal mode: PRAGMA journal_mode=delete, in sqlite-vfs-kit, takes a database out of WAL mode.',
  );
}
