/** A VFS in memory that does all a VFS can: what the cases pass on, and what the broken ones are made of. */
import {
  FacadeFile,
  FacadeVFS,
  type OpenDetails,
  VFS,
  VFSError,
  WalIndex,
  type WalIndexMethods,
} from '../../src/index.js';
import type { Subject } from '../../src/testing.js';

const BLOCK = 65536;

/** What is known of a file by all who have it open. */
export class MapNode {
  size = 0;
  /** Where there is none, zeros are. */
  blocks = new Map<number, Uint8Array>();
  readers = 0;
  writer: MapFile | undefined;

  read(buffer: Uint8Array, offset: number): number {
    const count = Math.max(0, Math.min(buffer.length, this.size - offset));
    for (let at = 0; at < count; ) {
      const [block, start] = [Math.floor((offset + at) / BLOCK), (offset + at) % BLOCK];
      const length = Math.min(BLOCK - start, count - at);
      const bytes = this.blocks.get(block);
      if (bytes) buffer.set(bytes.subarray(start, start + length), at);
      else buffer.fill(0, at, at + length);
      at += length;
    }
    return count;
  }

  write(buffer: Uint8Array, offset: number): void {
    for (let at = 0; at < buffer.length; ) {
      const [block, start] = [Math.floor((offset + at) / BLOCK), (offset + at) % BLOCK];
      const length = Math.min(BLOCK - start, buffer.length - at);
      const bytes = this.blocks.get(block) ?? new Uint8Array(BLOCK);
      bytes.set(buffer.subarray(at, at + length), start);
      this.blocks.set(block, bytes);
      at += length;
    }
    this.size = Math.max(this.size, offset + buffer.length);
  }

  truncate(size: number): void {
    for (const block of [...this.blocks.keys()]) if (block * BLOCK >= size) this.blocks.delete(block);
    this.blocks.get(Math.floor(size / BLOCK))?.fill(0, size % BLOCK);
    this.size = size;
  }

  copy(): MapNode {
    const copy = new MapNode();
    copy.size = this.size;
    for (const [block, bytes] of this.blocks) copy.blocks.set(block, bytes.slice());
    return copy;
  }
}

let made = 0;

export interface MapOptions {
  batchAtomic?: boolean;
  walIndex?: boolean;
  async?: boolean;
}

export class MapVFS extends FacadeVFS {
  readonly id = ++made;
  override readonly name = `map ${this.id}`;
  nodes: Map<string, MapNode>;
  readonly options: MapOptions;

  constructor(nodes = new Map<string, MapNode>(), options: MapOptions = {}) {
    super();
    this.nodes = nodes;
    this.options = options;
  }

  override open(path: string | null, flags: number, _details: OpenDetails): MapFile {
    let node = path === null ? undefined : this.nodes.get(path);
    if (node && flags & VFS.SQLITE_OPEN_EXCLUSIVE) throw new VFSError('SQLITE_CANTOPEN', `'${path}' exists`);
    if (!node) {
      if (!(flags & VFS.SQLITE_OPEN_CREATE)) throw new VFSError('SQLITE_CANTOPEN', `there is no '${path}'`);
      node = new MapNode();
      if (path !== null) this.nodes.set(path, node);
    }
    return this.file(node, path, flags);
  }

  file(node: MapNode, path: string | null, flags: number): MapFile {
    return new MapFile(this, node, path, flags);
  }

  override delete(path: string): void {
    this.nodes.delete(path);
  }

  override exists(path: string): boolean {
    return this.nodes.has(path);
  }
}

export class MapFile extends FacadeFile {
  declare readonly walIndex?: WalIndexMethods;
  level = VFS.SQLITE_LOCK_NONE;
  undo: MapNode | undefined;

  constructor(
    readonly vfs: MapVFS,
    readonly node: MapNode,
    readonly path: string | null,
    readonly flags: number,
  ) {
    super();
    const { walIndex = true } = vfs.options;
    if (walIndex && flags & VFS.SQLITE_OPEN_MAIN_DB) this.walIndex = new WalIndex(`${vfs.name}/${path}`);
  }

  override read(buffer: Uint8Array, offset: number): number {
    return this.node.read(buffer, offset);
  }

  override write(buffer: Uint8Array, offset: number): void {
    this.node.write(buffer, offset);
  }

  override truncate(size: number): void {
    this.node.truncate(size);
  }

  override sync(): void {}

  override size(): number {
    return this.node.size;
  }

  override close(): void {
    this.unlock(VFS.SQLITE_LOCK_NONE);
    if (this.flags & VFS.SQLITE_OPEN_DELETEONCLOSE && this.path !== null) this.vfs.delete(this.path);
  }

  override lock(level: number): void {
    if (level <= this.level) return;
    const { node } = this;
    const busy = new VFSError('SQLITE_BUSY', 'somebody else has it');
    if (this.level === VFS.SQLITE_LOCK_NONE) {
      if (node.writer && node.writer.level >= VFS.SQLITE_LOCK_PENDING) throw busy;
      node.readers++;
      this.level = VFS.SQLITE_LOCK_SHARED;
    }
    if (level === VFS.SQLITE_LOCK_SHARED) return;
    if (node.writer && node.writer !== this) throw busy;
    node.writer = this;
    if (level === VFS.SQLITE_LOCK_EXCLUSIVE && node.readers > 1) {
      this.level = VFS.SQLITE_LOCK_PENDING;
      throw busy;
    }
    this.level = level;
  }

  override unlock(level: number): void {
    if (level >= this.level) return;
    if (this.node.writer === this) this.node.writer = undefined;
    if (level === VFS.SQLITE_LOCK_NONE) this.node.readers--;
    this.level = level;
  }

  override hasReservedLock(): boolean {
    return this.node.writer !== undefined;
  }

  override deviceCharacteristics(): number {
    return this.vfs.options.batchAtomic ? VFS.SQLITE_IOCAP_BATCH_ATOMIC : 0;
  }

  override fileControl(op: number): boolean {
    if (!this.vfs.options.batchAtomic) return false;
    switch (op) {
      case VFS.SQLITE_FCNTL_BEGIN_ATOMIC_WRITE:
        this.undo = this.node.copy();
        return true;
      case VFS.SQLITE_FCNTL_COMMIT_ATOMIC_WRITE:
        this.undo = undefined;
        return true;
      case VFS.SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE:
        if (this.undo) Object.assign(this.node, { size: this.undo.size, blocks: this.undo.blocks });
        this.undo = undefined;
        return true;
      default:
        return false;
    }
  }
}

/** One whose files are there from the beginning, and stay as they are. */
export class ReadOnlyMapVFS extends MapVFS {
  constructor(files: ReadonlyMap<string, Uint8Array> = new Map()) {
    super();
    for (const [path, bytes] of files) {
      const node = new MapNode();
      node.write(bytes, 0);
      this.nodes.set(path, node);
    }
  }

  override open(path: string | null, flags: number, details: OpenDetails): MapFile {
    return Object.assign(super.open(path, flags & ~VFS.SQLITE_OPEN_CREATE, details), { readOnly: true });
  }
}

/** What an author would write to have it tested. */
export function mapSubject<V extends MapVFS>(
  name: string,
  make: (nodes?: Map<string, MapNode>) => V,
): Subject<V> {
  return {
    name,
    create: () => make(),
    // Whoever had a file open and locked is gone.
    reopen: ({ nodes }) => make(new Map([...nodes].map(([path, node]) => [path, node.copy()]))),
    promises: { maxFileSize: 2 ** 50 },
  };
}
