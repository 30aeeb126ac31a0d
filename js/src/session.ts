/** Sessions, in `node:sqlite`'s shape. */
/// <reference lib="esnext.disposable" preserve="true" />
import { illegalConstructor } from './errors.js';
import { forgotten, keepDatabase } from './forgotten.js';
import type { Recording } from './recording.js';

/** Opens the constructor to `createSession` alone. */
const key = Symbol();

/** Records the changes of a database, until it is closed. `createSession` makes it. */
export class Session {
  readonly #recording: Recording;

  private constructor(token: symbol, recording: Recording) {
    if (token !== key) throw illegalConstructor();
    this.#recording = recording;
    forgotten.register(this, () => recording.abandon(), this);
  }

  /**
   * @internal
   * @param database Whose connection it is.
   */
  static create(database: object, recording: Recording): Session {
    const session = new Session(key, recording);
    keepDatabase(session, database);
    return session;
  }

  /** The changes until now, for `applyChangeset`. */
  changeset(): Uint8Array<ArrayBuffer> {
    return this.#recording.changes(false);
  }

  /** As `changeset`, without what rows were before: shorter, and fewer conflicts are seen. */
  patchset(): Uint8Array<ArrayBuffer> {
    return this.#recording.changes(true);
  }

  close(): void {
    this.#recording.close();
    forgotten.unregister(this);
  }

  [Symbol.dispose](): void {
    if (this.#recording.isLive) this.close();
  }
}
