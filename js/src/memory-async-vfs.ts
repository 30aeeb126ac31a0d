/** Files in the memory of JavaScript whose methods all answer promises: for tests of what waits, and as a store to measure others by. */
import { FacadeFile, FacadeVFS } from './facade.js';
import { WalIndex } from './jspi-build.js';
import * as VFS from './vfs-constants.js';
import { VFSError } from './vfs-error.js';

/** How a `MemoryAsyncVFS` answers. */
export interface MemoryAsyncOptions {
  /** What each method waits for: the turn of a microtask (the default), or a timer of so many milliseconds. */
  delay?: 'microtask' | number;
}

/** Files grow by so many bytes, and what is there stays where it is. */
const CHUNK = 64 * 1024;

/** A store that waits, and has nothing to wait for. */
export class MemoryAsyncVFS extends FacadeVFS {
  override readonly name: string;
  override readonly async = true;
  readonly #files = new Map<string, Bytes>();
  readonly #pause: () => Promise<void>;

  constructor(name = 'memory-async', options: MemoryAsyncOptions = {}) {
    super();
    this.name = name;
    this.#pause = pauseOf(options.delay ?? 'microtask');
  }

  override async open(path: string | null, flags: number): Promise<FacadeFile> {
    await this.#pause();
    const there = path === null ? undefined : this.#files.get(path);
    if (there && flags & VFS.SQLITE_OPEN_CREATE && flags & VFS.SQLITE_OPEN_EXCLUSIVE) {
      throw new VFSError('SQLITE_CANTOPEN', `'${path}' exists already`);
    }
    if (!there && path !== null && !(flags & VFS.SQLITE_OPEN_CREATE)) {
      throw new VFSError('SQLITE_CANTOPEN', `there is no file '${path}'`);
    }
    const bytes = there ?? new Bytes();
    if (path === null) return new MemoryAsyncFile(bytes, this.#pause, () => {});
    this.#files.set(path, bytes);
    const closed = () => flags & VFS.SQLITE_OPEN_DELETEONCLOSE && this.#files.delete(path);
    // Only a database has an index: one that every file made would be made in vain.
    const index = flags & VFS.SQLITE_OPEN_MAIN_DB ? new WalIndex(`${this.name}/${path}`) : undefined;
    return new MemoryAsyncFile(bytes, this.#pause, closed, index);
  }

  override async delete(path: string): Promise<void> {
    await this.#pause();
    this.#files.delete(path);
  }

  override async exists(path: string): Promise<boolean> {
    await this.#pause();
    return this.#files.has(path);
  }
}

class MemoryAsyncFile extends FacadeFile {
  declare readonly walIndex?: WalIndex;
  readonly #bytes: Bytes;
  readonly #pause: () => Promise<void>;
  readonly #closed: () => void;

  constructor(bytes: Bytes, pause: () => Promise<void>, closed: () => void, index?: WalIndex) {
    super();
    this.#bytes = bytes;
    this.#pause = pause;
    this.#closed = closed;
    if (index) this.walIndex = index;
  }

  override async read(buffer: Uint8Array, offset: number): Promise<number> {
    await this.#pause();
    return this.#bytes.read(buffer, offset);
  }

  override async write(buffer: Uint8Array, offset: number): Promise<void> {
    await this.#pause();
    this.#bytes.write(buffer, offset);
  }

  override async truncate(size: number): Promise<void> {
    await this.#pause();
    this.#bytes.truncate(size);
  }

  override sync(): Promise<void> {
    return this.#pause();
  }

  override async size(): Promise<number> {
    await this.#pause();
    return this.#bytes.size;
  }

  override async close(): Promise<void> {
    await this.#pause();
    this.#closed();
  }

  override deviceCharacteristics(): number {
    return (
      VFS.SQLITE_IOCAP_BATCH_ATOMIC | VFS.SQLITE_IOCAP_POWERSAFE_OVERWRITE | VFS.SQLITE_IOCAP_SUBPAGE_READ
    );
  }

  override async fileControl(op: number): Promise<boolean> {
    await this.#pause();
    switch (op) {
      case VFS.SQLITE_FCNTL_BEGIN_ATOMIC_WRITE:
        this.#bytes.begin();
        return true;
      case VFS.SQLITE_FCNTL_COMMIT_ATOMIC_WRITE:
        this.#bytes.commit();
        return true;
      case VFS.SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE:
        this.#bytes.rollBack();
        return true;
      default:
        return false;
    }
  }
}

/** The bytes of a file. */
class Bytes {
  readonly #chunks: Uint8Array[] = [];
  /** In a batch: what takes back each of its writes, and how long the file was. */
  #batch: { size: number; undo: { bytes: Uint8Array; offset: number }[] } | undefined;
  size = 0;

  read(buffer: Uint8Array, offset: number): number {
    const count = Math.max(0, Math.min(buffer.length, this.size - offset));
    for (let done = 0; done < count; ) {
      const start = (offset + done) % CHUNK;
      const part = this.#at(offset + done).subarray(start, start + count - done);
      buffer.set(part, done);
      done += part.length;
    }
    return count;
  }

  write(bytes: Uint8Array, offset: number): void {
    if (this.#batch) {
      const before = new Uint8Array(bytes.length);
      const count = this.read(before, offset);
      this.#batch.undo.push({ bytes: before.subarray(0, count), offset });
    }
    this.#write(bytes, offset);
  }

  #write(bytes: Uint8Array, offset: number): void {
    this.#reach(offset + bytes.length);
    for (let done = 0; done < bytes.length; ) {
      const start = (offset + done) % CHUNK;
      const count = Math.min(bytes.length - done, CHUNK - start);
      this.#at(offset + done).set(bytes.subarray(done, done + count), start);
      done += count;
    }
  }

  truncate(size: number): void {
    this.#reach(size);
    this.#chunks.length = Math.ceil(size / CHUNK);
    // The file may grow again, and what is new is zero.
    if (size % CHUNK > 0) this.#at(size).fill(0, size % CHUNK);
    this.size = size;
  }

  // --- Writes that become the file's content together or not at all ---

  begin(): void {
    this.#batch = { size: this.size, undo: [] };
  }

  commit(): void {
    this.#batch = undefined;
  }

  rollBack(): void {
    if (!this.#batch) return;
    const { size, undo } = this.#batch;
    this.#batch = undefined;
    // The last one first: a page may have been written twice.
    for (const { bytes, offset } of undo.reverse()) this.#write(bytes, offset);
    this.truncate(size);
  }

  #at(offset: number): Uint8Array {
    return this.#chunks[Math.floor(offset / CHUNK)] as Uint8Array;
  }

  #reach(size: number): void {
    while (this.#chunks.length * CHUNK < size) this.#chunks.push(new Uint8Array(CHUNK));
    this.size = Math.max(this.size, size);
  }
}

function pauseOf(delay: 'microtask' | number): () => Promise<void> {
  if (delay === 'microtask') return () => Promise.resolve();
  return () => new Promise((resolve) => setTimeout(resolve, delay));
}
