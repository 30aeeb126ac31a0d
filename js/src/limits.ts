/** SQLite's run-time limits (https://sqlite.org/c3ref/c_limit_attached.html), by Node's names. */
import type { Connection } from './connection.js';
import { invalidArgType, outOfRange } from './errors.js';
import { isInt32 } from './options.js';

/** The names in the order of SQLite's numbers, which count from 0. */
const NAMES = [
  'length',
  'sqlLength',
  'column',
  'exprDepth',
  'compoundSelect',
  'vdbeOp',
  'functionArg',
  'attach',
  'likePatternLength',
  'variableNumber',
  'triggerDepth',
] as const;

export type LimitName = (typeof NAMES)[number];

/** The limits of a connection: reading asks SQLite, writing lowers a limit; `Infinity` takes it back to the highest. */
export type Limits = Record<LimitName, number>;

const MAX = 2 ** 31 - 1;

/** Checks the `limits` option. */
export function limitsOption(options: Record<string, unknown>): Partial<Limits> {
  const value = options.limits;
  if (value === undefined) return {};
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
    throw invalidArgType('The "options.limits" argument must be an object.');
  }
  const limits: Partial<Limits> = {};
  for (const name of NAMES) {
    const limit = (value as Record<string, unknown>)[name];
    if (limit === undefined) continue;
    if (!isInt32(limit)) throw invalidArgType(`The "options.limits.${name}" argument must be an integer.`);
    if ((limit as number) < 0)
      throw outOfRange(`The "options.limits.${name}" argument must be non-negative.`);
    limits[name] = limit as number;
  }
  return limits;
}

type Limited = Pick<Connection, 'limit'>;

export function applyLimits(connection: Limited, limits: Partial<Limits>): void {
  NAMES.forEach((name, number) => {
    const value = limits[name];
    if (value !== undefined) connection.limit(number, value);
  });
}

/**
 * @param connection Answers the open connection, or throws.
 * @param set Takes what is written, for the next time that the database is opened.
 */
export function limitsOf(connection: () => Limited, set: Partial<Limits>): Limits {
  const limits = {} as Limits;
  NAMES.forEach((name, number) => {
    const ask = (value: number) => connection().limit(number, value);
    Object.defineProperty(limits, name, {
      enumerable: true,
      get: () => ask(-1),
      set: (value: unknown) => {
        if (value !== Infinity && !isInt32(value)) {
          throw invalidArgType('Limit value must be a non-negative integer or Infinity.');
        }
        if ((value as number) < 0) throw outOfRange('Limit value must be non-negative.');
        const limit = value === Infinity ? MAX : (value as number);
        ask(limit);
        set[name] = limit;
      },
    });
  });
  return limits;
}
