/** What an import tells of what it did. */
import type { ImportKind } from './source.js';

/** What an import found, and where it put it. */
export interface ImportReport {
  readonly kind: ImportKind;
  /** In words: `an opfs-sahpool pool with 2 databases: /a.db, /b.db`. */
  readonly found: string;
  readonly databases: readonly ImportedDatabase[];
  /** What was odd at the source, and left there. */
  readonly warnings: readonly string[];
}

/** One database that was taken over. */
export interface ImportedDatabase {
  /** Its name at the source. */
  readonly name: string;
  /** Where it is now. */
  readonly vfs: string;
  readonly path: string;
  /** Was there one of that path, which it took the place of? */
  readonly replaced: boolean;
  /** In bytes, as it is now. */
  readonly size: number;
  readonly pageSize: number;
  /** The kind of journal it had at the source. In WAL mode, the mode is in the file; else it is any of the others. */
  readonly journalMode: 'wal' | 'rollback';
  /** It was in WAL mode and no longer is, so that it opens on any VFS. */
  readonly normalised: boolean;
  /** What SQLite applied of what lay beside the file: a journal that a crash left, or a log with so many frames. */
  readonly recovered: { readonly from: 'journal' } | { readonly from: 'wal'; readonly frames: number } | null;
  readonly check: ImportCheck;
}

/** How a database was looked through. */
export interface ImportCheck {
  /** The quicker one, too, where the other needs a collation or a function that is not here; a warning says so. */
  readonly pragma: 'integrity_check' | 'quick_check';
  /** `'ok'`, or why neither could be run. */
  readonly result: string;
}
