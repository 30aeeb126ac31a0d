/** Makes SQLite know VFSes that are written in JavaScript. */
import type { Engine } from './engine.js';
import { invalidArgType, invalidArgValue, invalidState } from './errors.js';
import type { FacadeVFS } from './facade.js';
import { booleanOption, nameArgument } from './options.js';
import { SQLITE_OK } from './result-codes.js';
import { missingFrom } from './vfs-answers.js';

/** How a VFS is registered. */
export interface RegisterOptions {
  /** Databases that are opened without a `vfs` are on this one from now on. */
  default?: boolean;
}

/** Length of the longest name, in bytes, that a VFS without a limit of its own gets. */
const MAX_PATHNAME = 1024;

/** @internal */
export function register(engine: Engine, vfs: unknown, options: Record<string, unknown>): void {
  const checked = checkVFS(vfs);
  const makeDefault = booleanOption(options, 'default', false);
  const suspends = checked.async === true;
  if (suspends && !engine.suspends) {
    throw invalidState(
      `The VFS '${checked.name}' is async, and this build of SQLite cannot wait for promises: use sqlite-vfs-kit/jspi.`,
    );
  }
  const number = engine.host.add(checked);
  const code = engine.main.withText([checked.name], (name) =>
    engine.main.exports.kit_vfs_register(
      name as number,
      number,
      checked.maxPathname ?? MAX_PATHNAME,
      suspends ? 1 : 0,
      makeDefault ? 1 : 0,
    ),
  );
  if (code === SQLITE_OK) return;
  const error = engine.main.errorOf(code, engine.main.text());
  engine.host.remove(number);
  throw error;
}

/** @internal */
export function unregister(engine: Engine, name: string): void {
  const number = engine.host.find(name);
  const code = engine.main.withText([name], (name) => engine.main.exports.kit_vfs_unregister(name as number));
  if (code !== SQLITE_OK) throw engine.main.errorOf(code, engine.main.text());
  if (number !== undefined) engine.host.remove(number);
}

/** @internal */
export function checkVFS(vfs: unknown): FacadeVFS {
  if (typeof vfs !== 'object' || vfs === null) throw invalidArgType('The "vfs" argument must be an object.');
  const { name, maxPathname } = vfs as FacadeVFS;
  if (nameArgument(name, 'vfs.name') === '')
    throw invalidArgValue('The "vfs.name" argument must not be empty.');
  const missing = missingFrom(vfs, ['open', 'delete', 'exists']);
  if (missing.length > 0) {
    throw invalidArgType(
      `The "vfs" argument must have the methods of FacadeVFS: '${name}' has no ${missing.join(', ')}.`,
    );
  }
  if (
    maxPathname !== undefined &&
    !(Number.isInteger(maxPathname) && maxPathname > 0 && maxPathname <= 65536)
  ) {
    throw invalidArgValue('The "vfs.maxPathname" argument must be a number of bytes, 1 to 65536.');
  }
  return vfs as FacadeVFS;
}
