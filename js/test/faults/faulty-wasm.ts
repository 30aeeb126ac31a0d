/** The wasm file with faults that can be called for: memory that is refused, and traps. */
import { readFile } from 'node:fs/promises';
import binaryen from 'binaryen';
import type { Engine } from '../../src/engine.js';

const { i32 } = binaryen;

/** Not among its types. */
const { setBody } = (binaryen as unknown as { Function: { setBody(fn: number, body: number): void } })
  .Function;

/** Globals that the file has beyond those of the package. */
interface Faults {
  /** How many requests for memory are granted before one is refused, and 1: that one is; 0: none is. */
  readonly kit_fault_memory: WebAssembly.Global<'i32'>;
  /** 1: it is no refusal but a trap. */
  readonly kit_fault_fatal: WebAssembly.Global<'i32'>;
  /** Of which exported function the call is a trap, counted from 1; 0: of none. */
  readonly kit_fault_entry: WebAssembly.Global<'i32'>;
}

/** A wasm file of this package in which faults can be called for. What asks for memory is the one function in which memory grows. */
export async function faultyWasm(name = 'sqlite_vfs_kit'): Promise<Uint8Array> {
  const file = new URL(`../../src/wasm/${name}_bg.wasm`, import.meta.url);
  const module = binaryen.readBinary(await readFile(file));
  try {
    for (const name of ['kit_fault_memory', 'kit_fault_fatal', 'kit_fault_entry']) {
      module.addGlobal(name, i32, true, module.i32.const(0));
      module.addGlobalExport(name, name);
    }
    const global = (name: keyof Faults) => module.global.get(name, i32);
    const left = () => global('kit_fault_memory');
    const count = module.global.set('kit_fault_memory', module.i32.sub(left(), module.i32.const(1)));
    const refused = module.block(null, [
      module.if(global('kit_fault_fatal'), module.unreachable()),
      module.return(module.i32.const(0)),
    ]);
    const counted = module.block(null, [count, module.if(module.i32.eqz(left()), refused)]);
    const { allocate, body } = growing(module);
    setBody(allocate, module.block(null, [module.if(left(), counted), body], i32));

    entriesOf(module).forEach(({ entry, body, results }, i) => {
      const isThis = module.i32.eq(global('kit_fault_entry'), module.i32.const(i + 1));
      const trap = module.if(isThis, module.unreachable());
      setBody(entry, module.block(null, [trap, body], results));
    });
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}

/** The allocator: a size goes in, and a pointer comes out. */
function growing(module: binaryen.Module): { allocate: number; body: number } {
  const found: { allocate: number; body: number }[] = [];
  for (let i = 0; i < module.getNumFunctions(); i++) {
    const allocate = module.getFunctionByIndex(i);
    const { body, params, results } = binaryen.getFunctionInfo(allocate);
    if (!body || !binaryen.emitText(body).includes('(memory.grow')) continue;
    if (params !== i32 || results !== i32) throw new Error('memory grows where nobody asks for it');
    found.push({ allocate, body });
  }
  if (found.length !== 1) throw new Error(`memory grows in ${found.length} functions`);
  return found[0] as { allocate: number; body: number };
}

/** What JavaScript calls, in the order of `entryNames`. */
function entriesOf(module: binaryen.Module) {
  const entries: { name: string; entry: number; body: number; results: number }[] = [];
  for (let i = 0; i < module.getNumExports(); i++) {
    const { name, kind, value } = binaryen.getExportInfo(module.getExportByIndex(i));
    if (kind !== binaryen.ExternalFunction || !name.startsWith('kit_')) continue;
    const entry = module.getFunction(value);
    const { body, results } = binaryen.getFunctionInfo(entry);
    entries.push({ name, entry, body, results });
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The functions that JavaScript calls. */
export const entryNames = (engine: Engine): string[] =>
  Object.entries(engine.exports)
    .filter(([name, value]) => name.startsWith('kit_') && typeof value === 'function')
    .map(([name]) => name)
    .sort((a, b) => (a < b ? -1 : 1));

const faults = (engine: Engine) => engine.exports as unknown as Faults;

/** Has the n-th request for memory from now on fail, or with `fatal` be a trap. */
export function failRequest(engine: Engine, n: number, { fatal = false } = {}): void {
  faults(engine).kit_fault_memory.value = n;
  faults(engine).kit_fault_fatal.value = fatal ? 1 : 0;
}

/** No request fails any more. Answers whether one has. */
export function haveFailed(engine: Engine): boolean {
  const { kit_fault_memory } = faults(engine);
  const left = kit_fault_memory.value;
  kit_fault_memory.value = 0;
  return left === 0;
}

/** Has the call of an exported function trap. */
export function trapAt(engine: Engine, name: string): void {
  faults(engine).kit_fault_entry.value = entryNames(engine).indexOf(name) + 1;
}
