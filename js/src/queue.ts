/** Calls of one connection, one after another. */

/** Runs calls in the order in which they were asked for, each when the one before it is over. */
export class Queue {
  #last: Promise<void> = Promise.resolve();

  /** Answers what the call answers, or rejects with what it throws; the next one has its turn in either case. */
  async add<T>(call: () => T | Promise<T>): Promise<T> {
    const before = this.#last;
    let isOver!: () => void;
    this.#last = new Promise((resolve) => {
      isOver = resolve;
    });
    await before;
    try {
      return await call();
    } finally {
      isOver();
    }
  }

  /** As `add`, for a call of whose failure nobody is to hear. */
  addQuietly(call: () => unknown): void {
    this.add(call).catch(() => {});
  }
}

/**
 * Reads the arguments of a call while they are what the caller has passed. They are answered, or what is wrong with them is thrown,
 * when the call has its turn.
 */
export function early<T>(read: () => T): () => T {
  try {
    const value = read();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
