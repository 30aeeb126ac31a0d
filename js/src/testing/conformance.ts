/** Runs cases, and says what came of them. */

import { equal } from './assert.js';
import type { ConformanceCase, RunOptions } from './case.js';
import { cases } from './cases.js';
import { type AnySubject, isRegistered } from './subject.js';

/** What came of one case. */
export interface ConformanceOutcome {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'not promised';
  /** Why it failed, or is not promised. */
  readonly why?: string;
}

/** How `conformance` runs cases. */
export interface ConformanceOptions extends RunOptions {
  /** Which cases; all if left out: `({ layer }) => layer === 'file'`. */
  readonly only?: (one: ConformanceCase) => boolean;
}

/** What a VFS does and does not promise, as far as the cases tell. As JSON it is what it holds; as text, a table for people. */
export class ConformanceReport {
  readonly subject: string;
  readonly outcomes: readonly ConformanceOutcome[];
  readonly passed: number;
  readonly failed: number;
  readonly notPromised: number;

  constructor(subject: string, outcomes: readonly ConformanceOutcome[]) {
    const count = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted).length;
    this.subject = subject;
    this.outcomes = outcomes;
    this.passed = count('passed');
    this.failed = count('failed');
    this.notPromised = count('not promised');
  }

  toString(): string {
    const width = Math.max(0, ...this.outcomes.map(({ name }) => name.length));
    const marks = { passed: 'ok', failed: 'FAILED', 'not promised': '-' };
    const rows = this.outcomes.map(({ name, outcome, why }) =>
      `${marks[outcome].padEnd(6)}  ${name.padEnd(width)}  ${why ?? ''}`.trimEnd(),
    );
    const sums = `${this.passed} passed, ${this.failed} failed, ${this.notPromised} not promised`;
    return [`${this.subject}: ${sums}`, ...rows].join('\n');
  }
}

/** Runs the cases on a VFS, one after another. It answers whatever fails; a runner of tests takes `cases` instead. */
export async function conformance(
  subject: AnySubject,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  // A VFS known by name has no methods to call: its report is of SQL alone.
  const layers = isRegistered(subject) ? ['sql'] : ['file', 'sql'];
  const { only = () => true } = options;
  equal(typeof only, 'function', 'type of `only`');
  const outcomes: ConformanceOutcome[] = [];
  for (const one of cases.filter((one) => layers.includes(one.layer) && only(one))) {
    outcomes.push({ name: one.name, ...(await outcomeOf(one, subject, options)) });
  }
  return new ConformanceReport(subject.name, outcomes);
}

async function outcomeOf(
  one: ConformanceCase,
  subject: AnySubject,
  options: RunOptions,
): Promise<Omit<ConformanceOutcome, 'name'>> {
  try {
    return await one.run(subject, options);
  } catch (error) {
    return { outcome: 'failed', why: error instanceof Error ? error.message || error.name : String(error) };
  }
}
