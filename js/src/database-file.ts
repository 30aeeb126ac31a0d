/** What the header of a database file says (https://sqlite.org/fileformat.html#the_database_header). */
import { decode } from './text.js';

/** Bytes in the header. */
export const HEADER_SIZE = 100;

const MAGIC = 'SQLite format 3\0';

const hasMagic = (bytes: Uint8Array) => decode(bytes.subarray(0, MAGIC.length)) === MAGIC;

/** Bytes in a page, as the header says; what is wrong with it, if it is no header. */
export function pageSizeOf(header: Uint8Array): number | string {
  if (!hasMagic(header)) return 'it does not begin with "SQLite format 3"';
  const stored = (header[16] as number) * 256 + (header[17] as number);
  const pageSize = stored === 1 ? 65536 : stored;
  if (pageSize >= 512 && (pageSize & (pageSize - 1)) === 0) return pageSize;
  return `its page size of ${stored} bytes is impossible`;
}

/**
 * Why a file cannot be a database; undefined if it may be one.
 *
 * @param start Its first bytes: the header, if the file has one.
 * @param size Bytes in the whole file.
 */
export function faultOf(start: Uint8Array, size: number): string | undefined {
  // An empty file is a database without tables.
  if (size === 0) return undefined;
  if (size < HEADER_SIZE) return `${size} bytes are fewer than its header has`;
  const pageSize = pageSizeOf(start);
  if (typeof pageSize === 'string') return pageSize;
  if (size % pageSize !== 0) return `${size} bytes are no whole number of pages of ${pageSize}`;
  const view = new DataView(start.buffer, start.byteOffset, HEADER_SIZE);
  const pages = view.getUint32(28);
  // The number of pages counts only if the version it is valid for is the current one.
  if (view.getUint32(24) === view.getUint32(92) && pages * pageSize > size) {
    return `its header says ${pages} pages of ${pageSize} bytes, and there are ${size / pageSize}`;
  }
  return undefined;
}

/**
 * Changes the header of a database that is said to be in WAL mode, and whose log is empty or gone: as it is, it could not be
 * opened where WAL cannot work.
 *
 * @param start The file's first bytes.
 */
export function leaveWalMode(start: Uint8Array): void {
  if (start.length >= HEADER_SIZE && start[18] === 2 && start[19] === 2 && hasMagic(start)) {
    start[18] = 1;
    start[19] = 1;
  }
}
