/** Functions that run in a transaction, as in better-sqlite3: not in `node:sqlite`. */
import type { DatabaseSync } from './database.js';
import { invalidArgType, invalidState } from './errors.js';

/**
 * Runs its function in a transaction, and answers what that answers. What the function throws undoes all that it did. Called within a
 * transaction, it is a part of it, and what it throws undoes that part alone.
 */
export interface TransactionFunction<F extends (...args: never[]) => unknown> {
  (...args: Parameters<F>): ReturnType<F>;
  /** Locks the file when it first reads or writes, as without a word. */
  readonly deferred: (...args: Parameters<F>) => ReturnType<F>;
  /** Locks the file against other writers from the beginning. */
  readonly immediate: (...args: Parameters<F>) => ReturnType<F>;
  /** Locks the file against all others from the beginning, except in WAL mode, where it is `immediate`. */
  readonly exclusive: (...args: Parameters<F>) => ReturnType<F>;
}

/** Savepoints of one name may be nested: the newest is meant. */
export const SAVEPOINT = '"a transaction of sqlite-vfs-kit"';

export function transactionOf<F extends (...args: never[]) => unknown>(
  db: DatabaseSync,
  run: F,
): TransactionFunction<F> {
  if (typeof run !== 'function') throw invalidArgType('The "fn" argument must be a function.');
  const inTransaction = (begin: string) =>
    function (this: unknown, ...args: Parameters<F>): ReturnType<F> {
      const isPart = db.isTransaction;
      db.exec(isPart ? `SAVEPOINT ${SAVEPOINT}` : begin);
      try {
        const result = run.apply(this, args) as ReturnType<F>;
        if (typeof (result as PromiseLike<unknown> | undefined)?.then === 'function') {
          throw invalidState(
            'The function of a transaction answered a promise: what it does later would not be a part of the transaction.',
          );
        }
        db.exec(isPart ? `RELEASE ${SAVEPOINT}` : 'COMMIT');
        return result;
      } catch (error) {
        undo(db, isPart);
        throw error;
      }
    };
  return Object.assign(inTransaction('BEGIN'), {
    deferred: inTransaction('BEGIN DEFERRED'),
    immediate: inTransaction('BEGIN IMMEDIATE'),
    exclusive: inTransaction('BEGIN EXCLUSIVE'),
  });
}

/** Some errors have undone the whole transaction already (https://sqlite.org/lang_transaction.html), and the function may have ended it. */
function undo(db: DatabaseSync, isPart: boolean): void {
  if (!db.isOpen || !db.isTransaction) return;
  try {
    db.exec(isPart ? `ROLLBACK TO ${SAVEPOINT}; RELEASE ${SAVEPOINT}` : 'ROLLBACK');
  } catch {
    // What went wrong first is what is to be heard of.
  }
}
