/** Files in a `Map`: the smallest VFS that does everything it must. */
import { FacadeFile, FacadeVFS, VFS, VFSError } from 'sqlite-vfs-kit';

interface Bytes {
  /** Longer than the file, so that growth need not copy it each time. What lies behind its end is zeros. */
  data: Uint8Array;
  size: number;
}

export class MapVFS extends FacadeVFS {
  readonly files = new Map<string, Bytes>();

  constructor(override readonly name = 'map') {
    super();
  }

  override open(path: string | null, flags: number): MapFile {
    const there = path === null ? undefined : this.files.get(path);
    if (there && flags & VFS.SQLITE_OPEN_CREATE && flags & VFS.SQLITE_OPEN_EXCLUSIVE) {
      throw new VFSError('SQLITE_CANTOPEN', `'${path}' exists already`);
    }
    if (!there && path !== null && !(flags & VFS.SQLITE_OPEN_CREATE)) {
      throw new VFSError('SQLITE_CANTOPEN', `there is no file '${path}'`);
    }
    const bytes = there ?? { data: new Uint8Array(), size: 0 };
    if (path !== null) this.files.set(path, bytes);
    const gone = flags & VFS.SQLITE_OPEN_DELETEONCLOSE && path !== null;
    return new MapFile(bytes, gone ? () => this.files.delete(path) : undefined);
  }

  override delete(path: string): void {
    this.files.delete(path);
  }

  override exists(path: string): boolean {
    return this.files.has(path);
  }
}

class MapFile extends FacadeFile {
  constructor(
    readonly bytes: Bytes,
    readonly closed?: () => void,
  ) {
    super();
  }

  override read(buffer: Uint8Array, offset: number): number {
    const found = this.bytes.data.subarray(0, this.bytes.size).subarray(offset, offset + buffer.length);
    buffer.set(found);
    return found.length;
  }

  override write(buffer: Uint8Array, offset: number): void {
    if (offset + buffer.length > this.bytes.size) this.truncate(offset + buffer.length);
    this.bytes.data.set(buffer, offset);
  }

  override truncate(size: number): void {
    const { bytes } = this;
    if (size > bytes.data.length) {
      const data = new Uint8Array(Math.max(size, 2 * bytes.data.length));
      data.set(bytes.data);
      bytes.data = data;
    }
    bytes.data.fill(0, size, bytes.size);
    bytes.size = size;
  }

  override sync(): void {}

  override size(): number {
    return this.bytes.size;
  }

  override close(): void {
    this.closed?.();
  }
}
