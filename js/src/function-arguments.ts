/** The arguments of `function`, checked. */
import type { SQLFunction } from './callbacks.js';
import { invalidArgType } from './errors.js';
import { booleanOption, optionsObject, stringArgument } from './options.js';

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

function lengthOf(call: { length: unknown }, name: string): number {
  const { length } = call;
  if (Number.isInteger(length) && Object.is(length, (length as number) | 0)) return length as number;
  throw invalidArgType(`The "${name}.length" property must be an integer.`);
}
