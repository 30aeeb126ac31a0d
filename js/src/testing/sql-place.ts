/** Where a case that goes through SQLite works: databases on a VFS that is registered for it. */
import type { FacadeVFS } from '../facade.js';
import { equal } from './assert.js';
import { SqlDatabase, type SqlEngine, type SqlOpenOptions } from './engine.js';
import { FaultVFS } from './fault-vfs.js';
import { type AnySubject, isRegistered, type Subject } from './subject.js';

/** Numbers cases on a VFS that all of them share, so that each has files of its own. */
let places = 0;

/** What is done to the VFS before it is registered. */
type Wrap<V extends FacadeVFS> = (vfs: FacadeVFS) => V;

export class SqlPlace {
  readonly subject: AnySubject;
  readonly engine: SqlEngine;
  /** Run what takes long in full. */
  readonly full: boolean;
  readonly #prefix: string;
  readonly #databases = new Set<SqlDatabase>();
  #mounted: { vfs: FacadeVFS; registered: FacadeVFS } | undefined;

  constructor(subject: AnySubject, engine: SqlEngine, full: boolean) {
    this.subject = subject;
    this.engine = engine;
    this.full = full;
    this.#prefix = isRegistered(subject) ? `case ${++places} ` : '';
  }

  /** The name of a file of this case. */
  path(name: string): string {
    return this.#prefix + name;
  }

  /** The VFS by name; it is made and registered when it is asked for first. */
  async vfsName(): Promise<string> {
    if (isRegistered(this.subject)) return this.subject.vfsName;
    if (this.#mounted === undefined) await this.mount((vfs) => vfs);
    return (this.#mounted as { registered: FacadeVFS }).registered.name;
  }

  /** Makes a VFS, and registers it with what `wrap` puts around it. */
  async mount<V extends FacadeVFS>(wrap: Wrap<V>): Promise<V> {
    return this.#register(await this.#own().create(), wrap);
  }

  /** The VFS itself; undefined for one that is known by name. */
  async mounted(): Promise<FacadeVFS | undefined> {
    await this.vfsName();
    return this.#mounted?.registered;
  }

  /** Makes a VFS that can only be read, with a database in it. */
  async mountWith(name: string, sql: string): Promise<void> {
    const db = await this.engine.open(':memory:', {});
    await db.exec(sql);
    const bytes = await db.serialize();
    await db.close();
    await this.#register(await this.#own().create(new Map([[name, bytes]])), (vfs) => vfs);
  }

  /** Makes a VFS that can be made to fail. */
  async faulty(): Promise<FaultVFS> {
    return this.mount((vfs) => new FaultVFS(vfs));
  }

  /**
   * Goes on with another VFS on the same place, as after a reload. Databases that are open stay so, on what is left of the old
   * one.
   */
  async reopen(): Promise<void> {
    const subject = this.#own();
    const mounted = this.#mounted;
    if (mounted === undefined || subject.reopen === undefined) return;
    await this.engine.unregister(mounted.registered.name);
    this.#mounted = undefined;
    await this.#register(await subject.reopen(mounted.vfs), (vfs) => vfs);
  }

  /** Closes all databases and clears the place away. What is opened next is on a new one. */
  async unmount(): Promise<void> {
    const closing = this.#closeAll();
    const mounted = this.#mounted;
    this.#mounted = undefined;
    try {
      await closing;
    } finally {
      if (mounted !== undefined) {
        await this.engine.unregister(mounted.registered.name);
        await this.#own().destroy?.(mounted.vfs);
      }
    }
  }

  /** Opens a database: `x.db` if no other is named. */
  async open(name = 'x.db', options: Omit<SqlOpenOptions, 'vfs'> = {}): Promise<SqlDatabase> {
    return this.openPath(this.path(name), options);
  }

  /** Opens a database by a name or URI that is taken as it is. */
  async openPath(path: string, options: Omit<SqlOpenOptions, 'vfs'> = {}): Promise<SqlDatabase> {
    const vfs = await this.vfsName();
    const db = new SqlDatabase(await this.engine.open(path, { ...options, vfs }));
    this.#databases.add(db);
    return db;
  }

  /** Opens a database, does something with it, and closes it. */
  async with<T>(name: string, body: (db: SqlDatabase) => Promise<T>): Promise<T> {
    const db = await this.open(name);
    try {
      return await body(db);
    } finally {
      await db.close();
    }
  }

  async end(): Promise<void> {
    await this.unmount();
  }

  #own(): Subject {
    if (isRegistered(this.subject)) throw new TypeError('a VFS known by name cannot be made anew');
    return this.subject;
  }

  async #register<V extends FacadeVFS>(vfs: FacadeVFS, wrap: Wrap<V>): Promise<V> {
    const registered = wrap(vfs);
    try {
      await this.engine.register(registered);
    } catch (error) {
      await this.#own().destroy?.(vfs);
      throw error;
    }
    this.#mounted = { vfs, registered };
    return registered;
  }

  async #closeAll(): Promise<void> {
    let failed: unknown[] = [];
    for (const db of this.#databases) {
      if (!db.isOpen) continue;
      try {
        await db.close();
      } catch (error) {
        failed = [...failed, error];
      }
    }
    this.#databases.clear();
    if (failed.length > 0) throw failed[0];
  }
}

/** Is the database whole? */
export async function assertWhole(db: SqlDatabase, when = 'at the end'): Promise<void> {
  equal((await db.column('PRAGMA integrity_check')).join('; '), 'ok', `integrity_check ${when}`);
}
