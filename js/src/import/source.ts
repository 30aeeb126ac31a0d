/** What a source of databases is to the import, whatever its layout. */

/** How the databases of a source are kept. */
export type ImportKind =
  | 'database'
  | 'files'
  | 'opfs-sahpool'
  | 'AccessHandlePool'
  | 'IDBBatchAtomic'
  | 'IDBMirror';

export type SourceFileType = 'database' | 'journal' | 'wal' | 'super-journal';

/** One file of a source. */
export interface SourceFile {
  /** As the source has it: `/songs.db`. */
  readonly name: string;
  readonly type: SourceFileType;
}

/** Takes bytes of a file, in any order; what is left out is zeros. */
export type Sink = (file: SourceFile, bytes: Uint8Array, offset: number) => void;

/** A source that was looked at, and not yet copied. */
export interface Found {
  readonly kind: ImportKind;
  /** What it is in words: `an opfs-sahpool pool`. */
  readonly what: string;
  readonly files: readonly SourceFile[];
  /** What is odd about it, and does not stand in the way. */
  readonly warnings: string[];
  /** Copies files, all as they were at one moment. */
  copy(files: readonly SourceFile[], sink: Sink): Promise<void>;
  /** Lets go of it. */
  release?(): void;
}

const SUFFIXES = { '-journal': 'journal', '-wal': 'wal' } as const;

/** What a file is, where nothing but its name tells. A super-journal is `x.db-mj` and hexadecimal digits. */
export function typeByName(name: string): SourceFileType {
  for (const [suffix, type] of Object.entries(SUFFIXES)) if (name.endsWith(suffix)) return type;
  return /-mj[0-9A-F]{8,}$/.test(name) ? 'super-journal' : 'database';
}

/** The journal and the log of a database, where the source has them. */
export function sidecarsOf(found: Found, database: SourceFile): SourceFile[] {
  return Object.keys(SUFFIXES).flatMap((suffix) => {
    const file = found.files.find(({ name }) => name === database.name + suffix);
    return file ? [file] : [];
  });
}

/** `2 databases: /a.db, /b.db` */
export function listed(names: readonly string[], one: string, many = `${one}s`): string {
  if (names.length === 0) return `no ${one}`;
  const shown = names.length > 12 ? [...names.slice(0, 12), '…'] : names;
  return `${names.length} ${names.length === 1 ? one : many}: ${shown.join(', ')}`;
}
