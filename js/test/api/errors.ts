/** Errors as plain objects, to be compared whole. */

export interface Thrown {
  name: string;
  code?: unknown;
  message: string;
  errcode?: unknown;
  errstr?: unknown;
}

/** What a call throws, without what is undefined. A call that throws nothing fails the test. */
export function thrown(call: () => unknown): Thrown {
  let answer: unknown;
  try {
    answer = call();
  } catch (error) {
    return describe(error);
  }
  throw new Error(`nothing was thrown, and the answer was of type ${typeof answer}`);
}

/** As `thrown`, of a promise that rejects. */
export async function rejected(promise: Promise<unknown>): Promise<Thrown> {
  let answer: unknown;
  try {
    answer = await promise;
  } catch (error) {
    return describe(error);
  }
  throw new Error(`nothing was thrown, and the answer was of type ${typeof answer}`);
}

function describe(error: unknown): Thrown {
  if (!(error instanceof Error)) throw new Error(`not an Error: ${String(error)}`);
  const { name, message } = error;
  const { code, errcode, errstr } = error as { code?: unknown; errcode?: unknown; errstr?: unknown };
  const all = { name, code, message, errcode, errstr };
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  ) as unknown as Thrown;
}

export const argType = (message: string): Thrown => ({
  name: 'TypeError',
  code: 'ERR_INVALID_ARG_TYPE',
  message,
});

export const argValue = (message: string): Thrown => ({
  name: 'TypeError',
  code: 'ERR_INVALID_ARG_VALUE',
  message,
});

export const state = (message: string): Thrown => ({ name: 'Error', code: 'ERR_INVALID_STATE', message });

export const tooLarge = (value: bigint): Thrown => ({
  name: 'RangeError',
  code: 'ERR_OUT_OF_RANGE',
  message: `Value is too large to be represented as a JavaScript number: ${value}`,
});

/** An error of SQLite's. */
export const sqlError = (message: string, errcode = 1, errstr = 'SQL logic error'): Thrown => ({
  name: 'Error',
  code: 'ERR_SQLITE_ERROR',
  message,
  errcode,
  errstr,
});

export const constraint = (message: string, errcode: number): Thrown =>
  sqlError(message, errcode, 'constraint failed');

export const notOpen = state('database is not open');
export const finalized = state('statement has been finalized');
export const invalidated = state('iterator was invalidated');
