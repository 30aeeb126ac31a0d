/** What a class answers in the place of `SQLITE_OK`, as what VFSes of this package throw. */
import { VFSError, type VFSErrorCode } from '../vfs-error.js';
import type { AdaptedVFS } from './adapter.js';

/** What SQLite is told, and whom to ask whether it is worth to call again. */
export class Refusal extends VFSError {
  /** Not to be seen where an error is shown. */
  readonly #vfs: AdaptedVFS;

  constructor(vfs: AdaptedVFS, code: VFSErrorCode, message: string | undefined, cause: unknown) {
    super(code, message, cause === undefined ? undefined : { cause });
    this.#vfs = vfs;
  }

  get vfs(): AdaptedVFS {
    return this.#vfs;
  }

  /** It was refused for want of a hint, which the next transaction of the file gives. */
  hint = false;
}
