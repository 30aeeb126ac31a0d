/** The arguments of `backup`, checked. */
import { invalidArgType, outOfRange } from './errors.js';
import { integerOption, nameOption, optionsObject, stringOption } from './options.js';

/** How far a copy has come. */
export interface BackupProgress {
  totalPages: number;
  remainingPages: number;
}

/** How a database is copied. */
export interface BackupOptions {
  /** Which of the attached databases is copied: `'main'` if left out. */
  source?: string;
  /** Over which of the other's: `'main'` if left out. */
  target?: string;
  /** Pages that are copied at once; others run in between. 100 if left out. */
  rate?: number;
  /** Is told how far it has come, until it is done. What it throws ends the copy. */
  progress?: (progress: BackupProgress) => void;
  /** The VFS that keeps the copy, as for `DatabaseSync`: not in `node:sqlite`. */
  vfs?: string;
}

export interface BackupSettings {
  path: string;
  vfs: string | undefined;
  source: string;
  target: string;
  rate: number;
  progress: BackupOptions['progress'];
}

export function sourceArgument(value: unknown): object {
  if ((typeof value === 'object' && value !== null) || typeof value === 'function') return value;
  throw invalidArgType('The "sourceDb" argument must be an object.');
}

export function backupOptions(args: unknown[]): Omit<BackupSettings, 'path'> {
  const options = optionsObject(args[2], args.length > 2);
  const rate = integerOption(options, 'rate', 100);
  if (rate <= 0) throw outOfRange('The "options.rate" argument must be a positive integer.');
  const source = stringOption(options, 'source') ?? 'main';
  const target = stringOption(options, 'target') ?? 'main';
  const { progress } = options;
  if (progress !== undefined && typeof progress !== 'function') {
    throw invalidArgType('The "options.progress" argument must be a function.');
  }
  return {
    rate,
    source,
    target,
    progress: progress as BackupOptions['progress'],
    vfs: nameOption(options, 'vfs'),
  };
}
