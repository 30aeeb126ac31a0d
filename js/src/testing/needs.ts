/** What cases need of a VFS, and why one does not have it. */
import type { FacadeVFS } from '../facade.js';
import * as VFS from '../vfs-constants.js';
import { isPromise } from './later.js';
import { type AnySubject, isRegistered, type Promises, type Subject } from './subject.js';

/** What a case may need beyond what every VFS has to do. */
export type Need =
  /** Its methods can be called, and be made to fail. */
  | 'javascript'
  | 'writing'
  | 'read only'
  | 'reopening'
  | 'temporary files'
  /** Files beyond 4 GiB. */
  | 'large files'
  | 'several connections'
  | 'attached databases'
  /** Files that lock themselves. */
  | 'own locks'
  | 'full names'
  | 'batch atomic'
  /** Journals that are files, where the others do without. */
  | 'journal files'
  /** A write-ahead log, by exclusive locking or not. */
  | 'wal'
  /** A write-ahead log that several connections use. */
  | 'shared wal'
  /** Methods that answer at once. */
  | 'sync';

/** What a VFS shows by itself. */
interface Traits {
  readonly async: boolean;
  readonly locks: boolean;
  readonly walIndex: boolean;
  readonly batchAtomic: boolean;
  readonly fullNames: boolean;
}

const NOTHING: Traits = { async: false, locks: false, walIndex: false, batchAtomic: false, fullNames: false };

/** 4 GiB and what cases need beyond. */
const LARGE = 2 ** 32 + 2 ** 20;

const known = new WeakMap<Subject, Promise<Traits>>();

/** Looks at a VFS once. One that cannot even be looked at shows nothing; the cases will say what is wrong with it. */
function traitsOf(subject: Subject): Promise<Traits> {
  let traits = known.get(subject);
  if (traits === undefined) {
    traits = look(subject);
    known.set(subject, traits);
  }
  return traits;
}

async function look(subject: Subject): Promise<Traits> {
  const readOnly = subject.promises?.readOnly === true;
  const vfs = await subject.create(readOnly ? new Map([['traits', new Uint8Array(1)]]) : undefined);
  try {
    return await traits(vfs, readOnly);
  } finally {
    await subject.destroy?.(vfs);
  }
}

async function traits(vfs: FacadeVFS, readOnly: boolean): Promise<Traits> {
  const access = readOnly ? VFS.SQLITE_OPEN_READONLY : VFS.SQLITE_OPEN_READWRITE | VFS.SQLITE_OPEN_CREATE;
  const known = { ...NOTHING, async: vfs.async === true, fullNames: vfs.fullPathname !== undefined };
  try {
    const path = (await vfs.fullPathname?.('traits')) ?? 'traits';
    const details = { database: path, parameters: new URLSearchParams() };
    const opened = vfs.open(path, access | VFS.SQLITE_OPEN_MAIN_DB, details);
    // A promise of a VFS that has none to give: the cases find it.
    if (isPromise(opened) && vfs.async !== true) opened.then(undefined, () => {});
    const file = await opened;
    const characteristics = file.deviceCharacteristics?.() ?? 0;
    const found = {
      ...known,
      locks: file.lock !== undefined,
      walIndex: file.walIndex !== undefined,
      batchAtomic: (characteristics & VFS.SQLITE_IOCAP_BATCH_ATOMIC) !== 0,
    };
    await file.close();
    return found;
  } catch {
    return known;
  }
}

/** Why the VFS does not have what a case needs; undefined if it has all of it. */
export async function missing(needs: readonly Need[], subject: AnySubject): Promise<string | undefined> {
  const traits = isRegistered(subject) ? undefined : await traitsOf(subject);
  for (const need of needs) {
    const why = isRegistered(subject)
      ? missingByName(need, subject.promises ?? {})
      : missingOf(need, subject, subject.promises ?? {}, traits ?? NOTHING);
    if (why !== undefined) return why;
  }
  return undefined;
}

function missingOf(need: Need, subject: Subject, promises: Promises, traits: Traits): string | undefined {
  const wal = promises.wal ?? (traits.walIndex ? 'shared' : 'exclusive');
  switch (need) {
    case 'reopening':
      return unless(subject.reopen !== undefined, 'nothing outlives the VFS: the subject has no `reopen`');
    case 'own locks':
      return unless(traits.locks, 'its files have no `lock`: the kit locks for them');
    case 'full names':
      return unless(traits.fullNames, 'it has no `fullPathname`: names are full already');
    case 'batch atomic':
      return unless(traits.batchAtomic, 'its files do not say SQLITE_IOCAP_BATCH_ATOMIC');
    case 'journal files':
      return unless(!traits.batchAtomic, 'it commits batches of writes, without a journal');
    case 'sync':
      return unless(!traits.async, 'it is async');
    default:
      return promised(need, promises, wal);
  }
}

function missingByName(need: Need, promises: Promises): string | undefined {
  switch (need) {
    case 'javascript':
    case 'sync':
    case 'own locks':
    case 'full names':
    case 'batch atomic':
    case 'reopening':
      return 'it is known by name alone';
    default:
      return promised(need, promises, promises.wal ?? 'none');
  }
}

function promised(need: Need, promises: Promises, wal: Promises['wal']): string | undefined {
  switch (need) {
    case 'writing':
      return unless(promises.readOnly !== true, 'it can only be read');
    case 'read only':
      return unless(promises.readOnly === true, 'it can be written');
    case 'temporary files':
      return unless(promises.temporaryFiles !== false, 'it has no temporary files');
    case 'large files':
      return unless(
        (promises.maxFileSize ?? 0) >= LARGE,
        promises.maxFileSize === undefined
          ? '`maxFileSize` is not stated'
          : `files end at ${promises.maxFileSize} bytes`,
      );
    case 'several connections':
      return unless(promises.connections !== false, 'it is for one connection at a time');
    case 'attached databases':
      return unless(promises.attached !== false, 'it has no transactions over several files');
    case 'wal':
      return unless(wal !== 'none', 'it has no write-ahead logs');
    case 'shared wal':
      return unless(
        wal === 'shared',
        wal === 'none' ? 'it has no write-ahead logs' : 'its files have no `walIndex`',
      );
    default:
      return undefined;
  }
}

const unless = (has: boolean, why: string): string | undefined => (has ? undefined : why);
