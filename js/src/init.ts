/** Loads the wasm module. */
import { Engine } from './engine.js';
import { invalidState } from './errors.js';
import { checkVersion } from './version.js';
import { VFSHost } from './vfs-host.js';
import load, { setImports } from './wasm/sqlite_vfs_kit.js';

/** Where the wasm file comes from. The default is its own URL, beside this module. */
export interface InitOptions {
  /** A URL, a fetched `Response`, the file's bytes, or a compiled module. */
  wasm?: string | URL | Response | Promise<Response> | ArrayBuffer | ArrayBufferView | WebAssembly.Module;
}

let loading: Promise<void> | undefined;
let loaded: Engine | undefined;

/**
 * Loads SQLite, once: a later call answers the same promise, whatever its options. After a failure the next call tries
 * again. Everything else in this package needs it to have been awaited.
 */
export function init(options: InitOptions = {}): Promise<void> {
  loading ??= start(options).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function start({ wasm }: InitOptions): Promise<void> {
  // Written out like this, bundlers find the file and put it into what they build.
  const source = wasm ?? new URL('./wasm/sqlite_vfs_kit_bg.wasm', import.meta.url);
  const module = await compile(await resolve(source));
  checkVersion(module);
  const host = new VFSHost();
  setImports({ ...host.imports(), ...host.commonImports() } as WebAssembly.ModuleImports);
  loaded = new Engine(await load({ module_or_path: module }), host);
}

async function resolve(
  source: NonNullable<InitOptions['wasm']>,
): Promise<BufferSource | Response | WebAssembly.Module> {
  if (typeof source === 'string' || source instanceof URL) return fetchFile(source);
  const given = await source;
  if (isResponse(given)) return checked(given);
  return given as BufferSource | WebAssembly.Module;
}

async function compile(source: BufferSource | Response | WebAssembly.Module): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (!isResponse(source)) return WebAssembly.compile(source);
  // While it comes, if the server calls it what it is; without a word about it if not.
  return source.headers.get('content-type') === 'application/wasm'
    ? WebAssembly.compileStreaming(source)
    : WebAssembly.compile(await source.arrayBuffer());
}

const isResponse = (value: unknown): value is Response =>
  typeof Response === 'function' && value instanceof Response;

async function fetchFile(source: string | URL): Promise<BufferSource | Response> {
  // Node's fetch knows no files. `getBuiltinModule` rather than an import, which bundlers for browsers would stumble over.
  const node = (globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }).process;
  const href = String(source);
  try {
    if (href.startsWith('file:') && node?.getBuiltinModule) {
      const { readFile } = node.getBuiltinModule('node:fs/promises') as typeof import('node:fs/promises');
      return new Uint8Array(await readFile(new URL(href)));
    }
    return checked(await fetch(source));
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'WasmFileError') throw cause;
    throw fileError(`SQLite's wasm file could not be fetched from ${href}`, cause);
  }
}

function checked(response: Response): Response {
  if (!response.ok) {
    throw fileError(
      `SQLite's wasm file could not be fetched from ${response.url}: status ${response.status}`,
    );
  }
  // What servers of single-page apps answer for a file that is not there.
  if (response.headers.get('content-type')?.startsWith('text/html')) {
    throw fileError(`What was fetched from ${response.url} is a page, not SQLite's wasm file`);
  }
  return response;
}

function fileError(message: string, cause?: unknown): Error {
  const advice = 'Serve the file there, or tell init where it is: init({ wasm: … }).';
  const error = new Error(`${message}. ${advice}`, cause === undefined ? undefined : { cause });
  error.name = 'WasmFileError';
  return error;
}

/**
 * The engine, for the other files of this package.
 *
 * @internal
 */
export function engine(): Engine {
  if (!loaded) throw invalidState('SQLite is not loaded: await init() first.');
  return loaded;
}

/** SQLite's own version: `'3.54.1'`. */
export function sqliteVersion(): string {
  engine().exports.kit_version();
  return engine().text() as string;
}
