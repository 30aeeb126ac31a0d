/** What a registered VFS is seen to do: the layer around each of them, `src/layers/trace/`. */
import type { Context } from './context.js';
import type { Engine } from './engine.js';
import { integerOption, nameArgument, optionsObject } from './options.js';
import { SQLITE_OK } from './result-codes.js';

/** What an operation of the VFS did since it was registered or the counts were reset. */
export interface OperationStats {
  calls: number;
  /** Bytes asked to be read or written; 0 for other operations. */
  bytes: number;
  /** Calls that failed, those that found another connection's lock among them. */
  errors: number;
  /** How many of the calls were timed: a sample. */
  timed: number;
  /** What those took together, in milliseconds. */
  time: number;
}

/** One operation of the log. */
export interface LogEntry {
  /** Operations are numbered from when the VFS was registered. */
  sequence: number;
  operation: Operation;
  /** Empty for a temporary file. */
  file: string;
  offset: number;
  length: number;
  /** SQLite's result code: 0 if it went well. */
  code: number;
  /** In milliseconds. */
  time: number;
}

/** How closely a VFS is looked at. */
export interface TraceOptions {
  /** Every so many calls one is timed: 256 at first; 0 for none. */
  sampling?: number;
  /** How many of the last operations are kept: none at first. While there is a log, every call is timed. */
  log?: number;
}

/** `sqlite3_vfs` and `sqlite3_io_methods`, by short names. */
export type Operation =
  | 'open'
  | 'close'
  | 'delete'
  | 'access'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'size'
  | 'lock'
  | 'unlock'
  | 'control'
  | 'shm';

/** A registered VFS, and what SQLite asked of it. */
export class TracedVFS {
  readonly name: string;
  readonly #context: Context;

  /** @internal */
  constructor(context: Context, name: string) {
    this.#context = context;
    this.name = name;
    // If there is no such VFS, it is said now.
    this.ask([], (store) => context.exports.kit_trace_counters(store, 0));
  }

  /** @internal */
  get engine(): Engine {
    return this.#context.engine;
  }

  /** What each operation did: on one file, or on all. */
  stats(file?: string): Record<Operation, OperationStats> {
    const names = file === undefined ? [] : [nameArgument(file, 'file')];
    this.ask(names, (store, name = 0) => this.#context.exports.kit_trace_counters(store, name));
    const entries = lines(this.#context).map((line) => {
      const [name, ...numbers] = line.split(' ');
      const [calls = 0, bytes = 0, errors = 0, timed = 0, time = 0] = numbers.map(Number);
      return [name, { calls, bytes, errors, timed, time: time / 1e6 }] as const;
    });
    return Object.fromEntries(entries) as Record<Operation, OperationStats>;
  }

  /**
   * Names of the files that `stats` tells apart: the first thousand. Those beyond are counted together, as `'*'`; temporary files
   * as `''`.
   */
  tracedFiles(): string[] {
    this.ask([], (store) => this.#context.exports.kit_trace_files(store));
    return lines(this.#context);
  }

  /** Sets how calls are timed, and how many operations the log keeps. */
  trace(options: TraceOptions): void {
    const checked = optionsObject(options, true);
    const sampling = integerOption(checked, 'sampling', -1);
    const log = integerOption(checked, 'log', -1);
    this.ask([], (store) => this.#context.exports.kit_trace_set(store, sampling, log));
  }

  /** The last operations, oldest first, as far as `trace({ log })` has them kept. */
  log(): LogEntry[] {
    this.ask([], (store) => this.#context.exports.kit_trace_log(store));
    return lines(this.#context).map((line) => {
      const [sequence, operation, offset, length, code, time, ...file] = line.split(' ');
      return {
        sequence: Number(sequence),
        operation: operation as Operation,
        file: file.join(' '),
        offset: Number(offset),
        length: Number(length),
        code: Number(code),
        time: Number(time) / 1e6,
      };
    });
  }

  /** Sets the counts to zero, and empties the log. */
  resetStats(): void {
    this.ask([], (store) => this.#context.exports.kit_trace_reset(store));
  }

  /**
   * Asks the engine about this VFS.
   *
   * @internal
   */
  protected ask(
    names: string[],
    question: (store: number, ...rest: number[]) => number,
    bytes?: Uint8Array,
  ): void {
    const call = (store?: number, ...rest: number[]) => question(store as number, ...rest);
    const code = this.#context.withText([this.name, ...names], call, bytes);
    if (code !== SQLITE_OK) throw this.#context.errorOf(code, this.#context.text());
  }
}

export function lines(context: Context): string[] {
  return (context.text() ?? '').split('\0').slice(0, -1);
}
