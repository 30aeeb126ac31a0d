/** Where a case that calls a VFS by itself works: the VFS, with its answers checked as SQLite's caller checks them. */
import type { FacadeFile, FacadeVFS } from '../facade.js';
import * as VFS from '../vfs-constants.js';
import { equal, ok, sameBytes } from './assert.js';
import type { Bytes } from './bytes.js';
import { isPromise } from './later.js';
import type { Subject } from './subject.js';

const { SQLITE_OPEN_CREATE, SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE } = VFS;

/** A database that is made if there is none: what most cases open. */
export const MAKE = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MAIN_DB;
/** One that must be there. */
export const THERE = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MAIN_DB;
/** One that is only read. */
export const READ = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;

/** What is in a buffer before it is read into: what a VFS leaves alone is seen. */
const GARBAGE = 0xaa;

export class FilePlace {
  readonly subject: Subject;
  /** Run what takes long in full. */
  readonly full: boolean;
  #vfs: FacadeVFS;
  readonly #files = new Set<TestFile>();

  private constructor(subject: Subject, vfs: FacadeVFS, full: boolean) {
    this.subject = subject;
    this.#vfs = vfs;
    this.full = full;
  }

  static async create(subject: Subject, full: boolean, files?: ReadonlyMap<string, Uint8Array>) {
    return new FilePlace(subject, await subject.create(files), full);
  }

  get vfs(): FacadeVFS {
    return this.#vfs;
  }

  /** The same place with these files in it, for a VFS that cannot be written. */
  async refill(files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await this.subject.destroy?.(this.#vfs);
    this.#vfs = await this.subject.create(files);
  }

  async fullName(path: string): Promise<string> {
    const full = await this.answer('fullPathname', this.#vfs.fullPathname?.(path) ?? path);
    equal(typeof full, 'string', 'type of what fullPathname answers');
    return full;
  }

  /** Opens a file as SQLite does, by its full name. */
  async open(path: string | null, flags = MAKE): Promise<TestFile> {
    const full = path === null ? null : await this.fullName(path);
    const details = {
      database: flags & VFS.SQLITE_OPEN_MAIN_DB ? full : null,
      parameters: new URLSearchParams(),
    };
    const file = await this.answer('open', this.#vfs.open(full, flags, details));
    ok(typeof file === 'object' && file !== null, `open answered ${String(file)}, which is no file`);
    const opened = new TestFile(this, file);
    this.#files.add(opened);
    return opened;
  }

  async delete(path: string, syncDir = false): Promise<void> {
    await this.answer('delete', this.#vfs.delete(await this.fullName(path), syncDir));
  }

  async exists(path: string): Promise<boolean> {
    const there = await this.answer('exists', this.#vfs.exists(await this.fullName(path)));
    equal(typeof there, 'boolean', 'type of what exists answers');
    return there;
  }

  /** Makes a file that holds these bytes. */
  async put(path: string, bytes: Bytes): Promise<void> {
    const file = await this.open(path);
    await file.write(bytes, 0);
    await file.sync();
    await file.close();
  }

  /** What a file holds. */
  async get(path: string): Promise<Bytes> {
    const file = await this.open(path, THERE);
    const bytes = await file.content();
    await file.close();
    return bytes;
  }

  /** Goes on with another VFS on the same place, as after a reload. */
  async reopen(): Promise<void> {
    await this.closeAll();
    this.#vfs = (await this.subject.reopen?.(this.#vfs)) ?? this.#vfs;
  }

  async closeAll(): Promise<void> {
    for (const file of [...this.#files]) await file.close();
  }

  /** @internal */
  closed(file: TestFile): void {
    this.#files.delete(file);
  }

  async end(): Promise<void> {
    try {
      await this.closeAll();
    } finally {
      await this.subject.destroy?.(this.#vfs);
    }
  }

  /** Waits for an answer, which a VFS that does not say `async` may not ask for. */
  async answer<T>(method: string, answer: T | Promise<T>): Promise<T> {
    const promised = isPromise(answer);
    const value = await answer;
    ok(
      !promised || this.#vfs.async === true,
      `${method} answered a promise; a VFS whose methods do has \`readonly async = true\``,
    );
    return value;
  }
}

/** An open file whose answers are checked. */
export class TestFile {
  readonly #place: FilePlace;
  readonly file: FacadeFile;

  constructor(place: FilePlace, file: FacadeFile) {
    this.#place = place;
    this.file = file;
  }

  /** Reads, and answers how many bytes there were and the buffer, with zeros after them as SQLite's caller fills in. */
  async read(length: number, offset: number): Promise<{ count: number; bytes: Bytes }> {
    const bytes = new Uint8Array(length).fill(GARBAGE);
    const count = await this.readInto(bytes, offset);
    bytes.fill(0, count);
    return { count, bytes };
  }

  async readInto(buffer: Bytes, offset: number): Promise<number> {
    const count = await this.#place.answer('read', this.file.read(buffer, offset));
    ok(
      Number.isInteger(count) && count >= 0 && count <= buffer.length,
      `read answered ${String(count)}; expected was how many bytes were read, 0 to ${buffer.length}`,
    );
    return count;
  }

  /** Writes, from a buffer that is overwritten as soon as the VFS is done with it. */
  async write(bytes: Uint8Array, offset: number): Promise<void> {
    const buffer = new Uint8Array(bytes);
    await this.#place.answer('write', this.file.write(buffer, offset));
    sameBytes(buffer, bytes, 'what the buffer of a write holds after it');
    buffer.fill(GARBAGE);
  }

  async truncate(size: number): Promise<void> {
    await this.#place.answer('truncate', this.file.truncate(size));
  }

  async size(): Promise<number> {
    const size = await this.#place.answer('size', this.file.size());
    ok(Number.isSafeInteger(size) && size >= 0, `size answered ${String(size)}, which is no length`);
    return size;
  }

  async sync(flags = VFS.SQLITE_SYNC_NORMAL): Promise<void> {
    await this.#place.answer('sync', this.file.sync(flags));
  }

  async lock(level: number): Promise<void> {
    await this.#place.answer('lock', this.file.lock?.(level));
  }

  async unlock(level: number): Promise<void> {
    await this.#place.answer('unlock', this.file.unlock?.(level));
  }

  async isReserved(): Promise<boolean> {
    const reserved = await this.#place.answer('hasReservedLock', this.file.hasReservedLock?.());
    equal(typeof reserved, 'boolean', 'type of what hasReservedLock answers');
    return reserved === true;
  }

  async control(op: number, value = 0): Promise<boolean | number | undefined> {
    return await this.#place.answer('fileControl', this.file.fileControl?.(op, value));
  }

  /** All of it. */
  async content(): Promise<Bytes> {
    const size = await this.size();
    const { count, bytes } = await this.read(size, 0);
    equal(count, size, 'bytes read of the whole file');
    return bytes;
  }

  async close(): Promise<void> {
    this.#place.closed(this);
    await this.#place.answer('close', this.file.close());
  }
}
