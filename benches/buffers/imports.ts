/**
 * Loads this package with its way of making buffers within reach: what the wasm module imports for reading and writing goes through
 * `calls`, which asks the strategy of the file. Files of other VFSes, and those of `ours`, get what they always get.
 */
import { init, registerVFS } from 'sqlite-vfs-kit';
import { type ChunkFile, ChunkVFS } from './chunks.js';
import { Heap } from './heap.js';
import type { Calls, Strategy } from './strategy.js';

/** Of each open file, by the number that the module knows it by. */
const routes: Calls[] = [];

/** What the module calls. */
export const calls: Calls = {
  read: (file, pointer, length, offset) => (routes[file] as Calls).read(file, pointer, length, offset),
  write: (file, pointer, length, offset) => (routes[file] as Calls).write(file, pointer, length, offset),
};

/** By what strategy to call the file that was opened just now, when its number is known. */
let opening: ((number: number) => Calls) | undefined;

let heap: Heap;
let ours: Calls;

type Imports = Record<string, Record<string, (...numbers: number[]) => number>>;

let loading: Promise<void> | undefined;

export function loadKit(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  const { instantiate } = WebAssembly;
  let instance: WebAssembly.Instance | undefined;
  WebAssembly.instantiate = (async (source: WebAssembly.Module, imports: Imports) => {
    if (!rerouted(imports)) return instantiate(source, imports);
    instance = await instantiate(source, imports);
    return instance;
  }) as typeof instantiate;
  try {
    await init();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  if (!instance) throw new Error('sqlite-vfs-kit was loaded before, and what it imports is out of reach');
  heap = new Heap(instance.exports.memory as WebAssembly.Memory);
}

/** False if these are another module's. */
function rerouted(imports: Imports): boolean {
  const found = Object.entries(imports).find(([, functions]) => 'js_read' in functions);
  if (!found) return false;
  const [name, { js_open, js_read, js_write }] = found as [string, Record<string, () => number>];
  ours = { read: js_read, write: js_write } as Calls;
  const open = js_open as (vfs: number, opening: number) => number;
  imports[name] = {
    ...found[1],
    js_open(vfs, place) {
      opening = undefined;
      const number = open(vfs as number, place as number);
      // Negative when it failed.
      if (number >= 0) routes[number] = opening === undefined ? ours : opened(number);
      return number;
    },
    js_read: calls.read as (...numbers: number[]) => number,
    js_write: calls.write as (...numbers: number[]) => number,
  };
  return true;
}

function opened(number: number): Calls {
  return (opening as (number: number) => Calls)(number);
}

/** Registers a VFS whose files are read and written by way of a strategy. */
export function registerWith<Buffer>(name: string, strategy: Strategy<Buffer>): StrategyVFS<Buffer> {
  const vfs = new StrategyVFS(name, strategy);
  registerVFS(vfs);
  return vfs;
}

export class StrategyVFS<Buffer> extends ChunkVFS<Buffer> {
  /** The number of the file that was opened last. */
  last = -1;

  constructor(name: string, { File, calls }: Strategy<Buffer>) {
    const files: (ChunkFile<Buffer> | undefined)[] = [];
    const own = calls(heap, files, ours);
    super(name, (bytes, closed) => {
      const file = new File(bytes, closed);
      opening = (number) => {
        files[number] = file;
        this.last = number;
        return own;
      };
      return file;
    });
  }
}

/** All of it. */
export const linearMemory = (): Uint8Array => heap.u8;

/** A page of linear memory that nobody else uses. */
export function ownPage(): number {
  return heap.memory.grow(1) * 65536;
}
