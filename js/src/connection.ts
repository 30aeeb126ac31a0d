/** One open connection: what a database and its statements share. */
import { type Engine, SQLITE_OK } from './engine.js';
import { invalidState } from './errors.js';

export class Connection {
  readonly engine: Engine;
  #pointer: number;

  private constructor(engine: Engine, pointer: number) {
    this.engine = engine;
    this.#pointer = pointer;
  }

  /** @param flags `SQLITE_OPEN_…` */
  static open(engine: Engine, path: string, flags: number, vfs: string | undefined): Connection {
    const { exports } = engine;
    const pointer =
      vfs === undefined
        ? engine.withText([path], (path) => exports.kit_open(path as number, flags, 0))
        : engine.withText([path, vfs], (path, vfs) => exports.kit_open(path as number, flags, vfs as number));
    if (pointer === 0) throw engine.errorOf(engine.code, engine.text());
    const connection = new Connection(engine, pointer);
    return connection;
  }

  get isOpen(): boolean {
    return this.#pointer !== 0;
  }

  /** For calls into wasm. */
  get pointer(): number {
    if (this.#pointer === 0) throw invalidState('database is not open');
    return this.#pointer;
  }

  /** Closes it and frees all its statements, which notice by `isOpen`. */
  close(): void {
    const { pointer } = this;
    if (this.engine.exports.kit_close(pointer) !== SQLITE_OK) throw this.error();
    this.#pointer = 0;
  }

  /** Throws if the code says that a call failed. */
  check(code: number): void {
    if (code !== SQLITE_OK) throw this.error();
  }

  /** SQLite's last error on this connection. */
  error(): Error {
    return this.engine.error(this.pointer);
  }
}

/** Closes what was forgotten: a database, or a statement, that nobody can reach any more. */
export const forgotten = new FinalizationRegistry<{ connection: Connection; statement: number | undefined }>(
  ({ connection, statement }) => {
    if (!connection.isOpen) return;
    if (statement === undefined) connection.close();
    else connection.engine.exports.kit_finalize(statement);
  },
);
