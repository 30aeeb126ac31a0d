/** What the entries of this package share in loading their wasm files. */
import type { Engine } from './engine.js';
import { invalidState } from './errors.js';
import { checkVersion } from './version.js';

/** Where the wasm file comes from. The default is its own URL, beside this module. */
export interface InitOptions {
  /** A URL, a fetched `Response`, the file's bytes, or a compiled module. */
  wasm?: string | URL | Response | Promise<Response> | ArrayBuffer | ArrayBufferView | WebAssembly.Module;
}

type WasmSource = NonNullable<InitOptions['wasm']>;

/** An engine that is loaded once, and once more in the place of one that has stopped. */
export class Loading {
  readonly #load: (options: InitOptions) => Promise<Engine>;
  #loading: Promise<void> | undefined;
  #loaded: Engine | undefined;
  /** One that has stopped, and in whose place another one is being loaded. */
  #replaced: Engine | undefined;

  constructor(load: (options: InitOptions) => Promise<Engine>) {
    this.#load = load;
  }

  start(options: InitOptions): Promise<void> {
    if (this.#loaded?.hasStopped && this.#replaced !== this.#loaded) {
      this.#replaced = this.#loaded;
      this.#loading = undefined;
    }
    this.#loading ??= this.#loadAnew(options).then(
      (engine) => {
        this.use(engine);
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  #loadAnew(options: InitOptions): Promise<Engine> {
    const load = () => this.#load(options);
    // What it had open can be opened by the next.
    return this.#replaced ? this.#replaced.host.abandon().then(load) : load();
  }

  /** Takes an engine that was made elsewhere. */
  use(engine: Engine): void {
    this.#loaded = engine;
  }

  get engine(): Engine {
    if (!this.#loaded) throw invalidState('SQLite is not loaded: await init() first.');
    return this.#loaded;
  }
}

/** SQLite's own version: `'3.54.1'`. */
export function versionOf({ main }: Engine): string {
  main.exports.kit_version();
  return main.text() as string;
}

/** Compiles a wasm file that was built with this JavaScript. */
export async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  const module = await compileFile(await resolve(source));
  checkVersion(module);
  return module;
}

async function resolve(source: WasmSource): Promise<BufferSource | Response | WebAssembly.Module> {
  if (typeof source === 'string' || source instanceof URL) return fetchFile(source);
  const given = await source;
  if (isResponse(given)) return checked(given);
  return given as BufferSource | WebAssembly.Module;
}

async function compileFile(
  source: BufferSource | Response | WebAssembly.Module,
): Promise<WebAssembly.Module> {
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
