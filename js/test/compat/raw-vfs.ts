/** A class written for wa-sqlite's `VFS.Base`: what its methods get is numbers, and places in the memory of its module. */
import * as VFS from '@journeyapps/wa-sqlite/src/VFS.js';
import type { WaSqliteModule } from '../../src/compat/wa-sqlite.js';

interface Content {
  bytes: Uint8Array<ArrayBuffer>;
  /** Taken out of the names when it is closed. */
  temporary?: string;
}

export class RawVFS extends VFS.Base {
  declare readonly _module: WaSqliteModule;
  readonly files = new Map<string, Content>();
  /** By `pFile`. */
  readonly open = new Map<number, Content>();
  /** Names and parameters of what was opened. */
  readonly opened: string[][] = [];

  constructor(name: string, module: WaSqliteModule) {
    super(name, module);
    this.mxPathname = 512;
  }

  #content(pFile: number): Content {
    return this.open.get(pFile) as Content;
  }

  #int64(pointer: number): DataView {
    return new DataView(this._module.HEAPU8.buffer, pointer, 8);
  }

  override xOpen(_: number, zName: number, pFile: number, flags: number, pOutFlags: number): number {
    const { HEAPU8 } = this._module;
    const parts: string[] = [];
    for (let at = zName; zName !== 0 && HEAPU8[at] !== 0; at = HEAPU8.indexOf(0, at) + 1) {
      parts.push(this._module.UTF8ToString(at));
    }
    this.opened.push(parts);
    const [name = `temporary ${this.opened.length}`] = parts;
    let content = this.files.get(name);
    if (content === undefined) {
      if (!(flags & VFS.SQLITE_OPEN_CREATE)) return VFS.SQLITE_CANTOPEN;
      content = { bytes: new Uint8Array() };
      this.files.set(name, content);
    } else if (flags & VFS.SQLITE_OPEN_CREATE && flags & VFS.SQLITE_OPEN_EXCLUSIVE) {
      return VFS.SQLITE_CANTOPEN;
    }
    if (flags & VFS.SQLITE_OPEN_DELETEONCLOSE) content.temporary = name;
    this.open.set(pFile, content);
    this.#int64(pOutFlags).setInt32(0, flags, true);
    return VFS.SQLITE_OK;
  }

  override xClose(pFile: number): number {
    const { temporary } = this.#content(pFile);
    if (temporary !== undefined) this.files.delete(temporary);
    return this.open.delete(pFile) ? VFS.SQLITE_OK : VFS.SQLITE_MISUSE;
  }

  override xRead(pFile: number, pData: number, iAmt: number, lo: number, hi: number): number {
    const at = hi * 2 ** 32 + (lo >>> 0);
    const bytes = this.#content(pFile).bytes.subarray(at, at + iAmt);
    const target = this._module.HEAPU8.subarray(pData, pData + iAmt);
    target.set(bytes);
    target.fill(0, bytes.length);
    return bytes.length < iAmt ? VFS.SQLITE_IOERR_SHORT_READ : VFS.SQLITE_OK;
  }

  override xWrite(pFile: number, pData: number, iAmt: number, lo: number, hi: number): number {
    const at = hi * 2 ** 32 + (lo >>> 0);
    const content = this.#content(pFile);
    if (at + iAmt > content.bytes.length) content.bytes = resized(content.bytes, at + iAmt);
    content.bytes.set(this._module.HEAPU8.subarray(pData, pData + iAmt), at);
    return VFS.SQLITE_OK;
  }

  override xTruncate(pFile: number, lo: number, hi: number): number {
    const content = this.#content(pFile);
    content.bytes = resized(content.bytes, hi * 2 ** 32 + (lo >>> 0));
    return VFS.SQLITE_OK;
  }

  override xFileSize(pFile: number, pSize: number): number {
    this.#int64(pSize).setBigInt64(0, BigInt(this.#content(pFile).bytes.length), true);
    return VFS.SQLITE_OK;
  }

  override xDelete(_: number, zName: number): number {
    return this.files.delete(this._module.UTF8ToString(zName))
      ? VFS.SQLITE_OK
      : VFS.SQLITE_IOERR_DELETE_NOENT;
  }

  override xAccess(_: number, zName: number, __: number, pResOut: number): number {
    const there = this.files.has(this._module.UTF8ToString(zName));
    this.#int64(pResOut).setInt32(0, there ? 1 : 0, true);
    return VFS.SQLITE_OK;
  }

  /** Answers what it was asked, and refuses a pragma with words. */
  override xFileControl(_: number, op: number, pArg: number): number {
    if (op !== VFS.SQLITE_FCNTL_PRAGMA) return VFS.SQLITE_NOTFOUND;
    const view = new DataView(this._module.HEAPU8.buffer, pArg, 12);
    const [name, value] = [4, 8].map((at) => this._module.UTF8ToString(view.getUint32(at, true)));
    if (name !== 'echo' && name !== 'refused') return VFS.SQLITE_NOTFOUND;
    const answer = `${name} ${value}`;
    const size = this._module.lengthBytesUTF8(answer) + 1;
    const pointer = this._module._sqlite3_malloc(size);
    this._module.stringToUTF8(answer, pointer, size);
    view.setUint32(0, pointer, true);
    return name === 'echo' ? VFS.SQLITE_OK : VFS.SQLITE_ERROR;
  }
}

function resized(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(size);
  copy.set(bytes.subarray(0, size));
  return copy;
}
