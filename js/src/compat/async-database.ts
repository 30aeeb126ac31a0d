/** A database of the default build whose calls are made again where a class wants it. */
import { AsyncDatabaseIn } from '../async-database.js';
import type { Engine } from '../engine.js';
import { engine } from '../init.js';
import type { Again } from '../queue.js';
import { again } from './again.js';

/**
 * A database on a VFS that answers at once, but `SQLITE_BUSY` to what it cannot do yet: OPFSCoopSyncVFS and OPFSWriteAheadVFS of
 * wa-sqlite. Calls then wait for what the VFS has put into its module's `retryOps`, and are made again. It needs no JSPI, and is for
 * VFSes that were registered with `registerVFS` of `sqlite-vfs-kit`.
 *
 * As `AsyncDatabase` of `sqlite-vfs-kit/jspi` in all else.
 */
export class AsyncDatabase extends AsyncDatabaseIn {
  protected override get engine(): Engine {
    return engine();
  }

  protected override get again(): Again {
    return again;
  }
}
