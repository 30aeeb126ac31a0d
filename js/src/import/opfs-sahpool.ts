/** The pool of the official build's VFS `opfs-sahpool`. Its files are in a folder of its directory. */
import type { PoolLayout } from './pool.js';

/** The folder with the files. */
export const OPAQUE = '.opaque';

/** `SQLITE_OPEN_MEMORY` among the flags says that there is a digest. Older versions wrote zeros in its place. */
const HAS_DIGEST = 0x80;

export const sahpool: PoolLayout = {
  kind: 'opfs-sahpool',
  what: 'an opfs-sahpool pool',
  digest(corpus, flags) {
    if (!(flags & HAS_DIGEST)) return [0, 0];
    let first = 0xdeadbeef;
    let second = 0x41c6ce57;
    for (const byte of corpus) {
      first = Math.imul(first ^ byte, 2654435761);
      second = Math.imul(second ^ byte, 104729);
    }
    return [first >>> 0, second >>> 0];
  },
};
