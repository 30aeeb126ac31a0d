/**
 * SQLite's constants for VFSes, by SQLite's names: flags of `open`, lock levels, what `sync` and `fileControl` are asked, and what
 * a device promises.
 */

// --- `open` (https://sqlite.org/c3ref/c_open_autoproxy.html) ---

export const SQLITE_OPEN_READONLY = 0x00000001;
export const SQLITE_OPEN_READWRITE = 0x00000002;
/** Make the file if there is none. */
export const SQLITE_OPEN_CREATE = 0x00000004;
/** The file is gone when it is closed. */
export const SQLITE_OPEN_DELETEONCLOSE = 0x00000008;
/** With `SQLITE_OPEN_CREATE`: fail if there is one. */
export const SQLITE_OPEN_EXCLUSIVE = 0x00000010;
export const SQLITE_OPEN_URI = 0x00000040;

// What the file is: exactly one of these.
export const SQLITE_OPEN_MAIN_DB = 0x00000100;
export const SQLITE_OPEN_TEMP_DB = 0x00000200;
export const SQLITE_OPEN_TRANSIENT_DB = 0x00000400;
export const SQLITE_OPEN_MAIN_JOURNAL = 0x00000800;
export const SQLITE_OPEN_TEMP_JOURNAL = 0x00001000;
export const SQLITE_OPEN_SUBJOURNAL = 0x00002000;
export const SQLITE_OPEN_SUPER_JOURNAL = 0x00004000;
export const SQLITE_OPEN_WAL = 0x00080000;

// --- `lock` and `unlock` (https://sqlite.org/c3ref/c_lock_exclusive.html) ---

export const SQLITE_LOCK_NONE = 0;
export const SQLITE_LOCK_SHARED = 1;
export const SQLITE_LOCK_RESERVED = 2;
export const SQLITE_LOCK_PENDING = 3;
export const SQLITE_LOCK_EXCLUSIVE = 4;

// --- `sync` (https://sqlite.org/c3ref/c_sync_dataonly.html) ---

export const SQLITE_SYNC_NORMAL = 0x02;
export const SQLITE_SYNC_FULL = 0x03;
export const SQLITE_SYNC_DATAONLY = 0x10;

// --- `deviceCharacteristics` (https://sqlite.org/c3ref/c_iocap_atomic.html) ---

export const SQLITE_IOCAP_ATOMIC = 0x00000001;
export const SQLITE_IOCAP_ATOMIC512 = 0x00000002;
export const SQLITE_IOCAP_ATOMIC1K = 0x00000004;
export const SQLITE_IOCAP_ATOMIC2K = 0x00000008;
export const SQLITE_IOCAP_ATOMIC4K = 0x00000010;
export const SQLITE_IOCAP_ATOMIC8K = 0x00000020;
export const SQLITE_IOCAP_ATOMIC16K = 0x00000040;
export const SQLITE_IOCAP_ATOMIC32K = 0x00000080;
export const SQLITE_IOCAP_ATOMIC64K = 0x00000100;
/** When a file grows, its bytes come before its length. */
export const SQLITE_IOCAP_SAFE_APPEND = 0x00000200;
/** Writes become durable in the order in which they were made. */
export const SQLITE_IOCAP_SEQUENTIAL = 0x00000400;
export const SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN = 0x00000800;
/** A write cut off by a crash leaves the bytes around it alone. */
export const SQLITE_IOCAP_POWERSAFE_OVERWRITE = 0x00001000;
/** The file never changes. */
export const SQLITE_IOCAP_IMMUTABLE = 0x00002000;
/** `fileControl` deals with `SQLITE_FCNTL_BEGIN_ATOMIC_WRITE` and its kin. */
export const SQLITE_IOCAP_BATCH_ATOMIC = 0x00004000;
/** Parts of pages may be read. */
export const SQLITE_IOCAP_SUBPAGE_READ = 0x00008000;

// --- `fileControl` (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html) ---

/** Value: how many bytes the file is about to grow to. */
export const SQLITE_FCNTL_SIZE_HINT = 5;
/** Value: grow by multiples of so many bytes. */
export const SQLITE_FCNTL_CHUNK_SIZE = 6;
/** Value and answer: should the log stay when the last connection closes? Negative: only asked. */
export const SQLITE_FCNTL_PERSIST_WAL = 10;
/** Value: bytes that are about to be written anew, all of the file. */
export const SQLITE_FCNTL_OVERWRITE = 11;
/** Value and answer, as `SQLITE_FCNTL_PERSIST_WAL`. */
export const SQLITE_FCNTL_POWERSAFE_OVERWRITE = 13;
/** Value and answer: the new limit in bytes, the old one. */
export const SQLITE_FCNTL_MMAP_SIZE = 18;
/** Answer: 1 if the file was moved or deleted since it was opened. */
export const SQLITE_FCNTL_HAS_MOVED = 20;
/** `sync` comes next, or would but for `synchronous=OFF`. */
export const SQLITE_FCNTL_SYNC = 21;
/** The transaction is durable as far as SQLite is concerned. */
export const SQLITE_FCNTL_COMMIT_PHASETWO = 22;
/** The writes that follow become the file's content together or not at all. */
export const SQLITE_FCNTL_BEGIN_ATOMIC_WRITE = 31;
export const SQLITE_FCNTL_COMMIT_ATOMIC_WRITE = 32;
/** It must succeed: SQLite has no way back of its own. */
export const SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE = 33;
/** Value and answer: milliseconds to wait for a lock. */
export const SQLITE_FCNTL_LOCK_TIMEOUT = 34;
/** A checkpoint is done. */
export const SQLITE_FCNTL_CKPT_DONE = 37;
/** A checkpoint begins. */
export const SQLITE_FCNTL_CKPT_START = 39;

// --- `shmLock` (https://sqlite.org/c3ref/c_shm_exclusive.html) ---

export const SQLITE_SHM_UNLOCK = 1;
export const SQLITE_SHM_LOCK = 2;
export const SQLITE_SHM_SHARED = 4;
export const SQLITE_SHM_EXCLUSIVE = 8;
