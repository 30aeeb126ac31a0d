/** Files in a `Map`: the smallest VFS that does everything it must. */
import { FacadeFile, FacadeVFS, VFS, VFSError } from 'sqlite-vfs-kit';

interface Bytes {
  data: Uint8Array;
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
    const bytes = there ?? { data: new Uint8Array() };
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
    const found = this.bytes.data.subarray(offset, offset + buffer.length);
    buffer.set(found);
    return found.length;
  }

  override write(buffer: Uint8Array, offset: number): void {
    if (offset + buffer.length > this.size()) this.truncate(offset + buffer.length);
    this.bytes.data.set(buffer, offset);
  }

  override truncate(size: number): void {
    const data = new Uint8Array(size);
    data.set(this.bytes.data.subarray(0, size));
    this.bytes.data = data;
  }

  override sync(): void {}

  override size(): number {
    return this.bytes.data.length;
  }

  override close(): void {
    this.closed?.();
  }
}
