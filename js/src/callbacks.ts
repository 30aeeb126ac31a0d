/**
 * Answers SQLite's calls of functions that are written in JavaScript. The other side is `src/engine/`: `functions.rs`, `authorizer.rs`,
 * `sessions.rs`, `hooks.rs`.
 *
 * What a function throws gets no further than this: an exception that crossed wasm frames would leave SQLite in the middle of a call.
 * The connection keeps it, and throws it when the call that it is in has failed.
 */
import type { Connection } from './connection.js';
import type { Engine } from './engine.js';
import { invalidArgType, invalidState, outOfRange } from './errors.js';
import type {
  ChangeOperation,
  Collation,
  CommitHook,
  PreupdateHook,
  Rowid,
  RowState,
  UpdateHook,
} from './hooks.js';
import { isInt32 } from './options.js';
import { bytesOf, writeShortAscii } from './params.js';
import { decodeArguments, type SQLOutputValue } from './rows.js';
import { decodeAt, encode, encodeInto } from './text.js';

/** Bytes of an answer that need no memory of their own: `ROOM` of `functions.rs`. */
const ROOM = 192;

/** A text of so many UTF-16 units fits there, since UTF-8 has at most three bytes for each. */
const SHORT_TEXT = ROOM / 3;

/**
 * So many calls inside of each other, on all connections: each has frames on two stacks, of which the one in memory is 1 MiB. Whoever
 * comes this far calls himself.
 */
const DEEPEST = 100;

/** Tags of answers, and why there is none. */
enum Code {
  Null = 0,
  Number = 2,
  Int64 = 3,
  Text = 6,
  Blob = 7,
  Threw = -1,
  NoValue = -2,
  Promise = -3,
  TooLarge = -4,
  TooBig = -5,
}

/** What SQL functions are called with. */
export type SQLFunction = (...values: SQLOutputValue[]) => unknown;

/** An aggregate's functions. */
export interface Aggregate {
  /** What it begins with, or a function that answers it. */
  readonly start: unknown;
  readonly step: (state: unknown, ...values: SQLOutputValue[]) => unknown;
  readonly inverse: ((state: unknown, ...values: SQLOutputValue[]) => unknown) | undefined;
  readonly result: ((state: unknown) => unknown) | undefined;
}

/** What `setAuthorizer` takes: it answers `constants.SQLITE_OK`, `SQLITE_DENY` or `SQLITE_IGNORE`. */
export type Authorizer = (
  action: number,
  first: string | null,
  second: string | null,
  dbName: string | null,
  trigger: string | null,
) => number;

/** What `applyChangeset` asks. */
export type ConflictHandler = (conflict: number) => number;
export type TableFilter = (table: string) => boolean;

type Call =
  | SQLFunction
  | Aggregate
  | Authorizer
  | ConflictHandler
  | TableFilter
  | UpdateHook
  | PreupdateHook
  | CommitHook
  | Collation;

/** Which connection a function belongs to, of whatever build. */
export type Owner = Pick<Connection, 'callback' | 'hasThrown' | 'threw'>;

interface Entry<Call> {
  readonly owner: Owner;
  readonly call: Call;
}

/** What an aggregate has come to. */
interface State {
  value: unknown;
  /** One of its functions threw. */
  failed: boolean;
}

const SQLITE_CHANGESET_ABORT = 2;
const SQLITE_DENY = 1;
const SQLITE_IGNORE = 2;

/** As SQLite numbers what a statement does. */
const OPERATIONS: Record<number, ChangeOperation> = { 9: 'delete', 18: 'insert', 23: 'update' };

/** Where the connection must not be used: who asks there. */
const AUTHORIZER = 'an authorizer callback';
const HOOK = 'a hook, a progress handler or a collation';

/** No code of SQLite's, for a conflict. */
const NO_ANSWER = 0xff;

type Import = (...numbers: number[]) => unknown;

export class Callbacks {
  /** Set when the module is instantiated: it is asked for its functions before. */
  engine!: Engine;
  /** Numbers begin with 1. */
  readonly #entries: (Entry<unknown> | undefined)[] = [undefined];
  readonly #free: number[] = [];
  readonly #states: (State | undefined)[] = [undefined];
  readonly #freeStates: number[] = [];
  #depth = 0;

  /** Answers a number for a function, until SQLite has no more use for it. */
  add(owner: Owner, call: Call): number {
    const number = this.#free.pop() ?? this.#entries.length;
    this.#entries[number] = { owner, call };
    return number;
  }

  remove(number: number): void {
    this.#entries[number] = undefined;
    this.#free.push(number);
  }

  #entry<Call>(number: number): Entry<Call> {
    return this.#entries[number] as Entry<Call>;
  }

  /** The functions that the module imports. */
  imports(): Record<string, Import> {
    return {
      js_function: (number, count, cells, tags, answer) => {
        const { owner, call } = this.#entry<SQLFunction>(number);
        return this.#called(owner, () => {
          const values = this.#values(count, cells, tags);
          return this.#answer(call.apply(undefined, values), answer >>> 0);
        });
      },
      js_step: (number, stateNumber, inverse, count, cells, tags) => {
        const { owner, call } = this.#entry<Aggregate>(number);
        let at = stateNumber;
        const code = this.#called(owner, () => {
          const step = (inverse ? call.inverse : call.step) as Aggregate['step'];
          const values = this.#values(count, cells, tags);
          if (at === 0) at = this.#begin(call);
          const state = this.#states[at] as State;
          state.value = step.call(undefined, state.value, ...values);
          return Code.Null;
        });
        if (code === Code.Null) return at;
        // It has an end all the same, at which nothing is asked of it.
        if (at !== 0) (this.#states[at] as State).failed = true;
        return code;
      },
      js_value: (number, stateNumber, end, answer) => {
        const { owner, call } = this.#entry<Aggregate>(number);
        let at = stateNumber;
        const code = this.#called(owner, () => {
          if (at === 0) at = this.#begin(call);
          const state = this.#states[at] as State;
          if (state.failed) return Code.Null;
          const { result } = call;
          return this.#answer(result ? result.call(null, state.value) : state.value, answer >>> 0);
        });
        if (end !== 0 && at !== 0) {
          this.#states[at] = undefined;
          this.#freeStates.push(at);
        }
        return code;
      },
      js_forget: (number) => this.remove(number),
      js_conflict: (number, kind) => {
        const { owner, call } = this.#entry<ConflictHandler>(number);
        const code = this.#called(owner, () => {
          const answer: unknown = call.call(null, kind);
          // What is no code SQLite refuses.
          return isInt32(answer) && answer >= 0 ? answer : NO_ANSWER;
        });
        return code < 0 ? SQLITE_CHANGESET_ABORT : code;
      },
      js_filter: (number, name, length) => {
        const { owner, call } = this.#entry<TableFilter>(number);
        const table = decodeAt(this.engine.memory.u8, name >>> 0, length);
        // Where it throws, the rest is not wanted.
        return owner.hasThrown
          ? 0
          : Math.max(
              0,
              this.#called(owner, () => (call.call(null, table) ? 1 : 0)),
            );
      },
      js_authorize: (number, action, texts) => {
        const { owner, call } = this.#entry<Authorizer>(number);
        const code = this.#called(
          owner,
          () => {
            const [first, second, database, trigger] = this.#texts(texts >>> 2);
            return checkAuthorization(
              call.call(undefined, action, first ?? null, second ?? null, database ?? null, trigger ?? null),
            );
          },
          AUTHORIZER,
        );
        return code < 0 ? SQLITE_DENY : code;
      },
      js_ask: (number, commits) => {
        const { owner, call } = this.#entry<CommitHook>(number);
        // What threw in the transaction could not make its statement fail: this can.
        if (commits !== 0 && owner.hasThrown) return 1;
        return this.#called(owner, () => (call.call(undefined) === true ? 1 : 0), HOOK) === 0 ? 0 : 1;
      },
      js_update: (number, operation, names, rowid) => {
        const { owner, call } = this.#entry<UpdateHook>(number);
        this.#told(owner, () => {
          const [dbName, table] = this.#texts(names >>> 2, 2) as [string, string];
          call.call(undefined, {
            operation: OPERATIONS[operation] as ChangeOperation,
            dbName,
            table,
            rowid: exact(rowid as unknown as bigint),
          });
        });
      },
      js_preupdate: (number, change) => {
        const { owner, call } = this.#entry<PreupdateHook>(number);
        this.#told(owner, () => call.call(undefined, this.#pendingChange(change >>> 0)));
      },
      js_compare: (number, a, aLength, b, bLength) => {
        const { owner, call } = this.#entry<Collation>(number);
        if (owner.hasThrown) return 0;
        let order = 0;
        this.#told(owner, () => {
          const { u8 } = this.engine.memory;
          const answer: unknown = call.call(
            undefined,
            decodeAt(u8, a >>> 0, aLength),
            decodeAt(u8, b >>> 0, bLength),
          );
          if (typeof answer !== 'number' || Number.isNaN(answer)) {
            throw invalidArgType('A collation must return a number, which NaN is not.');
          }
          order = Math.sign(answer);
        });
        return order;
      },
    };
  }

  #begin({ start }: Aggregate): number {
    const value: unknown = typeof start === 'function' ? start.call(null) : start;
    const number = this.#freeStates.pop() ?? this.#states.length;
    this.#states[number] = { value, failed: false };
    return number;
  }

  #values(count: number, cells: number, tags: number): SQLOutputValue[] {
    return decodeArguments(this.engine.memory, count, cells >>> 0, tags >>> 0);
  }

  /** Texts, four for an authorizer, of which each may be missing. */
  #texts(words: number, count = 4): (string | null)[] {
    const { u8, u32 } = this.engine.memory;
    return Array.from({ length: count }, (_, i) => {
      const start = u32[words + i * 2] as number;
      return start === 0 ? null : decodeAt(u8, start, u32[words + i * 2 + 1] as number);
    });
  }

  /** `Change` of `hooks.rs`. */
  #pendingChange(place: number): Parameters<PreupdateHook>[0] {
    const { i32, u32, i64 } = this.engine.memory;
    // In units of four bytes.
    const at = place >>> 2;
    const [dbName, table] = this.#texts(at + 4, 2) as [string, string];
    const operation = OPERATIONS[i32[at + 8] as number] as ChangeOperation;
    const blobColumn = i32[at + 10] as number;
    const oldRowid = i64[place >>> 3] as bigint;
    const newRowid = i64[(place >>> 3) + 1] as bigint;
    const depth = i32[at + 9] as number;
    const count = u32[at + 11] as number;
    if (count === 0)
      throw outOfRange('out of memory: no room for the values of a row that is about to be changed');
    const values = this.#values(count, u32[at + 12] as number, u32[at + 13] as number).map((value) =>
      typeof value === 'bigint' ? exact(value) : value,
    );
    const split = operation === 'insert' ? 0 : operation === 'delete' ? count : count / 2;
    const state = (rowid: bigint, values: SQLOutputValue[]): RowState | null =>
      values.length === 0 ? null : { rowid: exact(rowid), values };
    return {
      operation: blobColumn < 0 ? operation : 'update',
      dbName,
      table,
      depth,
      old: state(oldRowid, values.slice(0, split)),
      new: state(newRowid, values.slice(split)),
      blobColumn,
    };
  }

  /** Tells somebody of something. Where that throws, the rest is not wanted. */
  #told(owner: Owner, tell: () => void): void {
    if (owner.hasThrown) return;
    this.#called(
      owner,
      () => {
        tell();
        return 0;
      },
      HOOK,
    );
  }

  /**
   * Calls what may throw.
   *
   * @param where Who it is, if the connection must not be used there.
   */
  #called(owner: Owner, call: () => number, where?: string): number {
    if (this.#depth >= DEEPEST) {
      owner.threw(invalidState(`More than ${DEEPEST} calls of functions inside of each other.`));
      return Code.Threw;
    }
    this.#depth++;
    owner.callback(1, where);
    try {
      return call();
    } catch (error) {
      // Then there is nothing to go back to.
      if (this.engine.hasStopped) throw error;
      owner.threw(error);
      return Code.Threw;
    } finally {
      this.#depth--;
      owner.callback(-1, where);
    }
  }

  /** Writes what a function has answered, for SQLite. */
  #answer(value: unknown, place: number): number {
    const { memory } = this.engine;
    switch (typeof value) {
      case 'number':
        memory.f64[place >>> 3] = value;
        return Code.Number;
      case 'string':
        return this.#text(value, place);
      case 'undefined':
        return Code.Null;
      case 'bigint':
        if (BigInt.asIntN(64, value) !== value) return Code.TooLarge;
        memory.i64[place >>> 3] = value;
        return Code.Int64;
      case 'object': {
        if (value === null) return Code.Null;
        const bytes = bytesOf(value);
        if (bytes !== undefined) return this.#bytes(bytes, place, Code.Blob);
        return value instanceof Promise ? Code.Promise : Code.NoValue;
      }
      default:
        return Code.NoValue;
    }
  }

  #text(text: string, place: number): number {
    if (text.length > SHORT_TEXT) return this.#bytes(encode(text), place, Code.Text);
    const { u8 } = this.engine.memory;
    const start = place + 8;
    let length = writeShortAscii(u8, start, text);
    if (length < 0) length = encodeInto(text, u8.subarray(start, start + ROOM)).written;
    return this.#placed(start, length, place, Code.Text);
  }

  #bytes(bytes: Uint8Array, place: number, code: Code): number {
    const { length } = bytes;
    const start = length <= ROOM ? place + 8 : this.engine.exports.kit_allocate(length) >>> 0;
    if (start === 0) return Code.TooBig;
    this.engine.memory.u8.set(bytes, start);
    return this.#placed(start, length, place, code);
  }

  #placed(start: number, length: number, place: number, code: Code): number {
    const { u32 } = this.engine.memory;
    u32[place >>> 2] = start;
    u32[(place >>> 2) + 1] = length;
    return code;
  }
}

/** A number, where it is exact as one. */
const exact = (value: bigint): Rowid => (BigInt.asIntN(54, value) === value ? Number(value) : value);

/** As Node has it, without a code. */
function checkAuthorization(code: unknown): number {
  if (!isInt32(code)) throw new TypeError('Authorizer callback must return an integer authorization code');
  if (code < 0 || code > SQLITE_IGNORE) {
    throw new RangeError('Authorizer callback returned a invalid authorization code');
  }
  return code;
}
