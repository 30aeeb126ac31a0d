/** Where imported databases go: a VFS that keeps files here, or one that is written in JavaScript. */

import { invalidArgType, invalidState } from '../errors.js';
import type { FacadeVFS } from '../facade.js';
import { engine } from '../init.js';
import { getVFS, type RegisteredVFS } from '../vfs.js';
import { FacadeTarget } from './facade-target.js';
import type { Staged } from './staged.js';

export interface Target {
  /** The VFS's. */
  readonly name: string;
  exists(path: string): Promise<boolean>;
  /** Puts a database there, in the place of one that has the path. If it fails, what was there is still there. */
  put(path: string, staged: Staged): Promise<void>;
}

export function targetOf(vfs: unknown): Target {
  if (typeof vfs === 'object' && vfs !== null && 'open' in vfs)
    return new FacadeTarget(vfs as FacadeVFS, false);
  if (typeof vfs !== 'string')
    throw invalidArgType('The "target.vfs" argument must be the name of a VFS, or a FacadeVFS.');
  const written = engine().host.get(vfs);
  return written ? new FacadeTarget(written, true) : new FilesTarget(getVFS(vfs));
}

class FilesTarget implements Target {
  readonly name: string;
  readonly #vfs: RegisteredVFS;

  constructor(vfs: RegisteredVFS) {
    this.#vfs = vfs;
    this.name = vfs.name;
  }

  async exists(path: string): Promise<boolean> {
    return this.#vfs.list().some(({ name }) => name === path);
  }

  async put(path: string, staged: Staged): Promise<void> {
    // It is there already, under another name.
    if (this.name === STAGE) return this.#vfs.adopt(staged.name, path);
    await this.#vfs.importStream(path, staged.chunks());
  }
}

/** The VFS on which databases wait. */
export const STAGE = 'memory';

/** Two databases must not go to one place. */
export function refuseTwins(paths: readonly string[]): void {
  const twin = paths.find((path, i) => paths.indexOf(path) !== i);
  if (twin !== undefined)
    throw invalidState(`Two databases would go to '${twin}': "target.path" has to tell them apart.`);
}
