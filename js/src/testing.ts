/**
 * The conformance kit: cases that any VFS can be run against, from any runner of tests, and a VFS that fails on purpose.
 *
 * ```ts
 * import { cases, conformance } from 'sqlite-vfs-kit/testing';
 *
 * const subject = { name: 'tape', create: () => new TapeVFS() };
 * console.log(String(await conformance(subject)));
 * // Or each case as a test:
 * for (const one of cases) test(one.name, () => one.run(subject));
 * ```
 *
 * Cases of one subject run one after another, since a VFS is registered by its name. A VFS that is async needs SQLite that waits:
 *
 * ```ts
 * import { AsyncDatabase, init, registerVFS, unregisterVFS } from 'sqlite-vfs-kit/jspi';
 *
 * const open = (path, options) => AsyncDatabase.open(path, options);
 * await conformance(subject, { engine: { init, register: registerVFS, unregister: unregisterVFS, open } });
 * ```
 *
 * @packageDocumentation
 */
export { ConformanceError } from './testing/assert.js';
export type { CaseOutcome, ConformanceCase, RunOptions } from './testing/case.js';
export { cases } from './testing/cases.js';
export {
  type ConformanceOptions,
  type ConformanceOutcome,
  ConformanceReport,
  conformance,
} from './testing/conformance.js';
export {
  type SqlConnection,
  type SqlEngine,
  type SqlOpenOptions,
  type SqlStatement,
  type SqlValue,
  syncEngine,
} from './testing/engine.js';
export { type Fault, type FaultMethod, FaultVFS } from './testing/fault-vfs.js';
export type { Need } from './testing/needs.js';
export { type Change, type RecordedChange, Recording, restore, type Unsynced } from './testing/recording.js';
export type { AnySubject, Promises, RegisteredSubject, Subject } from './testing/subject.js';
