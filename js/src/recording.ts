/** What is recorded of a database's changes: what `Session` and `AsyncSession` share. */
import { type Answer, atOnce, type Mode } from './answer.js';
import type { SessionOptions } from './changeset-arguments.js';
import type { Connection } from './connection.js';
import { invalidState } from './errors.js';

export class Recording<M extends Mode = 'sync'> {
  readonly #connection: Connection<M>;
  readonly #pointer: number;
  readonly #isDatabaseOpen: () => boolean;

  constructor(connection: Connection<M>, options: SessionOptions, isDatabaseOpen: () => boolean) {
    this.#connection = connection;
    this.#pointer = connection.createSession(options);
    this.#isDatabaseOpen = isDatabaseOpen;
  }

  get isLive(): boolean {
    return this.#isDatabaseOpen() && this.#connection.hasSession(this.#pointer);
  }

  changes(asPatchset: boolean): Answer<M, Uint8Array<ArrayBuffer>> {
    return this.#live().changes(this.#pointer, asPatchset);
  }

  close(): void {
    const connection = this.#live();
    if (connection.isInCallback) throw invalidState('session cannot be closed while in a callback');
    connection.deleteSession(this.#pointer);
  }

  /** Ends what was forgotten. */
  abandon(): Answer<M, void> {
    const connection = this.#connection;
    if (connection.isOpen && !connection.context.engine.hasStopped) connection.deleteSession(this.#pointer);
    return atOnce(undefined);
  }

  #live(): Connection<M> {
    if (!this.#isDatabaseOpen()) throw invalidState('database is not open');
    if (!this.isLive) throw invalidState('session is not open');
    return this.#connection;
  }
}
