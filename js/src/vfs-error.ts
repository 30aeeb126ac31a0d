/** How a VFS answers with a code of SQLite's. */

/** SQLite's result codes that a VFS may answer with (https://sqlite.org/rescode.html). */
const codes = {
  SQLITE_ERROR: 1,
  SQLITE_PERM: 3,
  SQLITE_BUSY: 5,
  SQLITE_LOCKED: 6,
  SQLITE_NOMEM: 7,
  SQLITE_READONLY: 8,
  SQLITE_INTERRUPT: 9,
  SQLITE_IOERR: 10,
  SQLITE_CORRUPT: 11,
  SQLITE_NOTFOUND: 12,
  SQLITE_FULL: 13,
  SQLITE_CANTOPEN: 14,
  SQLITE_PROTOCOL: 15,
  SQLITE_TOOBIG: 18,
  SQLITE_MISUSE: 21,
  SQLITE_NOLFS: 22,
  SQLITE_AUTH: 23,
  SQLITE_NOTADB: 26,
  SQLITE_BUSY_RECOVERY: 261,
  SQLITE_BUSY_SNAPSHOT: 517,
  SQLITE_BUSY_TIMEOUT: 773,
  SQLITE_READONLY_CANTLOCK: 520,
  SQLITE_READONLY_DBMOVED: 1032,
  SQLITE_READONLY_CANTINIT: 1288,
  SQLITE_READONLY_DIRECTORY: 1544,
  SQLITE_IOERR_READ: 266,
  SQLITE_IOERR_WRITE: 778,
  SQLITE_IOERR_FSYNC: 1034,
  SQLITE_IOERR_DIR_FSYNC: 1290,
  SQLITE_IOERR_TRUNCATE: 1546,
  SQLITE_IOERR_FSTAT: 1802,
  SQLITE_IOERR_UNLOCK: 2058,
  SQLITE_IOERR_RDLOCK: 2314,
  SQLITE_IOERR_DELETE: 2570,
  SQLITE_IOERR_NOMEM: 3082,
  SQLITE_IOERR_ACCESS: 3338,
  SQLITE_IOERR_CHECKRESERVEDLOCK: 3594,
  SQLITE_IOERR_LOCK: 3850,
  SQLITE_IOERR_CLOSE: 4106,
  SQLITE_IOERR_SHMOPEN: 4618,
  SQLITE_IOERR_SHMSIZE: 4874,
  SQLITE_IOERR_SHMLOCK: 5130,
  SQLITE_IOERR_SHMMAP: 5386,
  SQLITE_IOERR_SEEK: 5642,
  SQLITE_IOERR_DELETE_NOENT: 5898,
  SQLITE_IOERR_MMAP: 6154,
  SQLITE_IOERR_AUTH: 7178,
  SQLITE_IOERR_BEGIN_ATOMIC: 7434,
  SQLITE_IOERR_COMMIT_ATOMIC: 7690,
  SQLITE_IOERR_ROLLBACK_ATOMIC: 7946,
  SQLITE_IOERR_DATA: 8202,
  SQLITE_IOERR_CORRUPTFS: 8458,
  SQLITE_CANTOPEN_ISDIR: 526,
  SQLITE_CANTOPEN_FULLPATH: 782,
  SQLITE_CANTOPEN_SYMLINK: 1550,
} as const;

/** A result code's name: `'SQLITE_FULL'`. */
export type VFSErrorCode = keyof typeof codes;

/** @internal The number of a code. */
export const numberOf = (code: VFSErrorCode): number => codes[code];

/**
 * The name of a number: that of its primary code, the lower eight bits, if an extended one has none.
 *
 * @internal
 */
export function nameOfCode(number: number): VFSErrorCode | undefined {
  const names = Object.keys(codes) as VFSErrorCode[];
  return (
    names.find((name) => codes[name] === number) ?? names.find((name) => codes[name] === (number & 0xff))
  );
}

/** @internal The code of a number; of one that no VFS answers with, the general one. */
export const codeNumbered = (number: number): VFSErrorCode =>
  (Object.keys(codes) as VFSErrorCode[]).find((code) => codes[code] === number) ?? 'SQLITE_IOERR';

/**
 * Thrown by a method of a VFS, it answers SQLite with a code. Anything else that is thrown answers with the code for an
 * I/O error of that method.
 */
export class VFSError extends Error {
  readonly code: VFSErrorCode;
  /** SQLite's number for the code. */
  readonly errcode: number;

  constructor(code: VFSErrorCode, message: string = code, options?: ErrorOptions) {
    super(message, options);
    const errcode = Object.hasOwn(codes, code) ? codes[code] : undefined;
    if (errcode === undefined) throw new TypeError(`'${String(code)}' is no code that a VFS may answer with`);
    this.name = 'VFSError';
    this.code = code;
    this.errcode = errcode;
  }
}
