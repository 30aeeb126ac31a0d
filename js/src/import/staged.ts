/**
 * A database on its way in: in memory, with its journal and its log beside it, until it is known to be whole. SQLite itself applies
 * what the two hold, to this copy.
 */
import { DatabaseSync } from '../database.js';
import { faultOf, HEADER_SIZE } from '../database-file.js';
import { invalidState, type SqliteError, sqliteError } from '../errors.js';
import { decode } from '../text.js';
import type { RegisteredVFS } from '../vfs.js';
import type { ImportCheck, ImportedDatabase } from './report.js';
import type { SourceFile } from './source.js';

const SQLITE_ERROR = 1;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** How a rollback journal begins, and how it ends if it belongs to a transaction over several files. */
const JOURNAL_MAGIC = 'd9d505f920a163d7';

const STREAM_CHUNK = 1024 * 1024;

const SUFFIXES = { database: '', journal: '-journal', wal: '-wal' } as const;

export interface StageOptions {
  check: ImportCheck['pragma'];
  keepWal: boolean;
}

/** What is known of it after `settle`. */
export type Settled = Pick<
  ImportedDatabase,
  'size' | 'pageSize' | 'journalMode' | 'normalised' | 'recovered' | 'check'
>;

export class Staged {
  readonly name: string;
  readonly source: SourceFile;
  readonly #memory: RegisteredVFS;
  #superJournal: { readonly name: string; readonly bytes: Uint8Array } | undefined;

  constructor(memory: RegisteredVFS, source: SourceFile) {
    this.#memory = memory;
    this.source = source;
    this.name = `importing-${Math.random().toString(36).slice(2)}`;
    memory.writeAt(this.name, new Uint8Array(), 0);
  }

  write(type: keyof typeof SUFFIXES, bytes: Uint8Array, offset: number): void {
    this.#memory.writeAt(this.name + SUFFIXES[type], bytes, offset);
  }

  get size(): number {
    return this.#size('');
  }

  /** Its bytes. */
  *chunks(): Generator<Uint8Array<ArrayBuffer>> {
    const { size } = this;
    for (let at = 0; at < size; at += STREAM_CHUNK) yield this.#memory.readAt(this.name, at, STREAM_CHUNK);
  }

  /**
   * The super-journal of a transaction over several files that this one's journal names: as long as there is one, the transaction
   * was not committed.
   */
  get superJournal(): string | undefined {
    const size = this.#size('-journal');
    if (size < 16) return undefined;
    const journal = `${this.name}-journal`;
    const end = this.#memory.readAt(journal, size - 16, 16);
    if (hex(end.subarray(8)) !== JOURNAL_MAGIC) return undefined;
    const length = new DataView(end.buffer, end.byteOffset).getUint32(0);
    if (length === 0 || length > size - 16) return undefined;
    return decode(this.#memory.readAt(journal, size - 16 - length, length));
  }

  /** Has SQLite find the super-journal, which other databases may have in common with this one. */
  addSuperJournal(name: string, bytes: Uint8Array): void {
    if (this.#memory.list().some((file) => file.name === name)) {
      throw invalidState(
        `The super-journal '${name}' of the source has the name of a file on '${this.#memory.name}': delete that one, or give it another name.`,
      );
    }
    this.#superJournal = { name, bytes };
  }

  /** Applies journal and log, and checks what came of it. */
  settle(options: StageOptions, warnings: string[]): Settled {
    try {
      return this.#settle(options, warnings);
    } catch (error) {
      throw this.#refused(error);
    }
  }

  #settle({ check, keepWal }: StageOptions, warnings: string[]): Settled {
    const hot = this.#isHot();
    const log = this.#size('-wal');
    // What is cut off is said in words of our own, as far as it is not for a journal to put right.
    if (!hot && log === 0) this.#refuseFaults();
    if (log > 0 && this.size === 0) {
      warnings.push(
        `Beside '${this.source.name}', which is empty, lies a log of ${log} bytes: SQLite makes nothing of it.`,
      );
    }
    const named = this.superJournal;
    if (named !== undefined && !hot && this.size > 0) {
      warnings.push(
        `The journal of '${this.source.name}' is of a transaction over several files, and its super-journal '${named}' is not at the source: the transaction counts as committed.`,
      );
    }
    // SQLite deletes it when it is done with one database.
    const added = this.#superJournal;
    if (added) this.#memory.writeAt(added.name, added.bytes, 0);
    const db = new DatabaseSync(this.name, { vfs: this.#memory.name });
    let result: Settled;
    try {
      // The first read rolls a hot journal back.
      db.exec('PRAGMA schema_version');
      const isWal = pragmaOf(db, 'PRAGMA journal_mode') === 'wal';
      const frames = isWal ? framesOf(db) : 0;
      if (isWal && !keepWal) db.exec('PRAGMA journal_mode = delete');
      result = {
        size: 0,
        pageSize: Number(pragmaOf(db, 'PRAGMA page_size')),
        journalMode: isWal ? 'wal' : 'rollback',
        normalised: isWal && !keepWal,
        recovered: frames > 0 ? { from: 'wal', frames } : hot ? { from: 'journal' } : null,
        check: this.#check(db, check, warnings),
      };
    } finally {
      db.close();
      if (added) this.#memory.delete(added.name);
    }
    this.#refuseFaults();
    return { ...result, size: this.size };
  }

  /** Takes away all that it needed, and itself if it is still there. */
  discard(): void {
    for (const suffix of Object.values(SUFFIXES)) this.#memory.delete(this.name + suffix);
  }

  #size(suffix: string): number {
    return this.#memory.list().find(({ name }) => name === this.name + suffix)?.size ?? 0;
  }

  /** Is there a journal that SQLite would roll back? */
  #isHot(): boolean {
    if (this.size === 0 || this.#size('-journal') < 8) return false;
    if (hex(this.#memory.readAt(`${this.name}-journal`, 0, 8)) !== JOURNAL_MAGIC) return false;
    return this.superJournal === this.#superJournal?.name;
  }

  #refuseFaults(): void {
    const { size } = this;
    const fault = faultOf(this.#memory.readAt(this.name, 0, HEADER_SIZE), size);
    if (fault) throw sqliteError(`not a database: ${fault}`, SQLITE_NOTADB, 'file is not a database');
  }

  #check(db: DatabaseSync, pragma: ImportCheck['pragma'], warnings: string[]): ImportCheck {
    let rows: string[];
    try {
      const found = db.prepare(`PRAGMA ${pragma}`).all();
      rows = found.map((row) => String(Object.values(row)[0]));
    } catch (error) {
      const { errcode, message } = error as SqliteError;
      if (errcode !== SQLITE_ERROR) throw error;
      // Not the file's fault: it needs something that this SQLite does not have, for its indexes as a rule.
      warnings.push(`${pragma} cannot be run on '${this.source.name}' here: ${message}.`);
      if (pragma === 'integrity_check') return this.#check(db, 'quick_check', warnings);
      return { pragma, result: message };
    }
    if (rows.join() === 'ok') return { pragma, result: 'ok' };
    const more = rows.length > 5 ? ` (and ${rows.length - 5} more)` : '';
    throw sqliteError(
      `${pragma} found: ${rows.slice(0, 5).join('; ')}${more}`,
      SQLITE_CORRUPT,
      'database disk image is malformed',
    );
  }

  #refused(error: unknown): unknown {
    const { code, errcode, errstr, message } = error as SqliteError;
    if (code !== 'ERR_SQLITE_ERROR') return error;
    const name = this.source.name ? `'${this.source.name}'` : 'The database';
    const refused = sqliteError(
      `${name} was not imported: ${message}. The source is as it was`,
      errcode,
      errstr,
    );
    refused.cause = error;
    return refused;
  }
}

/** Frames in the log, all of which go into the database. */
function framesOf(db: DatabaseSync): number {
  const { log } = db.prepare('PRAGMA wal_checkpoint').get() as { log: number };
  return Math.max(log, 0);
}

function pragmaOf(db: DatabaseSync, sql: string): unknown {
  return Object.values(db.prepare(sql).get() ?? {})[0];
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
