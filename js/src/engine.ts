/** The wasm module as JavaScript sees it: its functions and its memory. The other side is `src/engine/`. */
import type { Answer, Mode } from './answer.js';
import { Context } from './context.js';
import { invalidState } from './errors.js';
import { Memory } from './memory.js';
import { VFSHost } from './vfs-host.js';
import type { InitOutput } from './wasm/sqlite_vfs_kit.js';

/** Must be what `kit_start` answers: JavaScript and wasm of one make. */
export const PROTOCOL = 4;

/** The functions of the module. Pointers are numbers; one that comes back negative lies beyond 2 GiB. */
export type Exports<M extends Mode = 'sync'> = {
  readonly [Name in keyof InitOutput]: Name extends Reaching
    ? InitOutput[Name] extends (...args: infer Numbers) => infer Code
      ? (...args: Numbers) => Answer<M, Code>
      : never
    : InitOutput[Name];
};

/** Those that may reach a VFS. */
const reaching = [
  'kit_all',
  'kit_backup_finish',
  'kit_backup_new',
  'kit_backup_step',
  'kit_bind',
  'kit_blob_close',
  'kit_blob_open',
  'kit_blob_read',
  'kit_blob_reopen',
  'kit_blob_write',
  'kit_changeset_apply',
  'kit_close',
  'kit_deserialize',
  'kit_exec',
  'kit_files_delete',
  'kit_files_list',
  'kit_files_read',
  'kit_files_rename',
  'kit_files_write',
  'kit_finalize',
  'kit_get',
  'kit_open',
  'kit_prepare',
  'kit_reset',
  'kit_rows',
  'kit_run',
  'kit_serialize',
  'kit_session_changes',
  'kit_sql',
] as const;

type Reaching = (typeof reaching)[number];

export const isReaching = (name: string): boolean => (reaching as readonly string[]).includes(name);

export class Engine {
  readonly exports: Exports;
  readonly memory: Memory;
  /** The context of calls that run to their end before another begins. */
  main: Context;
  /** The VFSes that are written in JavaScript. */
  readonly host: VFSHost;
  /** Calls can be suspended, so methods of VFSes may answer promises. */
  readonly suspends: boolean;
  readonly #guard: Guard;

  /** @param suspending Makes a function that answers a promise of one that can be suspended, in a build that has those. */
  constructor(exports: InitOutput, host = new VFSHost(), suspending?: Suspending) {
    this.host = host;
    this.suspends = suspending !== undefined;
    this.#guard = new Guard(exports, suspending);
    this.exports = this.#guard.exports;
    this.memory = new Memory(exports.memory);
    host.memory = this.memory;
    host.callbacks.engine = this;
    const protocol = typeof exports.kit_start === 'function' ? exports.kit_start() : undefined;
    if (protocol !== PROTOCOL) {
      throw new Error(
        `This JavaScript speaks protocol ${PROTOCOL} with its wasm file, and the file that was loaded ` +
          `${protocol === undefined ? 'is another module' : `speaks ${protocol}`}. ` +
          'Serve both from one version of sqlite-vfs-kit, and clear what caches hold of another.',
      );
    }
    this.main = new Context(this, this.exports);
  }

  /** A context for one connection's calls, of which there is one at a time. It is to be freed. */
  newContext(): Context<'async'> {
    // Each call here runs to its end before another begins: one set of buffers is enough.
    return new Context(this, this.exports as unknown as Exports<'async'>);
  }

  /** A call ended in its middle, and there will be no more. */
  get hasStopped(): boolean {
    return this.#guard.hasStopped;
  }

  /** After a call ended in its middle: refuses all others, and answers the error that says so. */
  stop(cause: unknown): Error {
    return this.#guard.stop(cause);
  }
}

/** What `WebAssembly.promising` does. */
export type Suspending = (
  call: (...numbers: number[]) => number,
) => (...numbers: number[]) => Promise<number>;

type Call = (a: number, b: number, c: number, d: number, e: number) => number;

/**
 * The module's functions, until one of them throws.
 *
 * They never do in the course of things: what is thrown is a trap, or a stack overflow in the middle of a call. Either leaves
 * memory as it happened to be, and whoever went on would work with damaged data. So from then on every call is refused.
 */
class Guard {
  readonly exports: Exports;
  readonly #table: Record<string, unknown>;
  /** Why there are no more calls. */
  error: Error | undefined;

  constructor(exports: InitOutput, suspending?: Suspending) {
    this.#table = { ...exports };
    if (suspending) {
      for (const name of reaching)
        this.#table[name] = suspending(exports[name] as (...numbers: number[]) => number);
    }
    this.exports = this.#table as unknown as Exports;
    for (const name in this.#table) {
      const call = this.#table[name];
      if (typeof call !== 'function' || !name.startsWith('kit_')) continue;
      this.#table[name] = guarded(call as Call, this);
    }
  }

  get hasStopped(): boolean {
    return this.error !== undefined;
  }

  stop(cause: unknown): Error {
    // What stopped it is the first cause. Calls that were under way end with others.
    if (this.error) return this.error;
    const error = invalidState(
      `SQLite was stopped in the middle of a call (${cause}), and what it has in memory can't be relied on any more. ` +
        'Call init() for a fresh SQLite: what was in memory is gone, and VFSes of your own are to be registered again.',
      cause,
    );
    this.error = error;
    for (const name in this.#table) {
      if (typeof this.#table[name] !== 'function') continue;
      this.#table[name] = () => {
        throw error;
      };
    }
    return error;
  }
}

function guarded(call: Call, guard: Guard): Call {
  return (a, b, c, d, e) => {
    let answer: number;
    try {
      answer = call(a, b, c, d, e);
    } catch (cause) {
      throw guard.stop(cause);
    }
    // A call inside of this one, which somebody caught.
    if (guard.error !== undefined) throw guard.error;
    return answer;
  };
}
