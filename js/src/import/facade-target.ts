/**
 * A VFS written in JavaScript as the target: its own methods are called, since it has no others. Such a VFS cannot rename, so a
 * database that is replaced is overwritten; until the new one was read back and is right, the old one is kept, and put back if not.
 */
import { DatabaseSync } from '../database.js';
import { invalidState } from '../errors.js';
import type { FacadeFile, FacadeVFS } from '../facade.js';
import * as VFS from '../vfs-constants.js';
import type { Staged } from './staged.js';
import type { Target } from './target.js';

const PIECE = 1024 * 1024;

const READ_WRITE = VFS.SQLITE_OPEN_MAIN_DB | VFS.SQLITE_OPEN_READWRITE | VFS.SQLITE_OPEN_CREATE;

export class FacadeTarget implements Target {
  readonly name: string;
  readonly #vfs: FacadeVFS;
  readonly #registered: boolean;

  /** @param registered With this package's default build, which then knows who has a file open. */
  constructor(vfs: FacadeVFS, registered: boolean) {
    this.#vfs = vfs;
    this.#registered = registered;
    this.name = vfs.name;
  }

  async exists(path: string): Promise<boolean> {
    return await this.#vfs.exists(await this.#full(path));
  }

  async put(path: string, staged: Staged): Promise<void> {
    const full = await this.#full(path);
    for (const suffix of ['-journal', '-wal']) {
      if (await this.#vfs.exists(full + suffix)) {
        throw invalidState(
          `'${full}${suffix}' is at the target, and would be taken for the new database's: open '${path}' there once and close it, or delete it.`,
        );
      }
    }
    const existed = await this.#vfs.exists(full);
    const guard = this.#registered ? guarding(path, this.name) : undefined;
    try {
      await this.#write(full, staged, existed);
    } finally {
      guard?.close();
      // What the guard made is not left behind by a failure.
      if (!existed && guard && (await this.#isEmpty(full))) await this.#vfs.delete(full, true);
    }
  }

  async #write(full: string, staged: Staged, existed: boolean): Promise<void> {
    const file = await this.#open(full);
    let old: Uint8Array<ArrayBuffer>[] | undefined;
    try {
      if (!this.#registered) await lockAll(file);
      if (existed) old = await piecesOf(file);
      await overwrite(file, staged.chunks());
      await compare(file, staged, full);
    } catch (error) {
      // Before anything was written there is nothing to put back.
      if (old) await overwrite(file, old);
      else if (!existed) await file.truncate(0);
      throw error;
    } finally {
      if (!this.#registered) await file.unlock?.(VFS.SQLITE_LOCK_NONE);
      await file.close();
    }
  }

  async #isEmpty(full: string): Promise<boolean> {
    const file = await this.#open(full);
    const size = await file.size();
    await file.close();
    return size === 0;
  }

  async #open(full: string): Promise<FacadeFile> {
    return await this.#vfs.open(full, READ_WRITE, { database: full, parameters: new URLSearchParams() });
  }

  async #full(path: string): Promise<string> {
    return (await this.#vfs.fullPathname?.(path)) ?? path;
  }
}

/** A connection that keeps all others from the file. */
function guarding(path: string, vfs: string): DatabaseSync {
  const db = new DatabaseSync(path, { vfs });
  try {
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The same by the VFS's own locks, where it has any. */
async function lockAll(file: FacadeFile): Promise<void> {
  for (const level of [VFS.SQLITE_LOCK_SHARED, VFS.SQLITE_LOCK_RESERVED, VFS.SQLITE_LOCK_EXCLUSIVE]) {
    await file.lock?.(level);
  }
}

async function overwrite(file: FacadeFile, pieces: Iterable<Uint8Array<ArrayBuffer>>): Promise<void> {
  let size = 0;
  for (const piece of pieces) {
    await file.write(piece, size);
    size += piece.length;
  }
  await file.truncate(size);
  await file.sync(VFS.SQLITE_SYNC_FULL);
}

async function piecesOf(file: FacadeFile): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const size = await file.size();
  for (let at = 0; at < size; at += PIECE) pieces.push(await pieceOf(file, at, Math.min(PIECE, size - at)));
  return pieces;
}

async function pieceOf(file: FacadeFile, at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  const count = await file.read(bytes, at);
  return bytes.subarray(0, count);
}

async function compare(file: FacadeFile, staged: Staged, full: string): Promise<void> {
  let at = 0;
  for (const piece of staged.chunks()) {
    const written = await pieceOf(file, at, piece.length);
    if (written.length !== piece.length || written.some((byte, i) => byte !== piece[i])) {
      throw invalidState(`The VFS does not hold what was written to '${full}', in the bytes from ${at} on.`);
    }
    at += piece.length;
  }
}
