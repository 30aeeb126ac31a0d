/** What is bound to the engine whose calls can be suspended. */
import { AsyncDatabaseIn } from './async-database.js';
import type { Engine } from './engine.js';
import type { FacadeVFS } from './facade.js';
import { engine } from './init-jspi.js';
import { nameArgument, optionsObject } from './options.js';
import { type RegisterOptions, register, unregister } from './register-vfs.js';
import { TracedVFS } from './traced-vfs.js';
import { WalIndexIn } from './wal-index.js';

/**
 * Registers a VFS under its name: `new AsyncDatabase('x.db', { vfs: name })`, or `file:x.db?vfs=name`. Its methods may answer
 * promises if it says so, with `readonly async = true`.
 */
export function registerVFS(vfs: FacadeVFS, options?: RegisterOptions): void {
  register(engine(), vfs, optionsObject(options, options !== undefined));
}

/**
 * Unregisters a VFS. Databases that are open on it can be read and written to the end of their transactions, and be closed; what
 * asks it for other files fails.
 */
export function unregisterVFS(name: string): void {
  unregister(engine(), nameArgument(name, 'name'));
}

/** What a registered VFS is seen to do; by default the one that `AsyncDatabase` uses. Throws if there is none. */
export function getVFS(name = 'memory'): TracedVFS {
  return new TracedVFS(engine().main, nameArgument(name, 'name'));
}

/**
 * A database, on any store.
 *
 * Its calls and those of its statements run one after another, in the order in which they were made, whether they are awaited or
 * not. Arguments are read when a call is made. What is wrong with them, as anything else, rejects the promise.
 */
export class AsyncDatabase extends AsyncDatabaseIn {
  protected override get engine(): Engine {
    return engine();
  }
}

/** A WAL index in the memory of this build. */
export class WalIndex extends WalIndexIn {
  protected override get engine(): Engine {
    return engine();
  }
}
