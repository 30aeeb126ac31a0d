/** A database as bytes: an export of sql.js, a file that was chosen, a download; with its journal or log if there is one. */
import { invalidArgType } from '../errors.js';
import { chunksOf } from '../vfs.js';
import type { Found, SourceFile, SourceFileType } from './source.js';

/** The bytes of a file, in whatever form they are had. */
export type ImportBytes =
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** A database with what may lie beside its file. */
export interface DatabaseBytes {
  database: ImportBytes;
  /** The write-ahead log, `x.db-wal`: without it, what was written last is lost. */
  wal?: ImportBytes | undefined;
  /** The rollback journal, `x.db-journal`, which a crash left. */
  journal?: ImportBytes | undefined;
  /** The file's name; a `File` has its own. */
  name?: string | undefined;
}

/** A piece of a Blob that is had in memory at once. */
const PIECE = 1024 * 1024;

export function isBytes(source: unknown): source is ImportBytes {
  if (typeof source !== 'object' || source === null) return false;
  return (
    source instanceof Uint8Array ||
    source instanceof ArrayBuffer ||
    source instanceof Blob ||
    'getReader' in source ||
    // A directory can be iterated as well.
    (Symbol.asyncIterator in source && !('getFileHandle' in source))
  );
}

export function foundBytes(source: DatabaseBytes): Found {
  const name = source.name ?? (source.database as Partial<File>).name ?? '';
  const bytes = new Map<SourceFile, ImportBytes>();
  const add = (suffix: string, type: SourceFileType, given: ImportBytes | undefined, argument: string) => {
    if (given === undefined) return;
    if (!isBytes(given)) {
      throw invalidArgType(
        `The "source.${argument}" argument must be bytes: a Uint8Array, an ArrayBuffer, a Blob or a stream.`,
      );
    }
    bytes.set({ name: name + suffix, type }, given);
  };
  add('', 'database', source.database, 'database');
  add('-wal', 'wal', source.wal, 'wal');
  add('-journal', 'journal', source.journal, 'journal');
  return {
    kind: 'database',
    what: 'bytes',
    files: [...bytes.keys()],
    warnings: [],
    async copy(files, sink) {
      for (const file of files) {
        let offset = 0;
        for await (const piece of piecesOf(bytes.get(file) as ImportBytes)) {
          if (!(piece instanceof Uint8Array)) throw invalidArgType('A chunk of the source is no Uint8Array.');
          sink(file, piece, offset);
          offset += piece.length;
        }
      }
    },
  };
}

async function* piecesOf(bytes: ImportBytes): AsyncGenerator<Uint8Array> {
  if (bytes instanceof Uint8Array) yield bytes;
  else if (bytes instanceof ArrayBuffer) yield new Uint8Array(bytes);
  else if (bytes instanceof Blob) {
    for (let at = 0; at < bytes.size; at += PIECE) {
      yield new Uint8Array(await bytes.slice(at, at + PIECE).arrayBuffer());
    }
  } else yield* chunksOf(bytes);
}
