/**
 * Databases within a database: a file is rows of another SQLite database, in pieces.
 *
 * It takes every liberty that the interface leaves. Its methods use SQLite, so memory grows while they run. They answer something
 * where nothing is expected. Its files are frozen objects that inherit from nothing, with arrow functions for methods. It folds
 * names, has locks, pragmas and file controls of its own, and pieces that are no page size of SQLite's.
 */
import {
  type DatabaseSync,
  type FacadeFile,
  FacadeVFS,
  type StatementSync,
  VFS,
  VFSError,
} from 'sqlite-vfs-kit';

const PIECE = 1000;

export class RowVFS extends FacadeVFS {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #locks = new Map<string, Map<object, number>>();
  #temporary = 0;
  /** Transactions of which SQLite said that they are durable. */
  commits = 0;

  constructor(
    override readonly name: string,
    db: DatabaseSync,
  ) {
    super();
    this.#db = db;
    db.exec(`CREATE TABLE IF NOT EXISTS piece (file TEXT, n INTEGER, bytes BLOB, PRIMARY KEY (file, n)) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS file (name TEXT PRIMARY KEY, size INTEGER) WITHOUT ROWID`);
  }

  override fullPathname = (name: string) => name.toLowerCase();

  override exists(path: string): boolean {
    return this.#size(path) > 0;
  }

  override delete(path: string): void {
    this.#run('DELETE FROM piece WHERE file = ?', path);
    this.#run('DELETE FROM file WHERE name = ?', path);
  }

  override open(path: string | null, flags: number): FacadeFile {
    const key = path ?? `temporary ${this.#temporary++}`;
    const there = this.#get('SELECT size FROM file WHERE name = ?', key) !== undefined;
    if (there ? flags & VFS.SQLITE_OPEN_EXCLUSIVE : path !== null && !(flags & VFS.SQLITE_OPEN_CREATE)) {
      throw new VFSError('SQLITE_CANTOPEN', there ? `'${key}' is there` : `'${key}' is not there`);
    }
    if (!there) this.#run('INSERT INTO file VALUES (?, 0)', key);
    const isTemporary = path === null || (flags & VFS.SQLITE_OPEN_DELETEONCLOSE) !== 0;
    return Object.freeze(this.#file(key, isTemporary));
  }

  #file(key: string, isTemporary: boolean): FacadeFile {
    const me = {};
    const locks = this.#locks.get(key) ?? new Map<object, number>();
    this.#locks.set(key, locks);
    const others = () => [...locks].filter(([owner]) => owner !== me).map(([, level]) => level);
    return {
      read: (buffer, offset) => {
        const end = Math.min(offset + buffer.length, this.#size(key));
        for (let at = offset; at < end; ) {
          const piece = this.#piece(key, Math.floor(at / PIECE));
          const part = piece.subarray(at % PIECE, (at % PIECE) + end - at);
          // After a query, which may have made memory grow: then this is asked once more.
          buffer.set(part, at - offset);
          at += part.length;
        }
        return Math.max(end - offset, 0);
      },
      write: (buffer, offset) => {
        const data = buffer.slice();
        for (let done = 0; done < data.length; ) {
          const at = offset + done;
          const piece = this.#piece(key, Math.floor(at / PIECE));
          const part = data.subarray(done, done + PIECE - (at % PIECE));
          piece.set(part, at % PIECE);
          this.#run('INSERT OR REPLACE INTO piece VALUES (?, ?, ?)', key, Math.floor(at / PIECE), piece);
          done += part.length;
        }
        return this.#run(
          'UPDATE file SET size = max(size, ?) WHERE name = ?',
          offset + data.length,
          key,
        ) as never;
      },
      truncate: (size) => {
        this.#run('DELETE FROM piece WHERE file = ? AND n >= ?', key, Math.ceil(size / PIECE));
        const last = this.#piece(key, Math.floor(size / PIECE)).fill(0, size % PIECE);
        if (size % PIECE > 0) {
          this.#run('INSERT OR REPLACE INTO piece VALUES (?, ?, ?)', key, Math.floor(size / PIECE), last);
        }
        return this.#run('UPDATE file SET size = ? WHERE name = ?', size, key) as never;
      },
      size: () => this.#size(key),
      sync: () => 'synced' as never,
      close: () => {
        locks.delete(me);
        if (isTemporary) this.delete(key);
        return true as never;
      },

      lock: (level) => {
        const most = Math.max(0, ...others());
        const isFree =
          level === VFS.SQLITE_LOCK_SHARED
            ? most < VFS.SQLITE_LOCK_PENDING
            : level === VFS.SQLITE_LOCK_RESERVED
              ? most < VFS.SQLITE_LOCK_RESERVED
              : most === VFS.SQLITE_LOCK_NONE;
        if (!isFree) {
          // It waits for readers to go, and lets no new ones in.
          if (level === VFS.SQLITE_LOCK_EXCLUSIVE) locks.set(me, VFS.SQLITE_LOCK_PENDING);
          throw new VFSError('SQLITE_BUSY', 'somebody has it');
        }
        locks.set(me, level);
      },
      unlock: (level) => locks.set(me, level) as never,
      hasReservedLock: () => [...locks.values()].some((level) => level >= VFS.SQLITE_LOCK_RESERVED),

      sectorSize: () => 512,
      deviceCharacteristics: () =>
        VFS.SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN | VFS.SQLITE_IOCAP_POWERSAFE_OVERWRITE,

      pragma: (name, value) => {
        if (name === 'pieces') {
          return String(this.#get('SELECT count(*) FROM piece WHERE file = ?', key)?.[0]);
        }
        if (name === 'quiet') return null;
        if (name === 'mmap_size' && value !== null) throw new Error('rows are not mapped into memory');
        return undefined;
      },
      fileControl: (op) => {
        if (op === VFS.SQLITE_FCNTL_COMMIT_PHASETWO) this.commits++;
        if (op === VFS.SQLITE_FCNTL_HAS_MOVED) return 0;
        return op === VFS.SQLITE_FCNTL_SYNC;
      },
    };
  }

  // --- Rows ---

  #size(key: string): number {
    return Number(this.#get('SELECT size FROM file WHERE name = ?', key)?.[0] ?? 0);
  }

  /** One that is not there is zeros. */
  #piece(key: string, n: number): Uint8Array {
    const piece = new Uint8Array(PIECE);
    piece.set(
      (this.#get('SELECT bytes FROM piece WHERE file = ? AND n = ?', key, n)?.[0] as Uint8Array) ?? [],
    );
    return piece;
  }

  #get(sql: string, ...values: (string | number)[]): unknown[] | undefined {
    return this.#prepared(sql).get(...values) as unknown[] | undefined;
  }

  #run(sql: string, ...values: (string | number | Uint8Array)[]): unknown {
    return this.#prepared(sql).run(...values);
  }

  #prepared(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql, { returnArrays: true });
    this.#statements.set(sql, statement);
    return statement;
  }
}
