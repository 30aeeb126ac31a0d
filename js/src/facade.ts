/**
 * The facade: what the author of a VFS implements.
 *
 * A VFS is two classes. One opens, deletes and finds files by name; the other reads and writes one of them. The methods that a
 * class must have are abstract; SQLite does without the others.
 *
 * In a VFS with `async = true`, methods may answer promises. It needs the build of `sqlite-vfs-kit/jspi`.
 */

type Async<T> = T | Promise<T>;

/** What is known of a file beyond its name, when it is opened. */
export interface OpenDetails {
  /** The database that the file is, or whose journal or log it is; null for other kinds of files. */
  readonly database: string | null;
  /** Parameters of the URI by which the database was opened: `?vfs=tape&speed=2`. */
  readonly parameters: URLSearchParams;
}

/** A place that keeps files for SQLite: `sqlite3_vfs` (https://sqlite.org/c3ref/vfs.html). */
export abstract class FacadeVFS {
  /** What it is registered as, and asked for by: `new DatabaseSync('x.db', { vfs: name })`. */
  abstract readonly name: string;

  /** Methods of this VFS and of its files may answer promises. */
  readonly async?: boolean;

  /** Length of the longest name, in bytes of UTF-8: 1024 if left out. */
  readonly maxPathname?: number;

  /**
   * Opens a file.
   *
   * @param path Null for a temporary file, which is gone when it is closed.
   * @param flags `VFS.SQLITE_OPEN_…`: what the file is, and how it is to be opened. A missing file is made with
   *   `SQLITE_OPEN_CREATE`, and else refused: throw `new VFSError('SQLITE_CANTOPEN', …)`.
   */
  abstract open(path: string | null, flags: number, details: OpenDetails): Async<FacadeFile>;

  /**
   * Deletes a file. If there is none, that is no error.
   *
   * @param syncDir The deletion must be durable when this is done: in `journal_mode=delete` it is the commit.
   */
  abstract delete(path: string, syncDir: boolean): Async<void>;

  /**
   * Is there a file of this name? A log (`…-wal`) that exists and is empty would put a database into WAL mode: better not keep
   * one.
   */
  abstract exists(path: string): Async<boolean>;

  /** The full form of a name; all other methods get that one. Left out, names are full already. */
  fullPathname?(name: string): Async<string>;
}

/**
 * One open file: `sqlite3_io_methods` (https://sqlite.org/c3ref/io_methods.html). Lengths and offsets are bytes; offsets are
 * exact up to 2^53.
 */
export abstract class FacadeFile {
  /** The file may only be read, asked for or not. */
  readonly readOnly?: boolean;

  /**
   * Reads into `buffer`, from `offset` on.
   *
   * `buffer` is a real `Uint8Array`, SQLite's own memory, and valid until the method returns; in an async VFS, until its
   * promise settles, and then it is a copy. If the method uses SQLite itself and memory grows meanwhile, which takes the buffer
   * away, it is called once more with a copy; so it is with `write`.
   *
   * @returns How many bytes were read. Fewer than `buffer.length` means that the file ends there; the rest is filled with zeros
   *   by the caller.
   */
  abstract read(buffer: Uint8Array<ArrayBuffer>, offset: number): Async<number>;

  /**
   * Writes all of `buffer` at `offset`; a gap after the end of the file reads as zeros. Keep a copy, not the buffer: it is valid
   * as that of `read` is. Throw `new VFSError('SQLITE_FULL', …)` when there is no space.
   */
  abstract write(buffer: Uint8Array<ArrayBuffer>, offset: number): Async<void>;

  /** Makes the file this long: shorter by cutting, longer with zeros. */
  abstract truncate(size: number): Async<void>;

  /** Makes everything written durable. `flags`: `VFS.SQLITE_SYNC_…`. */
  abstract sync(flags: number): Async<void>;

  /** How long the file is. */
  abstract size(): Async<number>;

  /** Closes the file. Whatever becomes of it, SQLite will not use it again. */
  abstract close(): Async<void>;

  // --- Locks. Left out, all three of them, connections of this thread lock each other. ---

  /**
   * Raises this file's lock to a level, `VFS.SQLITE_LOCK_…`. Throw `new VFSError('SQLITE_BUSY', …)` when another connection's
   * stands in the way.
   */
  lock?(level: number): Async<void>;

  /** Lowers it, to `SQLITE_LOCK_SHARED` or `SQLITE_LOCK_NONE`. */
  unlock?(level: number): Async<void>;

  /** Does any connection, this one included, hold `SQLITE_LOCK_RESERVED` or more? */
  hasReservedLock?(): Async<boolean>;

  // --- What the medium is like. Asked once, when the file was opened. ---

  /** The smallest piece, in bytes, that is written without touching its neighbours: 4096 if left out. */
  sectorSize?(): number;

  /** What the medium promises: `VFS.SQLITE_IOCAP_…`. Left out, nothing. */
  deviceCharacteristics?(): number;

  // --- Beyond reading and writing ---

  /**
   * Deals with a `PRAGMA` before SQLite does. Throwing refuses it, with the error's message.
   *
   * @param value The text after `=` or in brackets; null for none.
   * @returns `undefined` if it is SQLite's to deal with; a text to return as the statement's row; null for no row.
   */
  pragma?(name: string, value: string | null): Async<string | null | undefined>;

  /**
   * Deals with another file control.
   *
   * @param op `VFS.SQLITE_FCNTL_…`
   * @param value What comes with it; 0 for nothing.
   * @returns False or `undefined` for "no answer to this"; true for "done"; a number to answer with one.
   */
  fileControl?(op: number, value: number): Async<boolean | number | undefined>;

  /**
   * The index of a write-ahead log, shared with all connections to this database. With it, WAL needs no exclusive locking.
   * `new WalIndex(path)` is one in the memory of this instance.
   */
  readonly walIndex?: WalIndexMethods;
}

/** The methods `xShmMap`, `xShmLock`, `xShmBarrier`, `xShmUnmap` (https://sqlite.org/walformat.html#shm). */
export interface WalIndexMethods {
  /**
   * @param region Number of the region, of `size` bytes each.
   * @param extend Make it if there is none yet.
   * @returns Where it is in the memory of the instance, the same for all connections; 0 if it is not there.
   */
  map(region: number, size: number, extend: boolean): number;
  /**
   * Takes or gives back the slots `first` to `first + n - 1`. Throw `new VFSError('SQLITE_BUSY', …)` when another connection
   * holds one.
   *
   * @param flags `VFS.SQLITE_SHM_…`
   */
  lock(first: number, n: number, flags: number): void;
  /** What was written before is visible to all after. */
  barrier(): void;
  /** This connection is done with it; with `deleting`, so is everybody. */
  unmap(deleting: boolean): void;
}
