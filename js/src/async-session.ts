/** Sessions whose methods answer promises. */
/// <reference lib="esnext.disposable" preserve="true" />
import { illegalConstructor } from './errors.js';
import { forgotten, keepDatabase } from './forgotten.js';
import type { Queue } from './queue.js';
import type { Recording } from './recording.js';

/** Opens the constructor to `createSession` alone. */
const key = Symbol();

/** Records the changes of a database, until it is closed. `createSession` makes it. */
export class AsyncSession {
  readonly #queue: Queue;
  readonly #recording: Recording<'async'>;

  private constructor(token: symbol, queue: Queue, recording: Recording<'async'>) {
    if (token !== key) throw illegalConstructor();
    this.#queue = queue;
    this.#recording = recording;
    forgotten.register(this, () => queue.addQuietly(() => recording.abandon()), this);
  }

  /**
   * @internal
   * @param database Whose connection it is.
   */
  static create(database: object, queue: Queue, recording: Recording<'async'>): AsyncSession {
    const session = new AsyncSession(key, queue, recording);
    keepDatabase(session, database);
    return session;
  }

  /** The changes until now, for `applyChangeset`. */
  changeset(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#queue.add(() => this.#recording.changes(false));
  }

  /** As `changeset`, without what rows were before: shorter, and fewer conflicts are seen. */
  patchset(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#queue.add(() => this.#recording.changes(true));
  }

  close(): Promise<void> {
    return this.#queue.add(() => this.#close());
  }

  #close(): void {
    this.#recording.close();
    forgotten.unregister(this);
  }

  /** As `close`, also when it is closed already. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue.add(() => (this.#recording.isLive ? this.#close() : undefined));
  }
}
