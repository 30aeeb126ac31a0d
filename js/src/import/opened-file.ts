/**
 * Files of a directory handle, read without changing them.
 *
 * In a dedicated worker a sync access handle is held meanwhile: nobody can write then, and if somebody has the file open that is
 * known. Elsewhere there is nothing to hold. There a file is a snapshot, and at the end all of them must be as they were at the
 * beginning: together they are what a crash at that moment would have left, which SQLite recovers from.
 */
import { invalidState } from '../errors.js';

/** `createSyncAccessHandle`, which the types of pages do not have. */
interface SyncAccess {
  createSyncAccessHandle?(): Promise<SyncHandle>;
}

interface SyncHandle {
  getSize(): number;
  read(buffer: Uint8Array, options: { at: number }): number;
  close(): void;
}

export interface OpenedFile {
  readonly name: string;
  readonly size: number;
  /** Fewer bytes than asked for at its end. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Throws if somebody wrote it since it was opened. */
  verify(): Promise<void>;
  close(): void;
}

export async function openFile(handle: FileSystemFileHandle): Promise<OpenedFile> {
  const { name } = handle;
  const sync = await syncHandle(handle as FileSystemFileHandle & SyncAccess);
  if (sync) {
    return {
      name,
      size: sync.getSize(),
      async read(offset, length) {
        const bytes = new Uint8Array(length);
        return bytes.subarray(0, sync.read(bytes, { at: offset }));
      },
      verify: async () => {},
      close: () => sync.close(),
    };
  }
  const file = await handle.getFile();
  return {
    name,
    size: file.size,
    async read(offset, length) {
      try {
        return new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
      } catch (error) {
        throw written(name, error);
      }
    },
    async verify() {
      const now = await handle.getFile();
      if (now.size !== file.size || now.lastModified !== file.lastModified) throw written(name);
    },
    close: () => {},
  };
}

async function syncHandle(handle: FileSystemFileHandle & SyncAccess): Promise<SyncHandle | undefined> {
  if (!handle.createSyncAccessHandle) return undefined;
  try {
    return await handle.createSyncAccessHandle();
  } catch (error) {
    if ((error as DOMException).name === 'NoModificationAllowedError') {
      throw invalidState(
        `The file '${handle.name}' is open elsewhere: close what has it open, which may be in another tab, and import again.`,
        error,
      );
    }
    // A directory that the user chose has no such handles.
    return undefined;
  }
}

const written = (name: string, cause?: unknown) =>
  invalidState(
    `The file '${name}' was written while it was read: close what has it open, which may be in another tab, and import again.`,
    cause,
  );
