/** Checks of arguments, with Node's errors. */
import { invalidArgType, invalidArgValue } from './errors.js';

/** The options argument of a call: an object, or left out. */
export function optionsObject(value: unknown, given: boolean): Record<string, unknown> {
  if (!given) return {};
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
    throw invalidArgType('The "options" argument must be an object.');
  }
  return value as Record<string, unknown>;
}

export function booleanOption(options: Record<string, unknown>, name: string, fallback: boolean): boolean {
  const value = options[name];
  if (value === undefined) return fallback;
  if (typeof value !== 'boolean') throw invalidArgType(`The "options.${name}" argument must be a boolean.`);
  return value;
}

export function integerOption(options: Record<string, unknown>, name: string, fallback: number): number {
  const value = options[name];
  if (value === undefined) return fallback;
  if (!isInt32(value)) {
    throw invalidArgType(`The "options.${name}" argument must be an integer.`);
  }
  return value;
}

/** 32 bits, and as Node has it no -0. */
export const isInt32 = (value: unknown): value is number =>
  Number.isInteger(value) && Object.is(value, (value as number) | 0);

export function stringOption(options: Record<string, unknown>, name: string): string | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw invalidArgType(`The "options.${name}" argument must be a string.`);
  return value;
}

export function nameOption(options: Record<string, unknown>, name: string): string | undefined {
  const value = stringOption(options, name);
  return value === undefined ? undefined : withoutNul(value, `options.${name}`);
}

export function stringArgument(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalidArgType(`The "${name}" argument must be a string.`);
  return value;
}

/** A name that crosses as C's strings do, which end at NUL: the rest must not be lost on the way. */
export function nameArgument(value: unknown, name: string): string {
  return withoutNul(stringArgument(value, name), name);
}

function withoutNul(text: string, name: string): string {
  if (text.includes('\0'))
    throw invalidArgValue(`The "${name}" argument must be a string without null bytes.`);
  return text;
}

export function booleanArgument(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw invalidArgType(`The "${name}" argument must be a boolean.`);
  return value;
}
