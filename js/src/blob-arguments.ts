/** The arguments of `openBlob` and of what it answers, checked. */
import { invalidArgType, outOfRange } from './errors.js';
import { booleanOption, nameArgument, nameOption, optionsObject } from './options.js';
import { bytesOf } from './params.js';

export interface OpenBlobOptions {
  /** Which of the attached databases: `'main'` if left out. */
  schema?: string;
  /** It is not to be written. */
  readOnly?: boolean;
}

export interface BlobArguments {
  /** Of the database, the table and the column. */
  readonly names: [string, string, string];
  readonly rowid: bigint;
  readonly readOnly: boolean;
}

export interface BlobReadableOptions {
  /** Bytes of each chunk but the last: 65536 if left out. */
  chunkSize?: number;
}

export function openBlobArguments(args: unknown[]): BlobArguments {
  const [table, column, rowid] = args;
  const options = optionsObject(args[3], args[3] !== undefined);
  const schema = nameOption(options, 'schema') ?? 'main';
  return {
    names: [schema, nameArgument(table, 'table'), nameArgument(column, 'column')],
    rowid: rowidArgument(rowid),
    readOnly: booleanOption(options, 'readOnly', false),
  };
}

export function rowidArgument(rowid: unknown): bigint {
  if (typeof rowid !== 'bigint' && !Number.isInteger(rowid)) {
    throw invalidArgType('The "rowid" argument must be an integer or a BigInt.');
  }
  const big = BigInt(rowid as number | bigint);
  if (BigInt.asIntN(64, big) !== big || (typeof rowid === 'number' && !Number.isSafeInteger(rowid))) {
    throw outOfRange(
      `The "rowid" argument is out of range: ${rowid}. Beyond 2^53 it is to be a BigInt of 64 bits.`,
    );
  }
  return big;
}

export function sizeArgument(value: unknown, name: string, least = 0): number {
  if (!Number.isInteger(value)) throw invalidArgType(`The "${name}" argument must be an integer.`);
  if ((value as number) < least) throw outOfRange(`The "${name}" argument must be at least ${least}.`);
  return value as number;
}

function bytesArgument(value: unknown): Uint8Array {
  const bytes = typeof value === 'object' && value !== null ? bytesOf(value) : undefined;
  if (!bytes) throw invalidArgType('The "bytes" argument must be an ArrayBuffer or a view of one.');
  return bytes;
}

/** What `read` is called with: where it begins, and what is to be filled, or how long it is to be; all that is left if it is left out. */
export interface ReadArguments {
  offset: number;
  into: number | Uint8Array<ArrayBuffer> | undefined;
}

export function readArguments([offset = 0, into]: unknown[]): ReadArguments {
  const isGiven = into === undefined || into instanceof Uint8Array;
  return {
    offset: sizeArgument(offset, 'offset'),
    into: isGiven ? (into as Uint8Array<ArrayBuffer>) : sizeArgument(into, 'length'),
  };
}

export function writeArguments([bytes, offset = 0]: unknown[]): { bytes: Uint8Array; offset: number } {
  return { bytes: bytesArgument(bytes), offset: sizeArgument(offset, 'offset') };
}
