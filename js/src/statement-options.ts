/** How a statement treats parameters and rows. */
import { booleanOption } from './options.js';

/** Left out, it does as its database says. */
export interface StatementOptions {
  /** Integers come as `BigInt`, all of them. */
  readBigInts?: boolean;
  /** Rows come as arrays. */
  returnArrays?: boolean;
  /** `{ id: 1 }` serves for `$id`, `:id` and `@id`. */
  allowBareNamedParameters?: boolean;
  /** Names that the statement does not have are passed over. */
  allowUnknownNamedParameters?: boolean;
}

export function statementOptions(
  options: Record<string, unknown>,
  defaults: Required<StatementOptions>,
): Required<StatementOptions> {
  const option = (name: keyof StatementOptions) => booleanOption(options, name, defaults[name]);
  return {
    readBigInts: option('readBigInts'),
    returnArrays: option('returnArrays'),
    allowBareNamedParameters: option('allowBareNamedParameters'),
    allowUnknownNamedParameters: option('allowUnknownNamedParameters'),
  };
}
