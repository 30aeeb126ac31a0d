/** What registering in either kind of build has in common. */
import { invalidArgType, invalidArgValue, invalidState } from '../errors.js';
import type { FacadeVFS } from '../facade.js';
import { checked, LentVFS } from '../lent-vfs.js';
import { booleanOption, nameArgument, nameOption, optionsObject } from '../options.js';
import { checkVFS } from '../register-vfs.js';
import { encode } from '../text.js';
import { TracedVFS } from '../traced-vfs.js';
import { Adapter, type Theirs } from './adapter.js';

/** How a VFS is registered in another build. */
export interface RegisterOptions {
  /** What it is known as there: its own name if left out. */
  name?: string;
  /** Databases that are opened there without naming a VFS are on this one from now on. */
  default?: boolean;
}

/** A VFS that another build of SQLite knows. */
export interface Registration {
  /** What it is known as there. */
  readonly name: string;

  /**
   * What one of its methods threw last, or why it was not called; `undefined` if nothing has gone wrong yet. SQLite passes on a code
   * alone.
   */
  readonly lastError: unknown;

  /**
   * Takes the VFS out of that build. Files that are open stay usable until they are closed; what asks for others fails.
   */
  unregister(): void;

  /**
   * To be called when that build was stopped in the middle of its work: a trap, or a worker that was ended while what stores the files
   * lived on. Closes what it left open, so that its locks stand in nobody's way. Databases are as a crash leaves them, and
   * whoever opens them next recovers them.
   */
  abandon(): Promise<void>;
}

/** A build of SQLite, as far as registering needs it. */
export interface Build extends Theirs {
  /** What it is, for messages: `the official build`. */
  readonly label: string;
  /** It can wait for promises. */
  readonly suspends: boolean;
  /** Is there a VFS of the name at this pointer? */
  knows(zName: number): boolean;
  /** Makes SQLite know it. Answers what takes it out again. */
  install(adapter: Adapter, makeDefault: boolean): () => void;
}

/** Adapters by name, for each module: names are there to be used again. */
const registered = new WeakMap<object, Map<string, Adapter>>();

/** @param module What stands for the build. */
export function registerIn(
  module: object,
  build: Build,
  vfs: FacadeVFS | TracedVFS,
  options: RegisterOptions | undefined,
): Registration {
  const given = optionsObject(options, options !== undefined);
  const checkedVfs = facadeOf(vfs);
  const name = nameOption(given, 'name') ?? nameArgument(checkedVfs.name, 'vfs.name');
  if (name === '') throw invalidArgValue('The "options.name" argument must not be empty.');
  const makeDefault = booleanOption(given, 'default', false);
  if (checkedVfs.async === true && !build.suspends) {
    throw invalidState(
      `The VFS '${checkedVfs.name}' is async, and ${build.label} cannot wait for promises: use a build that can, ` +
        "such as wa-sqlite's wa-sqlite-async.mjs and wa-sqlite-jspi.mjs.",
    );
  }
  const adapters = registered.get(module) ?? new Map<string, Adapter>();
  registered.set(module, adapters);
  withName(build, name, (zName) => {
    if (build.knows(zName)) {
      throw invalidState(`A VFS named '${name}' is registered in ${build.label} already: give another name.`);
    }
  });
  const former = adapters.get(name);
  if (former && former.openFiles > 0) {
    throw invalidState(`The VFS that was '${name}' before has open files: close them, or give another name.`);
  }
  const adapter = new Adapter(checkedVfs, name, build);
  const remove = build.install(adapter, makeDefault);
  adapters.set(name, adapter);
  let isThere = true;
  return {
    name,
    get lastError() {
      return adapter.error;
    },
    unregister() {
      if (!isThere) return;
      isThere = false;
      adapter.unregistered();
      remove();
    },
    async abandon() {
      // The build is not asked: it may be in no state to answer.
      isThere = false;
      await adapter.abandon();
    },
  };
}

/** A store in Rust is a facade to others. */
function facadeOf(vfs: unknown): FacadeVFS {
  if (!(vfs instanceof TracedVFS)) return checkVFS(vfs);
  const { memory, exports } = vfs.engine;
  const name = encode(vfs.name);
  const lender = { memory, exports };
  const room = exports.kit_foreign_buffer(name.length) >>> 0;
  memory.u8.set(name, room);
  return new LentVFS(lender, checked(lender, exports.kit_foreign_store(name.length)), vfs.name);
}

/** Calls with a NUL-terminated text in the build's memory. */
export function withName<T>(build: Theirs, name: string, call: (zName: number) => T): T {
  const zName = newName(build, name);
  try {
    return call(zName);
  } finally {
    build.free(zName);
  }
}

/** A NUL-terminated text in the build's memory. */
export function newName(build: Theirs, name: string): number {
  const bytes = encode(name);
  const zName = build.malloc(bytes.length + 1) >>> 0;
  if (zName === 0) throw invalidState('The other build of SQLite has no memory left.');
  build.memory.u8.set(bytes, zName);
  build.memory.u8[zName + bytes.length] = 0;
  return zName;
}

export function notABuild(expected: string, found: string): Error {
  return invalidArgType(`The "module" argument must be ${expected}${found}.`);
}
