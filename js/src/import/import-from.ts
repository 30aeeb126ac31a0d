/** Takes databases over from another place. */
import { invalidArgType, invalidArgValue, invalidState } from '../errors.js';
import type { FacadeVFS } from '../facade.js';
import { init } from '../init.js';
import { booleanOption, nameArgument, optionsObject } from '../options.js';
import { getVFS } from '../vfs.js';
import { find, type ImportSource } from './find.js';
import type { ImportedDatabase, ImportReport } from './report.js';
import { type Found, listed, type SourceFile, sidecarsOf } from './source.js';
import { Staged, type StageOptions } from './staged.js';
import { refuseTwins, STAGE, type Target, targetOf } from './target.js';

/** Where databases go, and how. */
export interface ImportTarget {
  /**
   * A registered VFS by its name, `'memory'` by default; or a `FacadeVFS` itself, such as one that is registered with
   * `sqlite-vfs-kit/jspi`: then nobody may have the databases open meanwhile.
   */
  vfs?: string | FacadeVFS;
  /**
   * The path of a database there. For several a function, which gets each one's name at the source, and answers `undefined` for one that is to
   * stay out. Left out, they keep the names by which they were opened: `/my%20songs.db` is `my songs.db`.
   */
  path?: string | ((name: string) => string | undefined);
  /** A database that has the path already is replaced, once the new one is known to be whole. Left out, it is an error. */
  replace?: boolean;
  /** How it is looked through: `'integrity'`, by `PRAGMA integrity_check`, or `'quick'`, which leaves indexes out. */
  check?: 'integrity' | 'quick';
  /** What becomes of one in WAL mode: `'delete'` (the default) for a file that opens on any VFS; `'keep'`. */
  journalMode?: 'delete' | 'keep';
}

/**
 * Takes databases over: finds what the source is, copies it, has SQLite apply the journal or log it may have on the copy, checks the
 * copy, and puts it where it is to be. The source is read and never changed. Of several databases all are checked before the first is put in
 * place.
 *
 * ```ts
 * const root = await navigator.storage.getDirectory();
 * const pool = await root.getDirectoryHandle('.opfs-sahpool');
 * const report = await importFrom({ opfs: pool });
 * console.log(report.found); // an opfs-sahpool pool with 2 databases: /songs.db, /more.db
 * ```
 */
export async function importFrom(source: ImportSource, target: ImportTarget = {}): Promise<ImportReport> {
  const options = optionsObject(target, true);
  const stage: StageOptions = {
    check: oneOf(options, 'check', ['integrity', 'quick']) === 'quick' ? 'quick_check' : 'integrity_check',
    keepWal: oneOf(options, 'journalMode', ['delete', 'keep']) === 'keep',
  };
  const replace = booleanOption(options, 'replace', false);
  await init();
  const to = targetOf(options.vfs ?? STAGE);
  const found = await find(source);
  try {
    const chosen = pathsOf(found, target.path);
    await refuseExisting(to, [...chosen.values()], replace);
    return await take(found, chosen, to, stage);
  } finally {
    found.release?.();
  }
}

function oneOf<T extends string>(options: Record<string, unknown>, name: string, values: [T, T]): T {
  const value = options[name] ?? values[0];
  if (values.includes(value as T)) return value as T;
  throw invalidArgValue(`The "target.${name}" argument must be '${values.join("' or '")}'.`);
}

/** Which databases are imported, and the paths they get. */
function pathsOf(found: Found, path: ImportTarget['path']): Map<SourceFile, string> {
  const databases = found.files.filter(({ type }) => type === 'database');
  if (typeof path === 'string' && databases.length > 1) {
    throw invalidArgValue(
      `Found ${describe(found)}: "target.path" must be a function that gives each its path, and undefined to those that stay out.`,
    );
  }
  const chosen = new Map<SourceFile, string>();
  for (const database of databases) {
    const given = typeof path === 'function' ? path(database.name) : (path ?? nameOf(found, database));
    if (given === undefined) continue;
    if (nameArgument(given, 'target.path') === '') {
      throw invalidArgType('The source does not say the name of the database: give "target.path".');
    }
    chosen.set(database, given);
  }
  refuseTwins([...chosen.values()]);
  return chosen;
}

/** The name by which a database was opened. What VFSes take for an address has one with `/` in front, and `%20` for a space. */
function nameOf({ kind }: Found, { name }: SourceFile): string {
  if (kind === 'database' || kind === 'files') return name;
  try {
    return decodeURIComponent(name).replace(/^\/+/, '');
  } catch {
    return name;
  }
}

async function refuseExisting(to: Target, paths: string[], replace: boolean): Promise<void> {
  if (replace) return;
  for (const path of paths) {
    if (await to.exists(path)) {
      throw invalidState(
        `There is a '${path}' on '${to.name}' already: give another "target.path", or replace: true.`,
      );
    }
  }
}

async function take(
  found: Found,
  chosen: ReadonlyMap<SourceFile, string>,
  to: Target,
  options: StageOptions,
): Promise<ImportReport> {
  const memory = getVFS(STAGE);
  const staged: Staged[] = [];
  const warnings = [...found.warnings, ...orphans(found)];
  try {
    for (const database of chosen.keys()) staged.push(new Staged(memory, database));
    await copy(found, staged);
    found.release?.();
    const settled = staged.map((one) => one.settle(options, warnings));
    const databases: ImportedDatabase[] = [];
    for (const [i, one] of staged.entries()) {
      const path = chosen.get(one.source) as string;
      const replaced = await to.exists(path);
      await to.put(path, one).catch((error) => {
        throw half(error, databases, to);
      });
      databases.push({
        name: one.source.name,
        vfs: to.name,
        path,
        replaced,
        ...(settled[i] as (typeof settled)[0]),
      });
    }
    return { kind: found.kind, found: describe(found), databases, warnings };
  } finally {
    for (const one of staged) one.discard();
  }
}

async function copy(found: Found, staged: readonly Staged[]): Promise<void> {
  const owners = new Map<SourceFile, Staged>();
  for (const one of staged) {
    for (const file of [one.source, ...sidecarsOf(found, one.source)]) owners.set(file, one);
  }
  const supers = new Map<SourceFile, Uint8Array>();
  for (const file of found.files) if (file.type === 'super-journal') supers.set(file, new Uint8Array());
  await found.copy([...owners.keys(), ...supers.keys()], (file, bytes, offset) => {
    if (file.type === 'super-journal')
      supers.set(file, concat(supers.get(file) as Uint8Array, bytes, offset));
    else owners.get(file)?.write(file.type, bytes, offset);
  });
  for (const one of staged) {
    const name = one.superJournal;
    // Pools have full paths, and journals the names by which SQLite opened them.
    const there = [...supers].find(
      ([file]) => name && file.name.replace(/^\/+/, '') === name.replace(/^\/+/, ''),
    );
    if (name && there) one.addSuperJournal(name, there[1]);
  }
}

function concat(a: Uint8Array, b: Uint8Array, offset: number): Uint8Array {
  const both = new Uint8Array(Math.max(a.length, offset + b.length));
  both.set(a);
  both.set(b, offset);
  return both;
}

/** `an opfs-sahpool pool with 2 databases: /a.db, /b.db` */
function describe(found: Found): string {
  const names = found.files.filter(({ type }) => type === 'database').map(({ name }) => name);
  if (found.kind === 'database') return `the bytes of a database${names[0] ? `, '${names[0]}'` : ''}`;
  return `${found.what} with ${listed(names, 'database')}`;
}

/** Journals and logs whose databases are not there: what they hold cannot be had. */
function orphans(found: Found): string[] {
  const owned = new Set(
    found.files.flatMap((file) => (file.type === 'database' ? sidecarsOf(found, file) : [])),
  );
  return found.files
    .filter((file) => (file.type === 'journal' || file.type === 'wal') && !owned.has(file))
    .map(
      ({ name, type }) =>
        `'${name}' is a ${type === 'wal' ? 'log' : 'journal'} without a database, and was left out.`,
    );
}

/** Of several databases, some are in place and one would not go. */
function half(error: unknown, done: readonly ImportedDatabase[], to: Target): unknown {
  if (done.length === 0) return error;
  const names = done.map(({ path }) => `'${path}'`).join(', ');
  return invalidState(`${(error as Error).message}. In place already, on '${to.name}': ${names}.`, error);
}
