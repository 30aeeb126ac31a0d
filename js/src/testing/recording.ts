/** Everything that changed the files of a VFS, and what a loss of power would leave of them. */
import type { FacadeVFS } from '../facade.js';
import * as VFS from '../vfs-constants.js';
import { type Bytes, ModelFile, Random } from './bytes.js';

/** What happened to a file. */
export type Change =
  | { readonly kind: 'create' }
  /** Of a write that was cut short, the bytes that were written. */
  | { readonly kind: 'write'; readonly offset: number; readonly bytes: Bytes }
  | { readonly kind: 'truncate'; readonly size: number }
  /** All that was written became durable. */
  | { readonly kind: 'sync' }
  /** Its name was deleted; durably with `syncDir`. */
  | { readonly kind: 'delete'; readonly syncDir: boolean }
  /** The writes that follow count together or not at all. */
  | { readonly kind: 'begin batch' }
  | { readonly kind: 'commit batch' }
  | { readonly kind: 'rollback batch' };

/** A change to a file. */
export interface RecordedChange {
  /** The name the file had. */
  readonly path: string;
  /** Tells apart files that had the same name one after another. */
  readonly file: number;
  readonly change: Change;
}

/**
 * What became of changes that were not synced when power was lost: all are lost, all have arrived, or each has arrived or not
 * as the seed has it. With `torn`, part of the last write that was on its way has arrived too.
 */
export type Unsynced = 'lost' | 'kept' | { readonly reordered: number } | { readonly torn: number };

/** @internal A file that occurs in a recording. */
export interface RecordedFile {
  readonly path: string;
  /** What it held when the recording began; undefined if it was made later. */
  readonly before: Bytes | undefined;
  readonly characteristics: number;
  readonly sectorSize: number;
}

/**
 * Everything that changed files, oldest first. It holds the bytes of all writes. Left out are temporary files, which nobody looks
 * for after a crash, and files that were there before and were not opened.
 */
export class Recording {
  readonly #files: RecordedFile[] = [];
  readonly #changes: RecordedChange[] = [];

  get changes(): readonly RecordedChange[] {
    return this.#changes;
  }

  /**
   * What all files hold if power is lost after the first `point` changes, by name.
   *
   * Durable are: the writes and lengths of a file when it was synced; a new file when it was synced for the first time; a
   * deletion at once with `syncDir`, and without when another file of the name was synced. A batch arrives as a whole. What the
   * file promises by `deviceCharacteristics` is kept: `SEQUENTIAL`, changes arrive in order; `SAFE_APPEND`, a file is longer by
   * bytes that have arrived; `POWERSAFE_OVERWRITE`, a torn write leaves the bytes around it alone; `ATOMIC…`, such writes are not torn.
   */
  crashAt(point: number, unsynced: Unsynced): Map<string, Bytes> {
    const changes = this.#changes.slice(0, point);
    const chance = new Chance(unsynced);
    const ordered = this.#ordered(changes, chance);
    const medium = new Medium(this.#files);
    changes.forEach((change, number) => {
      const inOrder = this.#isSequential(change.file);
      // What comes after the last that has arrived might as well not have happened.
      if (inOrder && number >= ordered) return;
      medium.apply(number, change);
      if (inOrder && change.change.kind !== 'write' && change.change.kind !== 'truncate')
        medium.settle(change);
    });
    const torn = typeof unsynced === 'object' && 'torn' in unsynced ? medium.lastWrite() : undefined;
    return medium.lose((file) => this.#isSequential(file), torn, chance);
  }

  #isSequential(file: number): boolean {
    return ((this.#files[file]?.characteristics ?? 0) & VFS.SQLITE_IOCAP_SEQUENTIAL) !== 0;
  }

  /** How many changes have arrived, of files whose changes arrive in order. A sync of one makes all of them durable. */
  #ordered(changes: RecordedChange[], chance: Chance): number {
    const durable =
      changes.findLastIndex(
        ({ file, change }) =>
          this.#isSequential(file) &&
          (change.kind === 'sync' || (change.kind === 'delete' && change.syncDir)),
      ) + 1;
    return chance.between(durable, changes.length);
  }

  /** @internal */
  addFile(file: RecordedFile): number {
    return this.#files.push(file) - 1;
  }

  /** @internal */
  add(file: number, change: Change): void {
    this.#changes.push({ path: this.#files[file]?.path ?? '', file, change });
  }
}

/** Puts files into an empty place, as `crashAt` answers them. */
export async function restore(vfs: FacadeVFS, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  for (const [path, bytes] of files) {
    const kind = kindOf(path);
    const details = { database: databaseOf(path), parameters: new URLSearchParams() };
    const file = await vfs.open(path, VFS.SQLITE_OPEN_READWRITE | VFS.SQLITE_OPEN_CREATE | kind, details);
    if (bytes.length > 0) await file.write(new Uint8Array(bytes), 0);
    await file.sync(VFS.SQLITE_SYNC_FULL);
    await file.close();
  }
}

const SUFFIXES = [
  ['-journal', VFS.SQLITE_OPEN_MAIN_JOURNAL],
  ['-wal', VFS.SQLITE_OPEN_WAL],
] as const;

function kindOf(path: string): number {
  if (/-mj[0-9A-F]{6,}$/.test(path)) return VFS.SQLITE_OPEN_SUPER_JOURNAL;
  return SUFFIXES.find(([suffix]) => path.endsWith(suffix))?.[1] ?? VFS.SQLITE_OPEN_MAIN_DB;
}

function databaseOf(path: string): string | null {
  if (kindOf(path) === VFS.SQLITE_OPEN_SUPER_JOURNAL) return null;
  const suffix = SUFFIXES.find(([suffix]) => path.endsWith(suffix))?.[0] ?? '';
  return path.slice(0, path.length - suffix.length);
}

/** A change to the bytes of a file. */
type Piece = { offset: number; bytes: Bytes } | { size: number };

const endOf = (piece: Piece): number => ('size' in piece ? piece.size : piece.offset + piece.bytes.length);

/** What may be lost: one piece, or a batch. */
interface Pending {
  pieces: Piece[];
  /** The change that made it. */
  number: number;
}

/** Which file a name belongs to. */
interface Name {
  durable: number | undefined;
  /** What it came to belong to since, in order. */
  pending: (number | undefined)[];
}

/** What the medium has for certain, and what is on its way there. */
class Medium {
  readonly #bodies: Body[];
  readonly #names = new Map<string, Name>();

  constructor(files: readonly RecordedFile[]) {
    this.#bodies = files.map((file) => new Body(file));
    files.forEach(({ path, before }, number) => {
      if (before !== undefined) this.#names.set(path, { durable: number, pending: [] });
    });
  }

  apply(number: number, { path, file, change }: RecordedChange): void {
    const body = this.#bodies[file];
    if (body === undefined) return;
    const name = this.#name(path);
    switch (change.kind) {
      case 'write':
        body.add({ offset: change.offset, bytes: change.bytes }, number);
        return;
      case 'truncate':
        body.add({ size: change.size }, number);
        return;
      case 'begin batch':
        body.batch = [];
        return;
      case 'commit batch':
        if (body.batch) body.pending.push({ pieces: body.batch, number });
        body.batch = undefined;
        return;
      case 'rollback batch':
        body.batch = undefined;
        return;
      case 'create':
        name.pending.push(file);
        return;
      case 'delete':
        name.pending.push(undefined);
        if (change.syncDir) settleName(name);
        return;
      case 'sync': {
        body.settle();
        const made = name.pending.lastIndexOf(file);
        if (made >= 0) {
          name.pending.splice(0, made + 1);
          name.durable = file;
        }
      }
    }
  }

  /** What happened to the file of this change, and to its name, has arrived. */
  settle({ path, file }: RecordedChange): void {
    this.#bodies[file]?.settle();
    settleName(this.#name(path));
  }

  /** The last write to any file that is pending, unless it is part of a batch. */
  lastWrite(): number | undefined {
    const single = ({ pieces: [piece, ...others] }: Pending) =>
      piece && 'bytes' in piece && others.length === 0;
    const writes = this.#bodies.map((body) => body.pending.findLast(single)?.number ?? -1);
    const last = Math.max(-1, ...writes);
    return last < 0 ? undefined : last;
  }

  /** Power is lost. */
  lose(
    isSequential: (file: number) => boolean,
    torn: number | undefined,
    chance: Chance,
  ): Map<string, Bytes> {
    this.#bodies.forEach((body, number) => {
      // Of those whose changes arrive in order only what has arrived was applied.
      body.lose(torn, isSequential(number), chance);
    });
    const contents = new Map<string, Bytes>();
    for (const [path, { durable, pending }] of this.#names) {
      const arrived = chance.between(0, pending.length);
      const file = arrived === 0 ? durable : pending[arrived - 1];
      const body = file === undefined ? undefined : this.#bodies[file];
      if (body) contents.set(path, body.durable.bytes);
    }
    return contents;
  }

  #name(path: string): Name {
    let name = this.#names.get(path);
    if (name === undefined) {
      name = { durable: undefined, pending: [] };
      this.#names.set(path, name);
    }
    return name;
  }
}

function settleName(name: Name): void {
  if (name.pending.length > 0) name.durable = name.pending.at(-1);
  name.pending = [];
}

/** A file, whatever its name. */
class Body {
  readonly #about: RecordedFile;
  readonly durable: ModelFile;
  pending: Pending[] = [];
  batch: Piece[] | undefined;

  constructor(about: RecordedFile) {
    this.#about = about;
    this.durable = new ModelFile(about.before);
  }

  add(piece: Piece, number: number): void {
    if (this.batch) this.batch.push(piece);
    else this.pending.push({ pieces: [piece], number });
  }

  /** All that is pending has arrived. */
  settle(): void {
    this.lose(undefined, true, new Chance('kept'));
  }

  /** Power is lost. Of what is pending either all is `certain` to have arrived, or it is left to chance. */
  lose(torn: number | undefined, certain: boolean, chance: Chance): void {
    // With SAFE_APPEND, what was appended after a loss is lost, too.
    let mayGrow = true;
    for (const { pieces, number } of this.pending) {
      const grows = pieces.some((piece) => endOf(piece) > this.durable.size);
      const [first] = pieces;
      if (number === torn && first && 'bytes' in first && !this.#isAtomic(first)) {
        if (mayGrow || !grows) this.#tear(first, chance);
      } else if ((mayGrow || !grows) && (certain || chance.arrives())) {
        for (const piece of pieces) this.#put(piece);
      } else if (grows) {
        if (this.#promises(VFS.SQLITE_IOCAP_SAFE_APPEND)) mayGrow = false;
        else if (first && pieces.length === 1) this.#growWithout(first, chance);
      }
    }
    this.pending = [];
  }

  #promises(flag: number): boolean {
    return (this.#about.characteristics & flag) !== 0;
  }

  #put(piece: Piece): void {
    if ('size' in piece) this.durable.truncate(piece.size);
    else this.durable.write(piece.bytes, piece.offset);
  }

  /** The bytes of a write are lost, but the length of the file may not be. */
  #growWithout(lost: Piece, chance: Chance): void {
    if (!chance.arrives()) return;
    const start = this.durable.size;
    this.durable.truncate(endOf(lost));
    if ('bytes' in lost && chance.arrives()) this.durable.write(chance.bytes(endOf(lost) - start), start);
  }

  /** Of a write the first sectors arrive, and part of the one in which it was cut. */
  #tear({ offset, bytes }: { offset: number; bytes: Bytes }, chance: Chance): void {
    const sector = Math.max(1, this.#about.sectorSize);
    const end = offset + bytes.length;
    const sectors = Math.ceil(end / sector) - Math.floor(offset / sector);
    const from = (Math.floor(offset / sector) + chance.below(sectors)) * sector;
    const [first, last] = [Math.max(from, offset), Math.min(from + sector, end)];
    const whole = bytes.subarray(0, first - offset);
    if (this.#promises(VFS.SQLITE_IOCAP_POWERSAFE_OVERWRITE)) {
      const part = chance.below(last - first + 1);
      this.#put({ offset, bytes: bytes.subarray(0, whole.length + part) });
      return;
    }
    this.#put({ offset, bytes: whole });
    if (last > this.durable.size) this.durable.truncate(last);
    const garbage = chance.bytes(Math.min(sector, this.durable.size - from));
    this.#put({ offset: from, bytes: garbage });
  }

  /** Does the medium write this at once? */
  #isAtomic({ offset, bytes }: { offset: number; bytes: Bytes }): boolean {
    if (this.#promises(VFS.SQLITE_IOCAP_ATOMIC)) return true;
    // SQLITE_IOCAP_ATOMIC512 is 2, ATOMIC1K 4, … ATOMIC64K 256, for blocks at multiples of their size.
    return [1, 2, 3, 4, 5, 6, 7, 8].some((shift) => {
      const size = 256 << shift;
      return this.#promises(1 << shift) && bytes.length === size && offset % size === 0;
    });
  }
}

/** What decides whether a change has arrived. */
class Chance {
  readonly #unsynced: Unsynced;
  readonly #random: Random;
  readonly #odds: number;

  constructor(unsynced: Unsynced) {
    this.#unsynced = unsynced;
    const seed = typeof unsynced === 'string' ? 0 : 'torn' in unsynced ? unsynced.torn : unsynced.reordered;
    this.#random = new Random(seed);
    // So that with some seeds little is lost, and with others nearly all.
    this.#odds = 1 + this.#random.below(7);
  }

  arrives(): boolean {
    if (typeof this.#unsynced === 'string') return this.#unsynced === 'kept';
    return this.#random.below(8) < this.#odds;
  }

  /** How many of some have arrived, of which so many are certain. */
  between(certain: number, all: number): number {
    if (typeof this.#unsynced === 'string') return this.#unsynced === 'kept' ? all : certain;
    return certain + this.#random.below(all - certain + 1);
  }

  below(limit: number): number {
    return this.#random.below(limit);
  }

  bytes(length: number): Bytes {
    return this.#random.bytes(length);
  }
}
