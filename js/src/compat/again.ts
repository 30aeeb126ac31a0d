/** Calls that are made again, for classes that answer `SQLITE_BUSY` and say in `retryOps` what is to be waited for. */
import type { Again } from '../queue.js';
import { settlePending, settleRetries } from './module.js';
import { Refusal } from './refusal.js';

/**
 * How often a call is made. wa-sqlite makes one twice; a call here does more at once than one there, and each part of it may have to
 * wait. What was waited for is a lock or a handle that nobody else can take before the call is made again.
 */
const MOST = 10;

export const again: Again = async (call) => {
  let isHinted = false;
  for (let made = 1; ; made++) {
    try {
      const answer = await call();
      await settlePending();
      return answer;
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined || made === MOST) throw error;
      if (refusal.hint) {
        // It was given in vain, as in the middle of a transaction.
        if (isHinted) throw error;
        isHinted = true;
      } else if (refusal.vfs.module.retryOps.length === 0) throw error;
      try {
        await settleRetries(refusal.vfs.module);
      } catch (cause) {
        throw Object.defineProperty(error as Error, 'cause', { value: cause, configurable: true });
      }
    }
  }
};

/** What a class has answered in the call that failed. */
function refusalIn(error: unknown): Refusal | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Refusal ? cause : undefined;
}
