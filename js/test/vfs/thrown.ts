/** What a call throws, as tests look at it. */
export function errorOf(body: () => unknown): Error & { errcode?: number; code?: string } {
  try {
    body();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
