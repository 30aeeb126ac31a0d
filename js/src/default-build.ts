/** What is bound to the default build's engine. */
import type { Engine } from './engine.js';
import type { FacadeVFS } from './facade.js';
import { engine } from './init.js';
import { nameArgument, optionsObject } from './options.js';
import { type RegisterOptions, register, unregister } from './register-vfs.js';
import { WalIndexIn } from './wal-index.js';

/**
 * Registers a VFS under its name: `new DatabaseSync('x.db', { vfs: name })`, or `file:x.db?vfs=name`.
 *
 * A VFS whose methods answer promises (`readonly async = true`) is registered with `registerVFS` of `sqlite-vfs-kit/jspi`.
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

/** A WAL index in the memory of this package's default build. */
export class WalIndex extends WalIndexIn {
  protected override get engine(): Engine {
    return engine();
  }
}
