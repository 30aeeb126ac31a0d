/** Classes that wa-sqlite ships, with the methods that its types leave out. */
import { MemoryAsyncVFS as Async } from '@journeyapps/wa-sqlite/src/examples/MemoryAsyncVFS.js';
import { MemoryVFS as Sync } from '@journeyapps/wa-sqlite/src/examples/MemoryVFS.js';
import type { WaSqliteModule, WaSqliteVFS } from '../../src/compat/wa-sqlite.js';

interface Theirs extends WaSqliteVFS {
  jOpen(name: string | null, fileId: number, flags: number, pOutFlags: DataView): number;
  jRead(fileId: number, pData: Uint8Array, iOffset: number): number;
  jWrite(fileId: number, pData: Uint8Array, iOffset: number): number;
  jLock(fileId: number, lockType: number): number;
  jFileControl(fileId: number, op: number, pArg: DataView): number;
  close(): unknown;
}

interface Class {
  new (name: string, module: WaSqliteModule): Theirs;
  create(name: string, module: WaSqliteModule): Promise<Theirs>;
}

export const MemoryVFS = Sync as unknown as Class;
export const MemoryAsyncVFS = Async as unknown as Class;

/** The cases of the conformance kit that MemoryVFS fails by its own fault, wherever it runs: docs/wa-sqlite-vfses.md. */
export const memoryFaults = [
  'open/exclusive-refuses-what-is-there',
  'write/at-random',
  'truncate/longer',
  'truncate/leaves-no-old-bytes',
  'truncate/around-512',
  'truncate/around-4096',
  'truncate/around-65536',
  'truncate/then-goes-on',
  'names/hash',
  'names/question-mark',
  'names/url',
  'names/longest-ascii',
  'names/longest-of-two-bytes',
  'names/longest-of-four-bytes',
  'names/similar-are-different',
  'sql-names/hash',
  'sql-names/question-mark',
  'sql-names/url',
];
