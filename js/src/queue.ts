/** Calls of one connection, one after another. */

interface Waiting {
  readonly go: () => void;
  next: Waiting | undefined;
}

/** Makes a call, and makes it again when there is reason to. */
export type Again = <T>(call: () => T | Promise<T>) => Promise<T>;

/** Gives calls their turns in the order in which they ask for them, each when the one before it is over. */
export class Queue {
  /** What makes its calls; undefined if they are simply made. */
  readonly again: Again | undefined;
  #isBusy = false;
  #first: Waiting | undefined;
  #last: Waiting | undefined;

  constructor(again?: Again) {
    this.again = again;
  }

  /** Asks for a turn. Answers what to wait for before it begins: nothing, if no other is under way. It ends with `leave`. */
  enter(): Promise<void> | undefined {
    if (this.#isBusy) return this.#wait();
    this.#isBusy = true;
    return undefined;
  }

  /** It stays busy until nobody waits: whoever comes before the next one begins comes after it. */
  leave(): void {
    const next = this.#first;
    if (next === undefined) {
      this.#isBusy = false;
      return;
    }
    this.#first = next.next;
    if (this.#first === undefined) this.#last = undefined;
    next.go();
  }

  #wait(): Promise<void> {
    return new Promise((go) => {
      const waiting: Waiting = { go, next: undefined };
      if (this.#last) this.#last.next = waiting;
      else this.#first = waiting;
      this.#last = waiting;
    });
  }

  /** Answers what the call answers, or rejects with what it throws; the next one has its turn in either case. */
  add<T>(call: () => T | Promise<T>): Promise<T> {
    const { again } = this;
    return this.addOnce(again ? () => again(call) : call);
  }

  /** As `add`, for a call that sees to it itself what of it is made again. */
  async addOnce<T>(call: () => T | Promise<T>): Promise<T> {
    const turn = this.enter();
    if (turn) await turn;
    try {
      return await call();
    } finally {
      this.leave();
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
