/**
 * VFSes that were written for wa-sqlite, unchanged, in this package.
 *
 * ```ts
 * import { DatabaseSync, init, registerVFS } from 'sqlite-vfs-kit';
 * import { fromWaSqlite, waSqliteModule } from 'sqlite-vfs-kit/compat/wa-sqlite';
 *
 * await init();
 * const vfs = await AccessHandlePoolVFS.create('pool', waSqliteModule());
 * registerVFS(fromWaSqlite(vfs));
 * const db = new DatabaseSync('songs.db', { vfs: 'pool' });
 * ```
 *
 * One that answers `SQLITE_BUSY` and wants to be called again, as OPFSCoopSyncVFS, is used through the `AsyncDatabase` that is here.
 * One whose methods are `async` is registered in the build that waits, `registerVFS` of `sqlite-vfs-kit/jspi`.
 *
 * @packageDocumentation
 */
import type { FacadeVFS } from '../facade.js';
import { optionsObject } from '../options.js';
import { AdaptedVFS, type FromWaSqliteOptions, type WaSqliteVFS } from './adapter.js';
import { WaSqliteModule } from './module.js';

export type { FromWaSqliteOptions, WaSqliteVFS } from './adapter.js';
export { AsyncDatabase } from './async-database.js';
export type { WaSqliteModule } from './module.js';

/**
 * What a class written for wa-sqlite is made with, in the place of an Emscripten module: `X.create(name, waSqliteModule())`. Each VFS
 * has one of its own.
 */
export function waSqliteModule(): WaSqliteModule {
  return new WaSqliteModule();
}

/**
 * A VFS written for wa-sqlite, for its `FacadeVFS` (`jOpen`, `jRead`, …) or its `VFS.Base` (`xOpen`, `xRead`, …), as one of this
 * package: `registerVFS(fromWaSqlite(vfs))`.
 *
 * @param vfs Made with `waSqliteModule()`, and ready: its class's `create` sees to that, or `await vfs.isReady()`. Who made it closes
 *   it: `vfs.close()`.
 */
export function fromWaSqlite(vfs: WaSqliteVFS, options?: FromWaSqliteOptions): FacadeVFS {
  return new AdaptedVFS(vfs, optionsObject(options, options !== undefined) as FromWaSqliteOptions);
}
