/** A case, and how it is run. */
import { type SqlEngine, syncEngine } from './engine.js';
import { FilePlace } from './file-place.js';
import { missing, type Need } from './needs.js';
import { NotPromised } from './not-promised.js';
import { SqlPlace } from './sql-place.js';
import { type AnySubject, isRegistered } from './subject.js';

/** What a case comes to when it does not fail. */
export type CaseOutcome = { outcome: 'passed' } | { outcome: 'not promised'; why: string };

/** How cases are run. */
export interface RunOptions {
  /** The build of SQLite; the sync one if left out. */
  readonly engine?: SqlEngine;
  /** Every crash point and the long loops, not samples of them. Off if left out. */
  readonly full?: boolean;
}

/** One thing that a VFS must do. */
export interface ConformanceCase {
  /** Its group and what it is about: `'read/short-at-end'`. */
  readonly name: string;
  readonly group: string;
  /** Calls the VFS by itself (`file`), or has SQLite call it (`sql`). */
  readonly layer: 'file' | 'sql';
  /** Where a VFS lacks one of them, the case is not promised. */
  readonly needs: readonly Need[];
  /** Runs it on a place of its own. What is wrong is thrown. */
  run(subject: AnySubject, options?: RunOptions): Promise<CaseOutcome>;
}

/** A function that makes the cases of a group which call the VFS by themselves. */
export function fileCases(group: string, ...groupNeeds: Need[]) {
  return (name: string, needs: Need[], body: (place: FilePlace) => Promise<void>): ConformanceCase =>
    makeCase(
      'file',
      group,
      name,
      ['javascript', ...groupNeeds, ...needs],
      async (subject, { full = false }) => {
        if (isRegistered(subject)) throw new NotPromised('it is known by name alone');
        const place = await FilePlace.create(subject, full);
        await lastly(
          () => body(place),
          () => place.end(),
        );
      },
    );
}

/** As `fileCases`, for those that go through SQLite. */
export function sqlCases(group: string, ...groupNeeds: Need[]) {
  return (name: string, needs: Need[], body: (place: SqlPlace) => Promise<void>): ConformanceCase =>
    makeCase('sql', group, name, [...groupNeeds, ...needs], async (subject, options) => {
      const { engine = syncEngine, full = false } = options;
      await engine.init?.();
      const place = new SqlPlace(subject, engine, full);
      await lastly(
        () => body(place),
        () => place.end(),
      );
    });
}

function makeCase(
  layer: 'file' | 'sql',
  group: string,
  name: string,
  needs: Need[],
  body: (subject: AnySubject, options: RunOptions) => Promise<void>,
): ConformanceCase {
  const all: Need[] = needs.includes('read only') ? needs : ['writing', ...needs];
  return {
    name: `${group}/${name}`,
    group,
    layer,
    needs: [...new Set(all)],
    async run(subject, options = {}) {
      const why = await missing(all, subject);
      if (why !== undefined) return { outcome: 'not promised', why };
      try {
        await body(subject, options);
      } catch (error) {
        if (error instanceof NotPromised) return { outcome: 'not promised', why: error.message };
        throw error;
      }
      return { outcome: 'passed' };
    },
  };
}

/** Clears up after a case. What fails there counts only if the case itself did not. */
async function lastly(body: () => Promise<void>, end: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    await end().catch(() => {});
    throw error;
  }
  await end();
}
