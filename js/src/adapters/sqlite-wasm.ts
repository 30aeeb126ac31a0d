/**
 * VFSes of this package in SQLite's own build for the web, `@sqlite.org/sqlite-wasm`.
 *
 * @packageDocumentation
 */
import { invalidState } from '../errors.js';
import type { FacadeVFS } from '../facade.js';
import { Memory } from '../memory.js';
import type { TracedVFS } from '../traced-vfs.js';
import type { RegisteredVFS } from '../vfs.js';
import type { Adapter } from './adapter.js';
import {
  type Build,
  newName,
  notABuild,
  type RegisterOptions,
  type Registration,
  registerIn,
} from './register.js';

export type { RegisterOptions, Registration } from './register.js';

/** What `sqlite3InitModule()` answers, as far as it is used here. */
export interface SQLite3 {
  readonly capi: object;
  readonly wasm: object;
}

/** The parts of it that are used. */
interface Capi {
  sqlite3_malloc(bytes: number): number;
  sqlite3_free(pointer: number): void;
  sqlite3_vfs_find(zName: number): number;
  sqlite3_vfs_register(pVfs: number, makeDefault: number): number;
  sqlite3_vfs_unregister(pVfs: number): number;
  readonly sqlite3_vfs: new () => Struct;
  readonly sqlite3_io_methods: new () => Struct;
  readonly sqlite3_file: { readonly structInfo: { readonly sizeof: number } };
}

interface Wasm {
  readonly memory: WebAssembly.Memory;
  readonly ptr: { readonly size: number };
  installFunction(signature: string, call: (...numbers: never[]) => unknown): number;
}

/** A C struct: `$name` is its member. */
interface Struct {
  readonly pointer: number;
  [member: `$${string}`]: number;
}

/**
 * Makes a build of SQLite know a VFS: `new sqlite3.oo1.DB({ filename: 'songs.db', vfs: name })`.
 *
 * @param sqlite3 What `sqlite3InitModule()` answers.
 * @param vfs A VFS whose methods answer at once; or a store of this package, by `getVFS`.
 */
export function register(
  sqlite3: SQLite3,
  vfs: FacadeVFS | RegisteredVFS | TracedVFS,
  options?: RegisterOptions,
): Registration {
  return registerIn(sqlite3, buildOf(sqlite3), vfs, options);
}

function buildOf(sqlite3: unknown): Build {
  const { capi, wasm } = (sqlite3 ?? {}) as { capi?: Capi; wasm?: Wasm };
  if (!capi?.sqlite3_vfs || !capi.sqlite3_io_methods || !wasm?.memory || !wasm.installFunction) {
    const found = sqlite3 instanceof Promise ? ': await it first' : '';
    throw notABuild("what sqlite3InitModule() of '@sqlite.org/sqlite-wasm' answers", found);
  }
  if (wasm.ptr.size !== 4)
    throw invalidState('The build of SQLite has pointers of 64 bits, which is not supported.');
  const build: Build = {
    label: 'the official build',
    suspends: false,
    memory: new Memory(wasm.memory),
    malloc: (bytes) => capi.sqlite3_malloc(bytes),
    free: (pointer) => capi.sqlite3_free(pointer),
    knows: (zName) => Boolean(capi.sqlite3_vfs_find(zName)),
    install(adapter, makeDefault) {
      const methods = structOf(wasm, new capi.sqlite3_io_methods(), fileMethods(adapter));
      methods.$iVersion = 1;
      const vfs = structOf(wasm, new capi.sqlite3_vfs(), vfsMethods(adapter, build.memory, methods.pointer));
      vfs.$iVersion = 2;
      // No more than what SQLite itself needs: the files are here, by their pointers.
      vfs.$szOsFile = capi.sqlite3_file.structInfo.sizeof;
      vfs.$mxPathname = adapter.maxPathname;
      // Never freed: connections keep their pointer to the struct for life, also after the VFS was unregistered.
      vfs.$zName = newName(build, adapter.name);
      const code = capi.sqlite3_vfs_register(vfs.pointer, makeDefault ? 1 : 0);
      if (code !== 0) throw invalidState(`SQLite refused the VFS '${adapter.name}': code ${code}.`);
      return () => void capi.sqlite3_vfs_unregister(vfs.pointer);
    },
  };
  return build;
}

/** By name: how C calls it, and what answers. i: 32 bits, j: 64, p: a pointer. */
type Methods = Readonly<Record<string, readonly [signature: string, call: (...numbers: never[]) => unknown]>>;

function structOf(wasm: Wasm, struct: Struct, methods: Methods): Struct {
  for (const [name, [signature, call]] of Object.entries(methods)) {
    struct[`$${name}`] = wasm.installFunction(signature, call);
  }
  return struct;
}

function vfsMethods(adapter: Adapter, memory: Memory, pMethods: number): Methods {
  return {
    xOpen: [
      'i(pppip)',
      (_: number, zName: number, pFile: number, flags: number, pOutFlags: number) => {
        const code = adapter.open(zName, pFile, flags, pOutFlags);
        // Without methods, SQLite does not close what was not opened.
        memory.u32[pFile >>> 2] = code === 0 ? pMethods : 0;
        return code;
      },
    ],
    xDelete: ['i(ppi)', (_: number, zName: number, syncDir: number) => adapter.delete(zName, syncDir)],
    xAccess: [
      'i(ppip)',
      (_: number, zName: number, __: number, pResult: number) => adapter.access(zName, pResult),
    ],
    xFullPathname: [
      'i(ppip)',
      (_: number, zName: number, room: number, pResult: number) => adapter.fullPathname(zName, room, pResult),
    ],
    xRandomness: [
      'i(pip)',
      (_: number, length: number, pResult: number) => adapter.randomness(length, pResult),
    ],
    xSleep: ['i(pi)', (_: number, microseconds: number) => adapter.sleep(microseconds)],
    xCurrentTime: ['i(pp)', (_: number, pResult: number) => adapter.currentTime(pResult)],
    xCurrentTimeInt64: ['i(pp)', (_: number, pResult: number) => adapter.currentTimeInt64(pResult)],
    xGetLastError: ['i(pip)', (_: number, room: number, pResult: number) => adapter.lastError(room, pResult)],
    // No library can be loaded from a VFS's files.
    xDlOpen: ['p(pp)', () => 0],
    xDlError: [
      'v(pip)',
      (_: number, room: number, pResult: number) => void adapter.noLibraries(room, pResult),
    ],
    xDlSym: ['p(ppp)', () => 0],
    xDlClose: ['v(pp)', () => {}],
  };
}

function fileMethods(adapter: Adapter): Methods {
  return {
    xClose: ['i(p)', (pFile: number) => adapter.close(pFile)],
    xRead: [
      'i(ppij)',
      (pFile: number, pBuffer: number, length: number, offset: bigint) =>
        adapter.read(pFile, pBuffer, length, Number(offset)),
    ],
    xWrite: [
      'i(ppij)',
      (pFile: number, pBuffer: number, length: number, offset: bigint) =>
        adapter.write(pFile, pBuffer, length, Number(offset)),
    ],
    xTruncate: ['i(pj)', (pFile: number, size: bigint) => adapter.truncate(pFile, Number(size))],
    xSync: ['i(pi)', (pFile: number, flags: number) => adapter.sync(pFile, flags)],
    xFileSize: ['i(pp)', (pFile: number, pResult: number) => adapter.size(pFile, pResult)],
    xLock: ['i(pi)', (pFile: number, level: number) => adapter.lock(pFile, level)],
    xUnlock: ['i(pi)', (pFile: number, level: number) => adapter.unlock(pFile, level)],
    xCheckReservedLock: [
      'i(pp)',
      (pFile: number, pResult: number) => adapter.checkReservedLock(pFile, pResult),
    ],
    xFileControl: [
      'i(pip)',
      (pFile: number, op: number, pArgument: number) => adapter.fileControl(pFile, op, pArgument),
    ],
    xSectorSize: ['i(p)', (pFile: number) => adapter.sectorSize(pFile)],
    xDeviceCharacteristics: ['i(p)', (pFile: number) => adapter.deviceCharacteristics(pFile)],
  };
}
