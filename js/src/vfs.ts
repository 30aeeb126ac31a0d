/** The files of a registered VFS, as bytes. */
import { DatabaseSync } from './database.js';
import type { Engine } from './engine.js';
import { SQLITE_OK } from './engine.js';
import { invalidArgType, sqliteError } from './errors.js';
import { engine } from './init.js';
import { stringArgument } from './options.js';
import { decode } from './text.js';

export type FileInfo = {
  name: string;
  /** In bytes. */
  size: number;
};

/** How often an operation of the VFS ran since it was registered or the counts were reset. */
export interface OperationStats {
  calls: number;
  /** Bytes asked to be read or written; 0 for other operations. */
  bytes: number;
}

/** `sqlite3_vfs` and `sqlite3_io_methods`, by short names. */
export type Operation =
  | 'open'
  | 'close'
  | 'delete'
  | 'access'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'size'
  | 'lock'
  | 'unlock'
  | 'control'
  | 'shm';

const SQLITE_NOTADB = 26;
const HEADER = 100;
const MAGIC = 'SQLite format 3\0';

/** A VFS and the files it keeps. */
export class RegisteredVFS {
  readonly name: string;
  readonly #engine: Engine;

  /** @internal */
  constructor(engine: Engine, name: string) {
    this.#engine = engine;
    this.name = name;
  }

  /** All files, sorted by name; journals and write-ahead logs among them. */
  list(): FileInfo[] {
    this.#ask([], (store) => this.#engine.exports.kit_files_list(store));
    return lines(this.#engine).map((line) => {
      const space = line.indexOf(' ');
      return { name: line.slice(space + 1), size: Number(line.slice(0, space)) };
    });
  }

  /**
   * A database as the bytes of one file: what its journal or write-ahead log holds is in it, and it opens anywhere. Of a
   * file that is no database, the bytes.
   */
  export(name: string): Uint8Array<ArrayBuffer> {
    const file = stringArgument(name, 'name');
    const files = this.list();
    const isPart = (suffix: string) => files.some((other) => other.name === file + suffix && other.size > 0);
    if (isPart('-wal') || isPart('-journal')) return this.#serialize(file);
    this.#ask([file], (store, name) => this.#engine.exports.kit_files_read(store, name as number));
    const bytes = this.#engine.bytes();
    // What was lent out may be large; another question takes its place.
    this.#engine.exports.kit_version();
    return withoutWal(bytes);
  }

  /**
   * Puts a database in, in the place of one that is there already.
   *
   * Refused, with nothing changed: bytes that are no database, and a name that a connection has open.
   */
  import(name: string, bytes: Uint8Array): void {
    const file = stringArgument(name, 'name');
    if (!(bytes instanceof Uint8Array)) throw invalidArgType('The "bytes" argument must be a Uint8Array.');
    const fault = faultOf(bytes);
    if (fault) throw sqliteError(`not a database: ${fault}`, SQLITE_NOTADB, 'file is not a database');
    this.#ask(
      [file],
      (store, name, data) => {
        return this.#engine.exports.kit_files_write(store, name as number, data as number, bytes.length);
      },
      bytes,
    );
    // The old file's journal and log would be taken for the new one's.
    for (const suffix of ['-journal', '-wal']) this.delete(file + suffix);
  }

  /** Deletes a file, and answers whether there was one. A file that a connection has open stays, with an error. */
  delete(name: string): boolean {
    const file = stringArgument(name, 'name');
    this.#ask([file], (store, name) => this.#engine.exports.kit_files_delete(store, name as number));
    return this.#engine.code === 1;
  }

  /** How often each operation ran. */
  stats(): Record<Operation, OperationStats> {
    this.#ask([], (store) => this.#engine.exports.kit_files_stats(store));
    const entries = lines(this.#engine).map((line) => {
      const [name, calls, bytes] = line.split(' ');
      return [name, { calls: Number(calls), bytes: Number(bytes) }] as const;
    });
    return Object.fromEntries(entries) as Record<Operation, OperationStats>;
  }

  /** Sets the counts to zero. */
  resetStats(): void {
    this.#ask([], (store) => this.#engine.exports.kit_files_reset_stats(store));
  }

  #ask(names: string[], question: (store: number, ...rest: number[]) => number, bytes?: Uint8Array): void {
    const call = (store?: number, ...rest: number[]) => question(store as number, ...rest);
    const code = this.#engine.withText([this.name, ...names], call, bytes);
    if (code !== SQLITE_OK) throw this.#engine.errorOf(code, this.#engine.text());
  }

  #serialize(file: string): Uint8Array<ArrayBuffer> {
    const db = new DatabaseSync(file, { vfs: this.name });
    try {
      return withoutWal(db.serialize());
    } finally {
      db.close();
    }
  }
}

/** A registered VFS by name; by default the one that `DatabaseSync` uses. Throws if there is none. */
export function getVFS(name = 'memory'): RegisteredVFS {
  const vfs = new RegisteredVFS(engine(), stringArgument(name, 'name'));
  vfs.list();
  return vfs;
}

function lines(engine: Engine): string[] {
  return (engine.text() ?? '').split('\0').slice(0, -1);
}

/** Why bytes cannot be a database (https://sqlite.org/fileformat.html#the_database_header); undefined if they may be one. */
function faultOf(bytes: Uint8Array): string | undefined {
  // An empty file is a database without tables.
  if (bytes.length === 0) return undefined;
  if (bytes.length < HEADER) return `${bytes.length} bytes are fewer than its header has`;
  if (decode(bytes.subarray(0, MAGIC.length)) !== MAGIC) return 'it does not begin with "SQLite format 3"';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const stored = view.getUint16(16);
  const pageSize = stored === 1 ? 65536 : stored;
  if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0)
    return `its page size of ${stored} bytes is impossible`;
  if (bytes.length % pageSize !== 0)
    return `${bytes.length} bytes are no whole number of pages of ${pageSize}`;
  const pages = view.getUint32(28);
  // The number of pages counts only if the version it is valid for is the current one.
  if (view.getUint32(24) === view.getUint32(92) && pages * pageSize > bytes.length) {
    return `its header says ${pages} pages of ${pageSize} bytes, and there are ${bytes.length / pageSize}`;
  }
  return undefined;
}

/** A database that was in WAL mode and has no log any more: its header may say so, and then it opens where WAL cannot work. */
function withoutWal(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (
    bytes.length >= HEADER &&
    bytes[18] === 2 &&
    bytes[19] === 2 &&
    decode(bytes.subarray(0, 16)) === MAGIC
  ) {
    bytes[18] = 1;
    bytes[19] = 1;
  }
  return bytes;
}
