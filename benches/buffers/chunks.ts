/** The store under all strategies: files in the memory of JavaScript, in chunks that stay where they are. */
import { FacadeVFS, VFS, VFSError } from 'sqlite-vfs-kit';

export const CHUNK = 64 * 1024;

/** The bytes of a file. */
export class Chunks {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  size = 0;

  /** The chunk in which an offset lies. */
  at(offset: number): Uint8Array<ArrayBuffer> {
    return this.#chunks[Math.floor(offset / CHUNK)] as Uint8Array<ArrayBuffer>;
  }

  /** How many of `length` bytes there are from `offset` on. */
  count(length: number, offset: number): number {
    return Math.max(0, Math.min(length, this.size - offset));
  }

  /** Makes the file at least this long. */
  reach(size: number): void {
    if (size <= this.size) return;
    while (this.#chunks.length * CHUNK < size) this.#chunks.push(new Uint8Array(CHUNK));
    this.size = size;
  }

  truncate(size: number): void {
    this.reach(size);
    this.#chunks.length = Math.ceil(size / CHUNK);
    // What comes after the end is zero: the file may grow again.
    if (size % CHUNK > 0) this.at(size).fill(0, size % CHUNK);
    this.size = size;
  }
}

/** An open file. To read and write is a strategy's own. */
export abstract class ChunkFile<Buffer> {
  readonly bytes: Chunks;
  readonly #closed: () => void;

  constructor(bytes: Chunks, closed: () => void) {
    this.bytes = bytes;
    this.#closed = closed;
  }

  abstract read(buffer: Buffer, offset: number): number;
  abstract write(buffer: Buffer, offset: number): void;

  truncate(size: number): void {
    this.bytes.truncate(size);
  }

  sync(): void {}

  size(): number {
    return this.bytes.size;
  }

  close(): void {
    this.#closed();
  }
}

export class ChunkVFS<Buffer> extends FacadeVFS {
  override readonly name: string;
  readonly files = new Map<string, Chunks>();
  readonly #open: (bytes: Chunks, closed: () => void) => ChunkFile<Buffer>;

  constructor(name: string, open: (bytes: Chunks, closed: () => void) => ChunkFile<Buffer>) {
    super();
    this.name = name;
    this.#open = open;
  }

  override open(path: string | null, flags: number): never {
    const bytes = (path !== null && this.files.get(path)) || new Chunks();
    if (path !== null && !this.files.has(path)) {
      if (!(flags & VFS.SQLITE_OPEN_CREATE)) throw new VFSError('SQLITE_CANTOPEN', `there is no ${path}`);
      this.files.set(path, bytes);
    }
    const gone = path !== null && flags & VFS.SQLITE_OPEN_DELETEONCLOSE;
    // Its methods take other buffers than a FacadeFile's.
    return this.#open(bytes, () => gone && this.files.delete(path)) as never;
  }

  override delete(path: string): void {
    this.files.delete(path);
  }

  override exists(path: string): boolean {
    return this.files.has(path);
  }
}
