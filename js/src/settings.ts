/** What a database is opened with: the arguments of its constructor, checked. */
import { invalidArgType } from './errors.js';
import { type Limits, limitsOption } from './limits.js';
import { booleanOption, integerOption, nameOption, optionsObject } from './options.js';
import { type StatementOptions, statementOptions } from './statement-options.js';
import { decode } from './text.js';

/** How a database is opened. */
export interface DatabaseOptions extends StatementOptions {
  /** Open it now (the default), or when `open()` is called. */
  open?: boolean;
  /** Only read; the database must exist. */
  readOnly?: boolean;
  /** Foreign keys are checked. On by default. */
  enableForeignKeyConstraints?: boolean;
  /** `"text"` may be a string. Off by default. */
  enableDoubleQuotedStringLiterals?: boolean;
  /**
   * How long a lock is waited for, in milliseconds; at most an hour. In one thread nothing changes while it waits, so a lock
   * of another connection of this instance is refused at once.
   */
  timeout?: number;
  /** SQL cannot damage the database file on purpose. On by default; `journal_mode=off` needs it off. */
  defensive?: boolean;
  /** Whether `loadExtension` may be called: there is nothing to load here, and it says so. Off by default. */
  allowExtension?: boolean;
  /** SQLite's limits, by Node's names. */
  limits?: Partial<Limits>;
  /** The VFS that keeps the file. By default it is in memory, and `store` says so. */
  vfs?: string;
}

/** Options with their defaults filled in. */
export interface Settings {
  path: string;
  /** Open it as soon as it is made. */
  open: boolean;
  readOnly: boolean;
  enableForeignKeyConstraints: boolean;
  enableDoubleQuotedStringLiterals: boolean;
  timeout: number;
  defensive: boolean;
  allowExtension: boolean;
  limits: Partial<Limits>;
  vfs: string | undefined;
  statement: Required<StatementOptions>;
}

/** The arguments of a database's constructor. */
export type DatabaseArguments = [path: string | URL | Uint8Array, options?: DatabaseOptions];

export function settingsOf(args: DatabaseArguments): Settings {
  const path = pathArgument(args[0]);
  const options = optionsObject(args[1], args.length > 1);
  return {
    path,
    open: booleanOption(options, 'open', true),
    readOnly: booleanOption(options, 'readOnly', false),
    enableForeignKeyConstraints: booleanOption(options, 'enableForeignKeyConstraints', true),
    enableDoubleQuotedStringLiterals: booleanOption(options, 'enableDoubleQuotedStringLiterals', false),
    timeout: integerOption(options, 'timeout', 0),
    defensive: booleanOption(options, 'defensive', true),
    allowExtension: booleanOption(options, 'allowExtension', false),
    limits: limitsOption(options),
    vfs: nameOption(options, 'vfs'),
    statement: statementOptions(options, STATEMENT_DEFAULTS),
  };
}

const STATEMENT_DEFAULTS: Required<StatementOptions> = {
  readBigInts: false,
  returnArrays: false,
  allowBareNamedParameters: true,
  allowUnknownNamedParameters: false,
};

export function pathArgument(path: unknown): string {
  let text: string | undefined;
  if (typeof path === 'string') text = path;
  else if (path instanceof Uint8Array) text = decode(path);
  else if (typeof path === 'object' && path !== null && 'href' in path && typeof path.href === 'string') {
    if (!path.href.startsWith('file:')) {
      throw Object.assign(new TypeError('The URL must be of scheme file:'), {
        code: 'ERR_INVALID_URL_SCHEME',
      });
    }
    text = path.href;
  }
  if (text === undefined || text.includes('\0')) {
    throw invalidArgType('The "path" argument must be a string, Uint8Array, or URL without null bytes.');
  }
  return text;
}
