/**
 * A store in Rust as a `FacadeVFS`: what builds of SQLite in other wasm modules are lent. The other side is `src/foreign.rs`.
 *
 * Bytes cross from one memory to the other in one copy. The store's own locks are used, so connections of all builds see each
 * other's.
 */
import { FacadeFile, FacadeVFS } from './facade.js';
import type { Memory } from './memory.js';
import { decode, encode } from './text.js';
import { codeNumbered, VFSError } from './vfs-error.js';
import type { InitOutput } from './wasm/sqlite_vfs_kit.js';

type Named = Extract<keyof InitOutput, `kit_foreign_${string}`>;

/** The functions that lend, which both kinds of modules have. */
export type LenderExports = Pick<InitOutput, Exclude<Named, 'kit_foreign_store'>>;

/** A module that lends. */
export interface Lender {
  readonly memory: Memory;
  readonly exports: LenderExports;
}

/** What `kit_foreign_ask` is asked. */
enum Question {
  Truncate,
  Sync,
  Size,
  Lock,
  Unlock,
  HasReservedLock,
  SectorSize,
  Characteristics,
}

export class LentVFS extends FacadeVFS {
  override readonly name: string;
  override readonly maxPathname: number;
  readonly #lender: Lender;
  readonly #store: number;

  /** @param store Its number in the module. */
  constructor(lender: Lender, store: number, name: string) {
    super();
    this.#lender = lender;
    this.#store = store;
    this.name = name;
    this.maxPathname = checked(lender, lender.exports.kit_foreign_max_pathname(store));
  }

  override open(path: string | null, flags: number): FacadeFile {
    const length = path === null ? 0 : hand(this.#lender, path);
    // To the store that would be a temporary file.
    if (path === '') throw new VFSError('SQLITE_CANTOPEN', 'a name has at least one byte');
    const opened = this.#checked(this.#lender.exports.kit_foreign_open(this.#store, length, flags));
    return new LentFile(this.#lender, opened >>> 1, (opened & 1) === 1);
  }

  override delete(path: string, syncDir: boolean): void {
    const length = hand(this.#lender, path);
    this.#checked(this.#lender.exports.kit_foreign_delete(this.#store, length, syncDir ? 1 : 0));
  }

  override exists(path: string): boolean {
    const length = hand(this.#lender, path);
    return this.#checked(this.#lender.exports.kit_foreign_exists(this.#store, length)) === 1;
  }

  #checked(answer: number): number {
    return checked(this.#lender, answer);
  }
}

class LentFile extends FacadeFile {
  declare readonly readOnly?: boolean;
  readonly #memory: Memory;
  readonly #exports: LenderExports;
  readonly #lender: Lender;
  readonly #file: number;

  constructor(lender: Lender, file: number, readOnly: boolean) {
    super();
    this.#lender = lender;
    this.#memory = lender.memory;
    this.#exports = lender.exports;
    this.#file = file;
    if (readOnly) this.readOnly = true;
  }

  override read(buffer: Uint8Array, offset: number): number {
    const { length } = buffer;
    const place = this.#exports.kit_foreign_peek(this.#file, offset, length) >>> 0;
    if (place !== 0) {
      buffer.set(this.#memory.view(place, length));
      return length;
    }
    // The bytes are in several pieces, or not all there.
    const room = roomFor(this.#lender, length);
    const count = this.#checked(this.#exports.kit_foreign_read(this.#file, offset, length));
    buffer.set(this.#memory.view(room, count));
    return count;
  }

  override write(buffer: Uint8Array, offset: number): void {
    const { length } = buffer;
    const place = this.#exports.kit_foreign_place(this.#file, offset, length) >>> 0;
    if (place !== 0) {
      this.#memory.u8.set(buffer, place);
      return;
    }
    // First the room: for it, memory may grow.
    const room = roomFor(this.#lender, length);
    this.#memory.u8.set(buffer, room);
    this.#checked(this.#exports.kit_foreign_write(this.#file, offset, length));
  }

  override truncate(size: number): void {
    this.#ask(Question.Truncate, size);
  }

  override sync(flags: number): void {
    this.#ask(Question.Sync, flags);
  }

  override size(): number {
    return this.#ask(Question.Size);
  }

  override close(): void {
    this.#checked(this.#exports.kit_foreign_close(this.#file));
  }

  override lock(level: number): void {
    this.#ask(Question.Lock, level);
  }

  override unlock(level: number): void {
    this.#ask(Question.Unlock, level);
  }

  override hasReservedLock(): boolean {
    return this.#ask(Question.HasReservedLock) === 1;
  }

  override sectorSize(): number {
    return this.#ask(Question.SectorSize);
  }

  override deviceCharacteristics(): number {
    return this.#ask(Question.Characteristics);
  }

  override fileControl(op: number, value: number): number | boolean {
    if (this.#checked(this.#exports.kit_foreign_control(this.#file, op, value)) === 0) return false;
    // What goes back is at the beginning of the buffer.
    const back = this.#memory.f64[roomFor(this.#lender, 0) >>> 3] as number;
    return back === value || back;
  }

  #ask(question: Question, value = 0): number {
    return this.#checked(this.#exports.kit_foreign_ask(this.#file, question, value));
  }

  #checked(answer: number): number {
    return answer < 0 ? checked(this.#lender, answer) : answer;
  }
}

/** Puts a name where the module finds it; answers its length. */
function hand(lender: Lender, name: string): number {
  const bytes = encode(name);
  // First the room: for it, memory may grow.
  const room = roomFor(lender, bytes.length);
  lender.memory.u8.set(bytes, room);
  return bytes.length;
}

function roomFor({ exports }: Lender, length: number): number {
  const room = exports.kit_foreign_buffer(length) >>> 0;
  if (room === 0) throw new VFSError('SQLITE_NOMEM', `no room for ${length} bytes`);
  return room;
}

/** An answer, unless it is the negative code of a failure: then its words are in the buffer. */
export function checked(lender: Lender, answer: number): number {
  if (answer >= 0) return answer;
  const length = lender.exports.kit_foreign_words();
  const words = decode(lender.memory.view(roomFor(lender, 0), length));
  const code = codeNumbered(-answer);
  throw new VFSError(code, words || code);
}
