/** The methods of wa-sqlite's VFSes, at either of the two levels at which classes are written. */
import { andThen, lastly } from '../answer.js';
import { encode } from '../text.js';
import type { WaSqliteModule } from './module.js';

/** SQLite's result code. Where nothing is answered, wasm takes it for 0. */
export type Code = number | undefined | Promise<number | undefined>;

/** The methods of wa-sqlite's `FacadeVFS`. Those that are left out there are its defaults. */
export interface FacadeMethods {
  jOpen(filename: string | null, fileId: number, flags: number, pOutFlags: DataView): Code;
  jClose(fileId: number): Code;
  jRead(fileId: number, pData: Uint8Array, iOffset: number): Code;
  jWrite(fileId: number, pData: Uint8Array, iOffset: number): Code;
  jTruncate(fileId: number, size: number): Code;
  jSync(fileId: number, flags: number): Code;
  jFileSize(fileId: number, pSize: DataView): Code;
  jDelete(filename: string, syncDir: number): Code;
  jAccess(filename: string, flags: number, pResOut: DataView): Code;
  jFullPathname?(filename: string, zOut: Uint8Array): Code;
  jGetLastError?(zBuf: Uint8Array): Code;
  jLock?(fileId: number, lockType: number): Code;
  jUnlock?(fileId: number, lockType: number): Code;
  jCheckReservedLock?(fileId: number, pResOut: DataView): Code;
  /** @param pArg Begins at the argument and ends with memory. */
  jFileControl?(fileId: number, op: number, pArg: DataView): Code;
  jSectorSize?(fileId: number): Code;
  jDeviceCharacteristics?(fileId: number): Code;
}

/** The methods of wa-sqlite's `VFS.Base`: C's, with offsets in two halves. */
export interface RawMethods {
  xOpen(pVfs: number, zName: number, pFile: number, flags: number, pOutFlags: number): Code;
  xClose(pFile: number): Code;
  xRead(pFile: number, pData: number, iAmt: number, iOffsetLo: number, iOffsetHi: number): Code;
  xWrite(pFile: number, pData: number, iAmt: number, iOffsetLo: number, iOffsetHi: number): Code;
  xTruncate(pFile: number, sizeLo: number, sizeHi: number): Code;
  xSync(pFile: number, flags: number): Code;
  xFileSize(pFile: number, pSize: number): Code;
  xDelete(pVfs: number, zName: number, syncDir: number): Code;
  xAccess(pVfs: number, zName: number, flags: number, pResOut: number): Code;
  xFullPathname?(pVfs: number, zName: number, nOut: number, zOut: number): Code;
  xGetLastError?(pVfs: number, nBuf: number, zBuf: number): Code;
  xLock?(pFile: number, lockType: number): Code;
  xUnlock?(pFile: number, lockType: number): Code;
  xCheckReservedLock?(pFile: number, pResOut: number): Code;
  xFileControl?(pFile: number, op: number, pArg: number): Code;
  xSectorSize?(pFile: number): Code;
  xDeviceCharacteristics?(pFile: number): Code;
}

export const facadeNames = [
  'jOpen',
  'jClose',
  'jRead',
  'jWrite',
  'jTruncate',
  'jSync',
  'jFileSize',
  'jDelete',
  'jAccess',
] as const;

export const rawNames = facadeNames.map((name) => `x${name.slice(1)}`);

/** All that may be async, by the names that `hasAsyncMethod` is asked for. */
export const asyncNames = [
  ...rawNames,
  'xFullPathname',
  'xGetLastError',
  'xLock',
  'xUnlock',
  'xCheckReservedLock',
  'xFileControl',
  'xSectorSize',
  'xDeviceCharacteristics',
];

export const SQLITE_OK = 0;

/** Places for answers. */
export const int32 = () => new DataView(new ArrayBuffer(4));
export const int64 = () => new DataView(new ArrayBuffer(8));

const lower = (offset: number): number => offset | 0;
const upper = (offset: number): number => Math.floor(offset / 2 ** 32) | 0;

/** Bytes of an open file in the module's memory, for `pFile` and `pVfs` to point to: classes tell files by it. */
const FILE_SIZE = 16;

/**
 * A raw class as one of the facade: bytes go through the module's memory, where such a class looks for them. Names that it opens have
 * their parameters behind them as SQLite has them, each text with a NUL behind it.
 */
export function facadeOf(raw: RawMethods, module: WaSqliteModule): FacadeMethods {
  const vfs = module._sqlite3_malloc(FILE_SIZE);

  /** Calls with bytes in the module's memory, which may be others afterwards: those are copied back. */
  function withBytes(view: ArrayBufferView, call: (pointer: number) => Code): Code {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    const pointer = module._sqlite3_malloc(bytes.length);
    module.HEAPU8.set(bytes, pointer);
    const back = () => {
      bytes.set(module.HEAPU8.subarray(pointer, pointer + bytes.length));
      module._sqlite3_free(pointer);
    };
    return lastly<'async', number | undefined>(() => call(pointer), back);
  }

  function withName(name: string, call: (pointer: number) => Code): Code {
    const bytes = encode(name);
    const pointer = module._sqlite3_malloc(bytes.length + 2);
    module.HEAPU8.set(bytes, pointer);
    return lastly<'async', number | undefined>(
      () => call(pointer),
      () => module._sqlite3_free(pointer),
    );
  }

  const files = new Map<number, number>();
  const pointerOf = (fileId: number) => files.get(fileId) as number;
  const forget = (fileId: number) => {
    module._sqlite3_free(pointerOf(fileId));
    files.delete(fileId);
  };

  const facade: FacadeMethods = {
    jOpen(filename, fileId, flags, pOutFlags) {
      files.set(fileId, module._sqlite3_malloc(FILE_SIZE));
      const open = (zName: number) =>
        withBytes(pOutFlags, (pOut) => raw.xOpen(vfs, zName, pointerOf(fileId), flags, pOut));
      let isOpen = false;
      return lastly<'async', number | undefined>(
        () =>
          andThen<'async', number | undefined, number | undefined>(
            filename === null ? open(0) : withName(filename, open),
            (code) => {
              isOpen = !code;
              return code;
            },
          ),
        () => {
          if (!isOpen) forget(fileId);
        },
      );
    },
    jClose: (fileId) =>
      lastly<'async', number | undefined>(
        () => raw.xClose(pointerOf(fileId)),
        () => forget(fileId),
      ),
    jRead: (fileId, pData, offset) =>
      withBytes(pData, (pointer) =>
        raw.xRead(pointerOf(fileId), pointer, pData.length, lower(offset), upper(offset)),
      ),
    jWrite: (fileId, pData, offset) => {
      // Nothing comes back.
      const pointer = module._sqlite3_malloc(pData.length);
      module.HEAPU8.set(pData, pointer);
      return lastly<'async', number | undefined>(
        () => raw.xWrite(pointerOf(fileId), pointer, pData.length, lower(offset), upper(offset)),
        () => module._sqlite3_free(pointer),
      );
    },
    jTruncate: (fileId, size) => raw.xTruncate(pointerOf(fileId), lower(size), upper(size)),
    jSync: (fileId, flags) => raw.xSync(pointerOf(fileId), flags),
    jFileSize: (fileId, pSize) => withBytes(pSize, (pointer) => raw.xFileSize(pointerOf(fileId), pointer)),
    jDelete: (filename, syncDir) => withName(filename, (zName) => raw.xDelete(vfs, zName, syncDir)),
    jAccess: (filename, flags, pResOut) =>
      withName(filename, (zName) => withBytes(pResOut, (pOut) => raw.xAccess(vfs, zName, flags, pOut))),
  };
  const { xFullPathname, xGetLastError, xLock, xUnlock, xCheckReservedLock } = raw;
  if (xFullPathname) {
    facade.jFullPathname = (filename, zOut) =>
      withName(filename, (zName) =>
        withBytes(zOut, (pOut) => xFullPathname.call(raw, vfs, zName, zOut.length, pOut)),
      );
  }
  if (xGetLastError) {
    facade.jGetLastError = (zBuf) =>
      withBytes(zBuf, (pointer) => xGetLastError.call(raw, vfs, zBuf.length, pointer));
  }
  if (xLock) facade.jLock = (fileId, type) => xLock.call(raw, pointerOf(fileId), type);
  if (xUnlock) facade.jUnlock = (fileId, type) => xUnlock.call(raw, pointerOf(fileId), type);
  if (xCheckReservedLock) {
    facade.jCheckReservedLock = (fileId, pResOut) =>
      withBytes(pResOut, (pointer) => xCheckReservedLock.call(raw, pointerOf(fileId), pointer));
  }
  const { xFileControl, xSectorSize, xDeviceCharacteristics } = raw;
  if (xFileControl) {
    // The argument lies in the module's memory already.
    facade.jFileControl = (fileId, op, pArg) =>
      xFileControl.call(raw, pointerOf(fileId), op, pArg.byteOffset);
  }
  if (xSectorSize) facade.jSectorSize = (fileId) => xSectorSize.call(raw, pointerOf(fileId));
  if (xDeviceCharacteristics) {
    facade.jDeviceCharacteristics = (fileId) => xDeviceCharacteristics.call(raw, pointerOf(fileId));
  }
  return facade;
}
