/** What the module imports for VFSes whose methods may answer promises: the names of `VFSHost.imports`, with `_suspending` behind. */
import { checkCount, settledLater } from './vfs-answers.js';
import type { Import, VFSHost } from './vfs-host.js';

export function suspendingImports(host: VFSHost): Record<string, Import> {
  // Memory may grow, and then its views are gone, while a method is waited for: it gets bytes of its own.
  const read = async (number: number, pointer: number, length: number, offset: number): Promise<number> => {
    const { file, vfs } = host.open(number);
    try {
      const buffer = new Uint8Array(length >>> 0);
      const count = checkCount(await file.read(buffer, offset), length);
      host.memory.u8.set(count === buffer.length ? buffer : buffer.subarray(0, count), pointer >>> 0);
      return count;
    } catch (error) {
      return host.failed(error, 'SQLITE_IOERR_READ', vfs, 'read');
    }
  };

  const write = async (number: number, pointer: number, length: number, offset: number): Promise<number> => {
    const { file, vfs } = host.open(number);
    try {
      await file.write(host.memory.copy(pointer >>> 0, length >>> 0), offset);
      return 0;
    } catch (error) {
      return host.failed(error, 'SQLITE_IOERR_WRITE', vfs, 'write');
    }
  };

  const table: Record<string, Import> = { ...host.table(settledLater), js_read: read, js_write: write };
  return Object.fromEntries(Object.entries(table).map(([name, call]) => [`${name}_suspending`, call]));
}
