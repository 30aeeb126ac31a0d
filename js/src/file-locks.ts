/**
 * SQLite's five lock levels (https://sqlite.org/lockingv3.html) for files of VFSes in JavaScript that do not lock themselves. All
 * connections of this thread see each other's, whichever build of SQLite they belong to. What Rust's stores have is
 * `src/lock.rs`.
 */
import {
  SQLITE_LOCK_EXCLUSIVE,
  SQLITE_LOCK_NONE,
  SQLITE_LOCK_PENDING,
  SQLITE_LOCK_RESERVED,
  SQLITE_LOCK_SHARED,
  SQLITE_OPEN_MAIN_DB,
} from './vfs-constants.js';

/** The locks on one file. */
interface Table {
  /** Open files that share it. */
  users: number;
  /** How many of them hold SHARED or more. */
  readers: number;
  /** The highest level that the one writer holds: NONE where there is none, else RESERVED or more. */
  writer: number;
}

/** By the VFS, and by the name of the file: names are full. */
const tables = new WeakMap<object, Map<string, Table>>();

/** One open file's lock. */
export class FileLock {
  readonly #table: Table;
  readonly #forget: () => void;
  #level = SQLITE_LOCK_NONE;

  constructor(table: Table, forget: () => void) {
    this.#table = table;
    this.#forget = forget;
    table.users++;
  }

  /**
   * Raises the lock, and answers false when another's stands in the way. A refused EXCLUSIVE leaves PENDING behind: no new reader is
   * let in, so the writer gets its turn.
   */
  lock(level: number): boolean {
    if (level <= this.#level) return true;
    const table = this.#table;
    if (this.#level === SQLITE_LOCK_NONE) {
      if (table.writer >= SQLITE_LOCK_PENDING) return false;
      table.readers++;
      this.#level = SQLITE_LOCK_SHARED;
    }
    if (level === SQLITE_LOCK_SHARED) return true;
    // The writer is this one, or nobody may be.
    if (this.#level < SQLITE_LOCK_RESERVED && this.isReserved) return false;
    // A hot journal is rolled back from SHARED straight to EXCLUSIVE, so RESERVED may be skipped.
    const granted = level === SQLITE_LOCK_EXCLUSIVE && table.readers > 1 ? SQLITE_LOCK_PENDING : level;
    table.writer = granted;
    this.#level = granted;
    return granted === level;
  }

  /** Lowers the lock to SHARED or NONE. A level that is not above `level` stays. */
  unlock(level: number): void {
    if (level >= this.#level) return;
    if (this.#level >= SQLITE_LOCK_RESERVED) this.#table.writer = SQLITE_LOCK_NONE;
    this.#level = SQLITE_LOCK_SHARED;
    if (level !== SQLITE_LOCK_NONE) return;
    this.#table.readers--;
    this.#level = SQLITE_LOCK_NONE;
  }

  /** Does any open file hold RESERVED or more? */
  get isReserved(): boolean {
    return this.#table.writer >= SQLITE_LOCK_RESERVED;
  }

  /** The file was closed. */
  release(): void {
    this.unlock(SQLITE_LOCK_NONE);
    if (--this.#table.users === 0) this.#forget();
  }
}

/** The lock of a file that was just opened. Databases alone are shared, and locked by SQLite. */
export function lockOf(vfs: object, path: string | null, flags: number): FileLock {
  const fresh = { users: 0, readers: 0, writer: SQLITE_LOCK_NONE };
  if (path === null || !(flags & SQLITE_OPEN_MAIN_DB)) return new FileLock(fresh, () => {});
  let ofVfs = tables.get(vfs);
  if (!ofVfs) {
    ofVfs = new Map();
    tables.set(vfs, ofVfs);
  }
  const names = ofVfs;
  const table = names.get(path) ?? fresh;
  names.set(path, table);
  return new FileLock(table, () => names.delete(path));
}
