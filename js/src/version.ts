/** JavaScript and wasm of one make: an old file in a cache, or one copied by hand, is told by its version. */

/** The package's. The tests see to it that package.json and Cargo.toml have the same. */
export const VERSION = '0.1.0';

/** The custom section in which the wasm file says its version: `src/engine/mod.rs`. */
const SECTION = 'sqlite-vfs-kit';

/** Throws if a wasm file was not built with this JavaScript. What it imports may differ, so this is asked before it runs. */
export function checkVersion(module: WebAssembly.Module): void {
  const [section] = WebAssembly.Module.customSections(module, SECTION);
  const version = section && new TextDecoder().decode(section);
  if (version === VERSION) return;
  throw new Error(
    `The JavaScript is sqlite-vfs-kit ${VERSION}, and the wasm file that was loaded is ` +
      `${version === undefined ? 'another module' : `of version ${version}`}. ` +
      'Serve both from one version of the package, and clear what caches hold of another.',
  );
}
