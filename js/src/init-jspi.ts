/** Loads the wasm module whose calls can be suspended. */
import type { Engine } from './engine.js';
import { invalidState } from './errors.js';
import { compile, type InitOptions, Loading, versionOf } from './load.js';
import { type JSPI, SuspendingEngine } from './suspending-engine.js';
import { VFSHost } from './vfs-host.js';
import { instantiate, setImports } from './wasm/sqlite_vfs_kit_jspi.js';

const loading = /* @__PURE__ */ new Loading(async ({ wasm }: InitOptions) => {
  if (!supportsJSPI()) {
    throw invalidState(
      'This engine has no JSPI (WebAssembly.Suspending), which suspends SQLite while a promise is waited for. Use a newer one ' +
        '(Chrome 137, Firefox 153, Safari 27, Node 25 or later), or a VFS whose methods answer at once with the default build, ' +
        'sqlite-vfs-kit.',
    );
  }
  // Written out like this, bundlers find the file and put it into what they build.
  const module = await compile(wasm ?? new URL('./wasm/sqlite_vfs_kit_jspi_bg.wasm', import.meta.url));
  const host = new VFSHost();
  let engine: SuspendingEngine;
  setImports(SuspendingEngine.imports(host, () => engine) as WebAssembly.ModuleImports);
  const exports = await instantiate(module);
  engine = new SuspendingEngine(exports, host, (WebAssembly as unknown as JSPI).promising);
  return engine;
});

/**
 * Loads SQLite, once: a later call answers the same promise, whatever its options. After a failure the next call tries
 * again, and after a fatal error it loads a fresh SQLite, as that of `sqlite-vfs-kit` does. Where JSPI is missing it fails, and says so.
 */
export function init(options: InitOptions = {}): Promise<void> {
  return loading.start(options);
}

/** Can this engine suspend WebAssembly while a promise is waited for (JSPI)? `init` needs it. */
export function supportsJSPI(): boolean {
  return 'Suspending' in WebAssembly && 'promising' in WebAssembly;
}

/**
 * The engine, for the other files of this package.
 *
 * @internal
 */
export const engine = (): Engine => loading.engine;

/**
 * In the place of `init`, for tests.
 *
 * @internal
 */
export const useEngine = (engine: Engine): void => loading.use(engine);

/** SQLite's own version: `'3.54.1'`. */
export function sqliteVersion(): string {
  return versionOf(engine());
}
