/** A directory of a browser: its files, and the names of its folders. */
import { invalidArgType } from '../errors.js';
import { type OpenedFile, openFile } from './opened-file.js';
import type { Found, Sink, SourceFile } from './source.js';

/** A piece of a file that is had in memory at once. */
const PIECE = 1024 * 1024;

export class Directory {
  readonly name: string;
  readonly files: FileSystemFileHandle[] = [];
  readonly folders: FileSystemDirectoryHandle[] = [];

  private constructor(name: string) {
    this.name = name;
  }

  static async list(handle: unknown, argument: string): Promise<Directory> {
    if (typeof handle !== 'object' || handle === null || !('values' in handle)) {
      throw invalidArgType(
        `The "source.${argument}" argument must be a FileSystemDirectoryHandle, such as navigator.storage.getDirectory() answers.`,
      );
    }
    const { name, values } = handle as FileSystemDirectoryHandle;
    const directory = new Directory(name);
    for await (const entry of values.call(handle)) {
      if (entry.kind === 'directory') directory.folders.push(entry as FileSystemDirectoryHandle);
      else directory.files.push(entry as FileSystemFileHandle);
    }
    const byName = (a: FileSystemHandle, b: FileSystemHandle) => (a.name < b.name ? -1 : 1);
    directory.files.sort(byName);
    directory.folders.sort(byName);
    return directory;
  }

  folder(name: string): FileSystemDirectoryHandle | undefined {
    return this.folders.find((folder) => folder.name === name);
  }

  /** What is in it, for a message. */
  get contents(): string {
    const names = [...this.folders.map(({ name }) => `${name}/`), ...this.files.map(({ name }) => name)];
    if (names.length === 0) return 'nothing in it';
    return names.length > 12
      ? `${names.slice(0, 12).join(', ')} and ${names.length - 12} more`
      : names.join(', ');
  }
}

/** How a file begins, and its size: looked at without opening it, since it may be none of ours. */
export async function peek(
  handle: FileSystemFileHandle,
  length: number,
): Promise<{ start: Uint8Array; size: number }> {
  const file = await handle.getFile();
  return { start: new Uint8Array(await file.slice(0, length).arrayBuffer()), size: file.size };
}

/** Opens all files, or none. */
export async function openAll(handles: readonly FileSystemFileHandle[]): Promise<OpenedFile[]> {
  const opened: OpenedFile[] = [];
  try {
    for (const handle of handles) opened.push(await openFile(handle));
    return opened;
  } catch (error) {
    for (const file of opened) file.close();
    throw error;
  }
}

/** How files are copied whose bytes begin at `start`, and let go of. */
export function fromFiles(
  files: ReadonlyMap<SourceFile, OpenedFile>,
  start = 0,
): Pick<Found, 'files' | 'copy' | 'release'> & { release(): void } {
  return {
    files: [...files.keys()],
    async copy(wanted: readonly SourceFile[], sink: Sink) {
      for (const file of wanted) {
        const opened = files.get(file) as OpenedFile;
        for (let at = start; at < opened.size; at += PIECE) {
          sink(file, await opened.read(at, Math.min(PIECE, opened.size - at)), at - start);
        }
      }
      for (const file of wanted) await files.get(file)?.verify();
    },
    release() {
      for (const file of files.values()) file.close();
    },
  };
}
