/** What is tested, and what its author says of it. */
import type { FacadeVFS } from '../facade.js';

/** What the author of a VFS states. A case that needs what is not promised is not run, and the report says why. */
export interface Promises {
  /** Files can only be read: `create` must put in those it is given. False if left out. */
  readOnly?: boolean;
  /**
   * How long a file may become, in bytes, holes included. Left out, nothing is promised beyond 1 GiB: files beyond 4 GiB are
   * tested, as holes with little in them, where this says that they work.
   */
  maxFileSize?: number;
  /** Can a file be opened without a name? SQLite sorts and spills into such files. True if left out. */
  temporaryFiles?: boolean;
  /** May several connections have a database open at a time? True if left out. */
  connections?: boolean;
  /** Can one transaction change several files, for which SQLite makes one of a random name? True if left out. */
  attached?: boolean;
  /**
   * Write-ahead logs: `shared` by several connections, for one connection with `exclusive` locking, or `none`. Left out, `shared`
   * where files have a `walIndex`, else `exclusive`; of a VFS that is not written in JavaScript, `none`.
   */
  wal?: 'shared' | 'exclusive' | 'none';
  /** Names that can be no file's. Left out, every name can. */
  refusesName?(name: string): boolean;
}

/** A VFS written in JavaScript. Each case gets a new one. */
export interface Subject<V extends FacadeVFS = FacadeVFS> {
  readonly name: string;
  /**
   * A VFS on a place that is empty, or has these files and no others. Files are given only to one that promises to be
   * `readOnly`, since nothing can be written there.
   */
  create(files?: ReadonlyMap<string, Uint8Array>): V | Promise<V>;
  /** Another VFS on the same place, as after a reload. Left out where nothing outlives the VFS. */
  reopen?(vfs: V): V | Promise<V>;
  /** Clears the place away. Called with the last VFS that was on it. */
  destroy?(vfs: V): void | Promise<void>;
  readonly promises?: Promises;
}

/** A VFS that is registered already, whatever it is written in. Only the cases that go through SQLite are for it. */
export interface RegisteredSubject {
  readonly name: string;
  /** What it is registered as. */
  readonly vfsName: string;
  readonly promises?: Promises;
}

export type AnySubject = Subject | RegisteredSubject;

export const isRegistered = (subject: AnySubject): subject is RegisteredSubject => 'vfsName' in subject;
