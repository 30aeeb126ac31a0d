/** A VFS around a VFS that makes it fail on purpose, and records what changes its files. */
import { FacadeFile, FacadeVFS, type OpenDetails, type WalIndexMethods } from '../facade.js';
import * as VFS from '../vfs-constants.js';
import { VFSError } from '../vfs-error.js';
import type { Bytes } from './bytes.js';
import { after } from './later.js';
import { type Change, Recording } from './recording.js';

type Async<T> = T | Promise<T>;

/** Methods that can be made to fail. */
export type FaultMethod =
  | 'open'
  | 'delete'
  | 'exists'
  | 'fullPathname'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'size'
  | 'close'
  | 'lock'
  | 'unlock'
  | 'hasReservedLock'
  | 'pragma'
  | 'fileControl';

/** Something that is to go wrong. */
export interface Fault {
  readonly method: FaultMethod;
  /** Which call meets it, counted from 1 from when the fault was added: this one. All, if `nth` and `from` are left out. */
  readonly nth?: number;
  /** This one and all that follow. */
  readonly from?: number;
  /** Only calls on files that were opened as this: `VFS.SQLITE_OPEN_MAIN_JOURNAL`, for one. Others are not counted. */
  readonly kind?: number;
  /** Only calls on the file of this name. Others are not counted. */
  readonly path?: string;
  /** What is thrown: a `VFSError`, or anything else. A `VFSError` of `SQLITE_IOERR` if left out. */
  readonly error?: unknown;
  /**
   * How much is done before it fails. A write writes no more than so many bytes, and then throws; a read gives no more than so
   * many and throws nothing, which to SQLite is the end of the file.
   */
  readonly bytes?: number;
}

const KINDS = 0x000fff00;
const TEMPORARY =
  VFS.SQLITE_OPEN_TEMP_DB |
  VFS.SQLITE_OPEN_TRANSIENT_DB |
  VFS.SQLITE_OPEN_TEMP_JOURNAL |
  VFS.SQLITE_OPEN_SUBJOURNAL |
  VFS.SQLITE_OPEN_DELETEONCLOSE;

interface Armed {
  readonly fault: Fault;
  seen: number;
}

/** What a recording knows of a name. */
interface Tracked {
  readonly file: number;
}

let made = 0;

/**
 * A VFS around another, which is sync or async as that one is, and offers what that one offers.
 *
 * ```ts
 * const vfs = new FaultVFS(new TapeVFS());
 * registerVFS(vfs);
 * vfs.add({ method: 'write', nth: 3, kind: VFS.SQLITE_OPEN_MAIN_DB, error: new VFSError('SQLITE_FULL') });
 * ```
 */
export class FaultVFS<V extends FacadeVFS = FacadeVFS> extends FacadeVFS {
  override readonly name: string;
  override readonly async: boolean;
  /** The VFS inside. */
  readonly inner: V;
  #faults: Armed[] = [];
  readonly #calls = new Map<FaultMethod, number>();
  readonly #kinds = new Map<string, number>();
  #recording: Recording | undefined;
  readonly #tracked = new Map<string, Tracked>();

  /** @param name What it is registered as; a name of its own if left out. */
  constructor(inner: V, name = `${inner.name} with faults ${++made}`) {
    super();
    this.inner = inner;
    this.name = name;
    this.async = inner.async === true;
    if (inner.maxPathname !== undefined) Object.assign(this, { maxPathname: inner.maxPathname });
    if (inner.fullPathname) {
      this.fullPathname = (name) => {
        this.meet('fullPathname', name, undefined);
        return (inner.fullPathname as (name: string) => Async<string>).call(inner, name);
      };
    }
  }

  /** Adds a fault; what is answered takes it away again. */
  add(fault: Fault): () => void {
    const armed = { fault, seen: 0 };
    this.#faults.push(armed);
    return () => {
      this.#faults = this.#faults.filter((other) => other !== armed);
    };
  }

  /** Takes all faults away. */
  clear(): void {
    this.#faults = [];
  }

  /** How often a method was called. */
  calls(method: FaultMethod): number {
    return this.#calls.get(method) ?? 0;
  }

  /** Records from now on what changes files; to be called while none is open. */
  record(): Recording {
    this.#tracked.clear();
    this.#recording = new Recording();
    return this.#recording;
  }

  override open(path: string | null, flags: number, details: OpenDetails): Async<FacadeFile> {
    if (path !== null) this.#kinds.set(path, flags & KINDS);
    this.meet('open', path, flags & KINDS);
    const recording = this.#recording;
    if (recording === undefined || path === null || flags & TEMPORARY) {
      return after(this.inner.open(path, flags, details), (file) => new FaultFile(this, file, path, flags));
    }
    return after(this.inner.exists(path), (there) =>
      after(this.inner.open(path, flags, details), (file) => {
        const tracked = this.#tracked.get(path);
        if (tracked) return new FaultFile(this, file, path, flags, recording, tracked.file);
        return after(there ? contentOf(file) : undefined, (before) => {
          const number = recording.addFile({
            path,
            before,
            characteristics: file.deviceCharacteristics?.() ?? 0,
            sectorSize: file.sectorSize?.() ?? 4096,
          });
          this.#tracked.set(path, { file: number });
          if (!there) recording.add(number, { kind: 'create' });
          return new FaultFile(this, file, path, flags, recording, number);
        });
      }),
    );
  }

  override delete(path: string, syncDir: boolean): Async<void> {
    this.meet('delete', path, this.#kinds.get(path));
    return after(this.inner.delete(path, syncDir), () => {
      const tracked = this.#tracked.get(path);
      if (tracked) this.#recording?.add(tracked.file, { kind: 'delete', syncDir });
      this.#tracked.delete(path);
    });
  }

  override exists(path: string): Async<boolean> {
    this.meet('exists', path, this.#kinds.get(path));
    return this.inner.exists(path);
  }

  override fullPathname?: (name: string) => Async<string>;

  /** @internal Counts a call, and throws what it is to fail with. Answers how many bytes are done, where some are. */
  meet(method: FaultMethod, path: string | null, kind: number | undefined): Met | undefined {
    this.#calls.set(method, this.calls(method) + 1);
    let met: Met | undefined;
    for (const armed of this.#faults) {
      const { fault } = armed;
      if (fault.method !== method) continue;
      if (fault.kind !== undefined && fault.kind !== kind) continue;
      if (fault.path !== undefined && fault.path !== path) continue;
      armed.seen++;
      const { nth, from = nth ?? 1 } = fault;
      if (met || armed.seen < from || (nth !== undefined && armed.seen > nth)) continue;
      // Anything may be thrown, undefined too.
      const error =
        'error' in fault ? fault.error : new VFSError('SQLITE_IOERR', `${method} fails on purpose`);
      met = { bytes: fault.bytes, error };
    }
    if (met && (met.bytes === undefined || (method !== 'read' && method !== 'write'))) throw met.error;
    return met;
  }
}

interface Met {
  bytes: number | undefined;
  error: unknown;
}

function contentOf(file: FacadeFile): Async<Bytes> {
  return after(file.size(), (size) => {
    const bytes = new Uint8Array(size);
    return size === 0 ? bytes : after(file.read(bytes, 0), () => bytes);
  });
}

/** An open file of a `FaultVFS`. */
class FaultFile extends FacadeFile {
  readonly #vfs: FaultVFS;
  readonly #inner: FacadeFile;
  readonly #path: string | null;
  readonly #kind: number;
  readonly #recording: Recording | undefined;
  readonly #number: number;

  constructor(
    vfs: FaultVFS,
    inner: FacadeFile,
    path: string | null,
    flags: number,
    recording?: Recording,
    number = -1,
  ) {
    super();
    this.#vfs = vfs;
    this.#inner = inner;
    this.#path = path;
    this.#kind = flags & KINDS;
    this.#recording = recording;
    this.#number = number;
    this.#offer();
  }

  /** What the file inside offers beyond what it must, and no more: what is there is used. */
  #offer(): void {
    const inner = this.#inner;
    if (inner.readOnly !== undefined) Object.assign(this, { readOnly: inner.readOnly });
    if (inner.walIndex !== undefined)
      Object.assign(this, { walIndex: inner.walIndex satisfies WalIndexMethods });
    if (inner.sectorSize) this.sectorSize = () => (inner.sectorSize as () => number)();
    if (inner.deviceCharacteristics) {
      this.deviceCharacteristics = () => (inner.deviceCharacteristics as () => number)();
    }
    const pass = <K extends 'lock' | 'unlock' | 'hasReservedLock' | 'pragma'>(method: K) => {
      const call = inner[method] as ((...args: unknown[]) => unknown) | undefined;
      if (!call) return;
      Object.assign(this, {
        [method]: (...args: unknown[]) => {
          this.#meet(method);
          return call.apply(inner, args);
        },
      });
    };
    for (const method of ['lock', 'unlock', 'hasReservedLock', 'pragma'] as const) pass(method);
    if (inner.fileControl) {
      this.fileControl = (op, value) => {
        this.#meet('fileControl');
        const answer = (inner.fileControl as NonNullable<FacadeFile['fileControl']>).call(inner, op, value);
        return after(answer, (done) => {
          const kind = batchChange(op);
          if (kind && done !== undefined && done !== false) this.#record({ kind });
          return done;
        });
      };
    }
  }

  #meet(method: FaultMethod): Met | undefined {
    return this.#vfs.meet(method, this.#path, this.#kind);
  }

  #record(change: Change): void {
    this.#recording?.add(this.#number, change);
  }

  override read(buffer: Bytes, offset: number): Async<number> {
    const met = this.#meet('read');
    if (met?.bytes === undefined) return this.#inner.read(buffer, offset);
    return this.#inner.read(buffer.subarray(0, met.bytes), offset);
  }

  override write(buffer: Bytes, offset: number): Async<void> {
    const met = this.#meet('write');
    const done = met?.bytes === undefined ? buffer : buffer.subarray(0, met.bytes);
    const bytes = this.#recording ? done.slice() : undefined;
    const written = met && done.length === 0 ? undefined : this.#inner.write(done, offset);
    return after(written, () => {
      if (bytes) this.#record({ kind: 'write', offset, bytes });
      if (met) throw met.error;
    });
  }

  override truncate(size: number): Async<void> {
    this.#meet('truncate');
    return after(this.#inner.truncate(size), () => this.#record({ kind: 'truncate', size }));
  }

  override sync(flags: number): Async<void> {
    this.#meet('sync');
    return after(this.#inner.sync(flags), () => this.#record({ kind: 'sync' }));
  }

  override size(): Async<number> {
    this.#meet('size');
    return this.#inner.size();
  }

  override close(): Async<void> {
    // Whatever the fault is, the file inside must not stay open: nobody will close it any more.
    let error: { thrown: unknown } | undefined;
    try {
      this.#meet('close');
    } catch (thrown) {
      error = { thrown };
    }
    return after(this.#inner.close(), () => {
      if (error) throw error.thrown;
    });
  }
}

function batchChange(op: number): 'begin batch' | 'commit batch' | 'rollback batch' | undefined {
  switch (op) {
    case VFS.SQLITE_FCNTL_BEGIN_ATOMIC_WRITE:
      return 'begin batch';
    case VFS.SQLITE_FCNTL_COMMIT_ATOMIC_WRITE:
      return 'commit batch';
    case VFS.SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE:
      return 'rollback batch';
    default:
      return undefined;
  }
}
