/**
 * VFSes of this package in the builds of wa-sqlite.
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
  notABuild,
  type RegisterOptions,
  type Registration,
  registerIn,
  withName,
} from './register.js';

export type { RegisterOptions, Registration } from './register.js';

/** What a build's factory answers, as far as it is used here. */
interface Module {
  /** Another one after memory has grown. */
  readonly HEAPU8: Uint8Array;
  vfs_register(vfs: object, makeDefault: boolean): number;
  /** Of the builds that wait: null in the other. */
  readonly handleAsync: unknown;
  _sqlite3_malloc(bytes: number): number;
  _sqlite3_free(pointer: number): void;
  _sqlite3_vfs_find(zName: number): number;
  _sqlite3_vfs_unregister(pVfs: number): number;
}

/**
 * Makes a build of wa-sqlite know a VFS: `await sqlite3.open_v2('songs.db', flags, name)`.
 *
 * @param module What the build's factory answers: `await SQLiteESMFactory()`, which is handed to `SQLite.Factory` as well.
 * @param vfs A VFS. One whose methods answer promises needs a build that waits: `wa-sqlite-async.mjs` or `wa-sqlite-jspi.mjs`. Or a
 *   store of this package, by `getVFS`.
 */
export function register(
  module: object,
  vfs: FacadeVFS | RegisteredVFS | TracedVFS,
  options?: RegisterOptions,
): Registration {
  return registerIn(module, buildOf(module), vfs, options);
}

function buildOf(given: unknown): Build {
  const module = checkModule(given);
  const memory = new Memory({
    get buffer() {
      return module.HEAPU8.buffer;
    },
  });
  const build: Build = {
    label: 'this build of wa-sqlite',
    suspends: typeof module.handleAsync === 'function',
    memory,
    malloc: (bytes) => module._sqlite3_malloc(bytes),
    free: (pointer) => module._sqlite3_free(pointer),
    knows: (zName) => module._sqlite3_vfs_find(zName) !== 0,
    install(adapter, makeDefault) {
      const code = module.vfs_register(new Methods(adapter), makeDefault);
      if (code !== 0) throw invalidState(`SQLite refused the VFS '${adapter.name}': code ${code}.`);
      return () => {
        withName(build, adapter.name, (zName) =>
          module._sqlite3_vfs_unregister(module._sqlite3_vfs_find(zName)),
        );
      };
    },
  };
  return build;
}

function checkModule(given: unknown): Module {
  const module = (typeof given === 'object' && given !== null ? given : {}) as Partial<Module> & {
    open_v2?: unknown;
  };
  if (module.HEAPU8 && module.vfs_register && module._sqlite3_vfs_find) return module as Module;
  let found = '';
  if (given instanceof Promise) found = ': await it first';
  if (module.open_v2)
    found = ', not the API that Factory(module) makes of it, from which memory is out of reach';
  throw notABuild("what the factory of a build of '@journeyapps/wa-sqlite' answers", found);
}

/** What is asked for with a promise, where there is one. */
const WAITING = new Set([
  'xOpen',
  'xDelete',
  'xAccess',
  'xFullPathname',
  'xSleep',
  'xClose',
  'xRead',
  'xWrite',
  'xTruncate',
  'xSync',
  'xFileSize',
  'xLock',
  'xUnlock',
  'xCheckReservedLock',
  'xFileControl',
]);

/** The object that the build calls: `VFS.Base` in wa-sqlite. Offsets come in two halves. */
class Methods {
  readonly name: string;
  readonly mxPathname: number;
  readonly #adapter: Adapter;

  constructor(adapter: Adapter) {
    this.#adapter = adapter;
    this.name = adapter.name;
    this.mxPathname = adapter.maxPathname;
  }

  hasAsyncMethod(method: string) {
    return this.#adapter.suspends && WAITING.has(method);
  }

  xOpen(_: number, zName: number, pFile: number, flags: number, pOutFlags: number) {
    return this.#adapter.open(zName, pFile, flags, pOutFlags);
  }

  xDelete(_: number, zName: number, syncDir: number) {
    return this.#adapter.delete(zName, syncDir);
  }

  xAccess(_: number, zName: number, __: number, pResult: number) {
    return this.#adapter.access(zName, pResult);
  }

  xFullPathname(_: number, zName: number, room: number, pResult: number) {
    return this.#adapter.fullPathname(zName, room, pResult);
  }

  xRandomness(_: number, length: number, pResult: number) {
    return this.#adapter.randomness(length, pResult);
  }

  xSleep(_: number, microseconds: number) {
    return this.#adapter.sleep(microseconds);
  }

  xCurrentTime(_: number, pResult: number) {
    return this.#adapter.currentTime(pResult);
  }

  xCurrentTimeInt64(_: number, pResult: number) {
    return this.#adapter.currentTimeInt64(pResult);
  }

  xGetLastError(_: number, room: number, pResult: number) {
    return this.#adapter.lastError(room, pResult);
  }

  xClose(pFile: number) {
    return this.#adapter.close(pFile);
  }

  xRead(pFile: number, pBuffer: number, length: number, low: number, high: number) {
    return this.#adapter.read(pFile, pBuffer, length, whole(low, high));
  }

  xWrite(pFile: number, pBuffer: number, length: number, low: number, high: number) {
    return this.#adapter.write(pFile, pBuffer, length, whole(low, high));
  }

  xTruncate(pFile: number, low: number, high: number) {
    return this.#adapter.truncate(pFile, whole(low, high));
  }

  xSync(pFile: number, flags: number) {
    return this.#adapter.sync(pFile, flags);
  }

  xFileSize(pFile: number, pResult: number) {
    return this.#adapter.size(pFile, pResult);
  }

  xLock(pFile: number, level: number) {
    return this.#adapter.lock(pFile, level);
  }

  xUnlock(pFile: number, level: number) {
    return this.#adapter.unlock(pFile, level);
  }

  xCheckReservedLock(pFile: number, pResult: number) {
    return this.#adapter.checkReservedLock(pFile, pResult);
  }

  xFileControl(pFile: number, op: number, pArgument: number) {
    return this.#adapter.fileControl(pFile, op, pArgument);
  }

  xSectorSize(pFile: number) {
    return this.#adapter.sectorSize(pFile);
  }

  xDeviceCharacteristics(pFile: number) {
    return this.#adapter.deviceCharacteristics(pFile);
  }
}

function whole(low: number, high: number): number {
  return high * 2 ** 32 + (low >>> 0);
}
