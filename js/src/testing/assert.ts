/** What a case says when it fails. The kit runs in any test runner, and brings no other's assertions. */

/** A VFS does not do what a case asks of it. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError';
}

/** What was thrown, as far as cases look at it. */
export interface Thrown {
  readonly message: string;
  readonly cause?: unknown;
  /** Of a `VFSError`, or of an error of the API. */
  readonly code?: string;
  /** SQLite's extended code. */
  readonly errcode?: number;
}

export function ok(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new ConformanceError(otherwise);
}

export function equal<T extends number | string | boolean | null | undefined>(
  actual: unknown,
  expected: T,
  what: string,
): asserts actual is T {
  ok(Object.is(actual, expected), `${what}: ${String(actual)}; expected was ${String(expected)}`);
}

export function sameBytes(actual: Uint8Array, expected: Uint8Array, what: string): void {
  equal(actual.length, expected.length, `${what}, length`);
  for (let i = 0; i < actual.length; i++) {
    if (actual[i] !== expected[i]) {
      throw new ConformanceError(`${what}: byte ${i} is ${actual[i]}; expected was ${expected[i]}`);
    }
  }
}

/** Runs what must fail, and answers what it threw. */
export async function thrownBy(body: () => unknown, what: string): Promise<Thrown> {
  try {
    await body();
  } catch (error) {
    return error as Thrown;
  }
  throw new ConformanceError(`${what}: succeeded, and must not`);
}

/** Runs SQL that must fail with this result code; the bits above the primary code count where the expected one has some. */
export async function failsWith(errcode: number, body: () => unknown, what: string): Promise<Thrown> {
  const error = await thrownBy(body, what);
  const found = error?.errcode;
  const seen = found !== undefined && errcode < 256 ? found & 255 : found;
  ok(
    seen === errcode,
    `${what}: failed with ${found ?? 'no code'} (${error?.message}); expected was ${errcode}`,
  );
  return error;
}
