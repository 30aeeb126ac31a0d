/** Errors in the shape of Node's: `code`, and for what SQLite says `errcode` and `errstr`. */

/** An error that SQLite answered (`ERR_SQLITE_ERROR`). */
export interface SqliteError extends Error {
  code: 'ERR_SQLITE_ERROR';
  /** SQLite's extended result code (https://sqlite.org/rescode.html). */
  errcode: number;
  /** What that code means in general; `message` says it of this case. */
  errstr: string;
}

export function sqliteError(message: string, errcode: number, errstr: string): SqliteError {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' as const, errcode, errstr });
}

function coded<E extends Error>(error: E, code: string): E & { code: string } {
  return Object.assign(error, { code });
}

export const invalidState = (message: string, cause?: unknown) =>
  coded(new Error(message, cause === undefined ? undefined : { cause }), 'ERR_INVALID_STATE');

export const invalidArgType = (message: string) => coded(new TypeError(message), 'ERR_INVALID_ARG_TYPE');

export const invalidArgValue = (message: string) => coded(new TypeError(message), 'ERR_INVALID_ARG_VALUE');

export const outOfRange = (message: string) => coded(new RangeError(message), 'ERR_OUT_OF_RANGE');

export const tooLarge = (value: bigint) =>
  outOfRange(`Value is too large to be represented as a JavaScript number: ${value}`);

export const noExtension = (message: string) => coded(new Error(message), 'ERR_LOAD_SQLITE_EXTENSION');

export const illegalConstructor = () => coded(new Error('Illegal constructor'), 'ERR_ILLEGAL_CONSTRUCTOR');
