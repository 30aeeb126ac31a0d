/** Loads the wasm module that runs every call to its end. */
import { Engine } from './engine.js';
import { compile, type InitOptions, Loading, versionOf } from './load.js';
import { VFSHost } from './vfs-host.js';
import { instantiate, setImports } from './wasm/sqlite_vfs_kit.js';

const loading = /* @__PURE__ */ new Loading(async ({ wasm }: InitOptions) => {
  // Written out like this, bundlers find the file and put it into what they build.
  const module = await compile(wasm ?? new URL('./wasm/sqlite_vfs_kit_bg.wasm', import.meta.url));
  const host = new VFSHost();
  setImports({ ...host.imports(), ...host.commonImports() } as WebAssembly.ModuleImports);
  return new Engine(await instantiate(module), host);
});

/**
 * Loads SQLite, once: a later call answers the same promise, whatever its options. After a failure the next call tries
 * again. Everything else in this package needs it to have been awaited.
 *
 * After a fatal error, which every call throws from then on (`ERR_INVALID_STATE`, "SQLite was stopped …"), it loads a fresh SQLite:
 * what was in memory is gone, databases are to be opened again, and VFSes of your own to be registered again.
 */
export function init(options: InitOptions = {}): Promise<void> {
  return loading.start(options);
}

/**
 * The engine, for the other files of this package.
 *
 * @internal
 */
export const engine = (): Engine => loading.engine;

/** SQLite's own version: `'3.54.1'`. */
export function sqliteVersion(): string {
  return versionOf(engine());
}
