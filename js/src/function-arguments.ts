/** The arguments of `function`, `aggregate` and `setAuthorizer`, checked. */
import type { Aggregate, Authorizer, SQLFunction } from './callbacks.js';
import { invalidArgType } from './errors.js';
import { booleanOption, isInt32, optionsObject, stringArgument } from './options.js';

/** How a function is defined. */
export interface FunctionOptions {
  /** It answers the same for the same arguments, so SQLite may call it less often, and use it in indexes. */
  deterministic?: boolean;
  /** It is not to be called from views, triggers and the like, which may be somebody else's. */
  directOnly?: boolean;
  /** Integers are given to it as `BigInt`s. */
  useBigIntArguments?: boolean;
  /** It takes any number of arguments: otherwise as many as its `length` says. */
  varargs?: boolean;
}

/** How an aggregate is defined. `T` is what its steps work on. */
// biome-ignore lint/suspicious/noExplicitAny: its user knows which values his SQL has
export interface AggregateOptions<T = any> extends Omit<FunctionOptions, 'deterministic'> {
  /** What it begins with, or a function that answers it, for each group anew. */
  start: T | (() => T);
  /** Adds the values of a row. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  step: (state: T, ...values: any[]) => T;
  /** What it comes to; without it, what the last step answered. In a window it is asked for each row. */
  result?: (state: T) => unknown;
  /** Takes the values of a row out again. With it the aggregate is a window function, too. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  inverse?: (state: T, ...values: any[]) => T;
}

export type FunctionArguments =
  | [name: string, func: SQLFunction]
  | [name: string, options: FunctionOptions, func: SQLFunction];

const SQLITE_DETERMINISTIC = 0x800;
const SQLITE_DIRECTONLY = 0x80000;

/** What SQLite is told of a function. */
export interface Definition {
  name: string;
  /** How many arguments it takes; -1 for any number. */
  argc: number;
  flags: number;
  bigIntegers: boolean;
}

export function functionArguments(args: FunctionArguments): Definition & { call: SQLFunction } {
  const name = stringArgument(args[0], 'name');
  const hasOptions = args.length > 2;
  const options = optionsObject(args[1], hasOptions);
  const bigIntegers = booleanOption(options, 'useBigIntArguments', false);
  const varargs = booleanOption(options, 'varargs', false);
  const deterministic = booleanOption(options, 'deterministic', false);
  const directOnly = booleanOption(options, 'directOnly', false);
  const call: unknown = hasOptions ? args[2] : args[1];
  if (typeof call !== 'function') throw invalidArgType('The "function" argument must be a function.');
  return {
    name,
    argc: varargs ? -1 : lengthOf(call, 'function'),
    flags: (deterministic ? SQLITE_DETERMINISTIC : 0) | (directOnly ? SQLITE_DIRECTONLY : 0),
    bigIntegers,
    call: call as SQLFunction,
  };
}

export type AggregateArguments = [name: string, options: AggregateOptions];

export function aggregateArguments(args: AggregateArguments): Definition & { aggregate: Aggregate } {
  const name = stringArgument(args[0], 'name');
  const options = optionsObject(args[1], true);
  const { start, step, result } = options;
  if (start === undefined) {
    throw invalidArgType('The "options.start" argument must be a function or a primitive value.');
  }
  if (typeof step !== 'function') throw invalidArgType('The "options.step" argument must be a function.');
  const bigIntegers = booleanOption(options, 'useBigIntArguments', false);
  const varargs = booleanOption(options, 'varargs', false);
  const directOnly = booleanOption(options, 'directOnly', false);
  const { inverse } = options;
  if (inverse !== undefined && typeof inverse !== 'function') {
    throw invalidArgType('The "options.inverse" argument must be a function.');
  }
  return {
    name,
    argc: varargs ? -1 : aggregateLength(step, inverse),
    flags: directOnly ? SQLITE_DIRECTONLY : 0,
    bigIntegers,
    aggregate: {
      start,
      step: step as Aggregate['step'],
      inverse: inverse as Aggregate['inverse'],
      result: typeof result === 'function' ? (result as Aggregate['result']) : undefined,
    },
  };
}

/** The first argument of either is the state. */
function aggregateLength(step: { length: unknown }, inverse: { length: unknown } | undefined): number {
  const lengths = [lengthOf(step, 'options.step'), inverse ? lengthOf(inverse, 'options.inverse') : 0];
  return Math.max(0, ...lengths.map((length) => length - 1));
}

export function authorizerArgument(callback: unknown): Authorizer | null {
  if (callback === null || typeof callback === 'function') return callback as Authorizer | null;
  throw invalidArgType('The "callback" argument must be a function or null.');
}

function lengthOf(call: { length: unknown }, name: string): number {
  const { length } = call;
  if (isInt32(length)) return length;
  throw invalidArgType(`The "${name}.length" property must be an integer.`);
}
