/**
 * Stores without SQLite, for builds of it that are already there: `sqlite-vfs-kit/adapters/sqlite-wasm`,
 * `sqlite-vfs-kit/adapters/wa-sqlite`. The wasm file is a thirtieth of that with SQLite.
 *
 * @packageDocumentation
 */
import { invalidArgType, invalidState } from './errors.js';
import { checked, type Lender, type LenderExports, LentVFS } from './lent-vfs.js';
import { compile, type InitOptions } from './load.js';
import { Memory } from './memory.js';
import { nameArgument, optionsObject } from './options.js';

export { FacadeFile, FacadeVFS, type OpenDetails } from './facade.js';
export type { InitOptions } from './load.js';

interface StoresModule extends Lender {
  readonly exports: LenderExports & { kit_foreign_memory(maxBytes: number): number };
}

let loading: Promise<void> | undefined;
let loaded: StoresModule | undefined;

/** Loads the stores, once: a later call answers the same promise, whatever its options. After a failure the next call tries again. */
export function initStores(options: InitOptions = {}): Promise<void> {
  loading ??= load(options).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load({ wasm }: InitOptions): Promise<void> {
  // Written out like this, bundlers find the file and put it into what they build.
  const module = await compile(wasm ?? new URL('./wasm/sqlite_vfs_kit_stores.wasm', import.meta.url));
  const { exports } = await WebAssembly.instantiate(module, {});
  if (typeof exports.kit_foreign_memory !== 'function') {
    throw invalidState('The wasm file that was loaded is not that of sqlite-vfs-kit/stores.');
  }
  const memory = new Memory(exports.memory as WebAssembly.Memory);
  loaded = { memory, exports: exports as unknown as StoresModule['exports'] };
}

/** How a `MemoryVFS` is made. */
export interface MemoryOptions {
  /** What it is registered as: `'memory'` if left out. */
  name?: string;
  /** Bytes that all files together may take, in chunks of 4 KiB. Beyond it, writes fail with `SQLITE_FULL`. */
  maxBytes?: number;
}

/**
 * Files in memory, in that of this module. Several builds of SQLite may have them open, and see each other's locks. They are gone with
 * the page.
 */
export class MemoryVFS extends LentVFS {
  constructor(options: MemoryOptions = {}) {
    const { name = 'memory', maxBytes = -1 } = optionsObject(options, true) as MemoryOptions;
    if (!loaded) throw invalidState('The stores are not loaded: await initStores() first.');
    if (maxBytes !== -1 && !(Number.isSafeInteger(maxBytes) && maxBytes >= 0)) {
      throw invalidArgType('The "options.maxBytes" argument must be a number of bytes.');
    }
    const store = checked(loaded, loaded.exports.kit_foreign_memory(maxBytes));
    super(loaded, store, nameArgument(name, 'options.name'));
  }
}
