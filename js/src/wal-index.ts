/** The index of a write-ahead log in the memory of this instance. */

import type { Engine } from './engine.js';
import type { WalIndexMethods } from './facade.js';
import { nameArgument } from './options.js';
import { SQLITE_OK } from './result-codes.js';
import { numberOf, VFSError, type VFSErrorCode } from './vfs-error.js';

/**
 * One connection's use of a database's WAL index: what a file of a VFS has as its `walIndex`, so that readers and a writer go on
 * side by side in WAL mode.
 *
 * The index is shared by all connections of this instance that use the same name, and gone with the last of them. Other tabs and
 * workers have none of it: a store that they share refuses WAL, or asks for `locking_mode=EXCLUSIVE`.
 */
export abstract class WalIndexIn implements WalIndexMethods {
  readonly #name: string;
  #index = -1;

  /** @param name The same for all connections to a database, and to no other: its path, with the name of the VFS before it. */
  constructor(name: string) {
    this.#name = nameArgument(name, 'name');
  }

  /** The instance whose memory it is in. */
  protected abstract get engine(): Engine;

  map(region: number, size: number, extend: boolean): number {
    const { exports } = this.engine.main;
    const pointer = exports.kit_wal_index_map(this.#use(), region, size, extend ? 1 : 0) >>> 0;
    if (pointer === 0) check(this.engine, this.engine.main.code);
    return pointer;
  }

  lock(first: number, n: number, flags: number): void {
    check(this.engine, this.engine.main.exports.kit_wal_index_lock(this.#use(), first, n, flags));
  }

  /** Connections of one instance run one after another: whatever was written is there. */
  barrier(): void {}

  unmap(): void {
    if (this.#index >= 0) this.engine.main.exports.kit_wal_index_unmap(this.#index);
    this.#index = -1;
  }

  #use(): number {
    if (this.#index < 0) {
      this.#index = this.engine.main.withText([this.#name], (name) =>
        this.engine.main.exports.kit_wal_index_open(name as number),
      );
      if (this.#index < 0) throw new VFSError('SQLITE_IOERR_SHMOPEN', 'the WAL index could not be opened');
    }
    return this.#index;
  }
}

const refusals: VFSErrorCode[] = [
  'SQLITE_BUSY',
  'SQLITE_NOMEM',
  'SQLITE_IOERR_SHMMAP',
  'SQLITE_IOERR_SHMLOCK',
];

function check(engine: Engine, code: number): void {
  if (code === SQLITE_OK) return;
  const name = refusals.find((name) => numberOf(name) === code) ?? 'SQLITE_IOERR';
  throw new VFSError(name, engine.main.text() ?? name);
}
