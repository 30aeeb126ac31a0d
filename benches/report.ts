/** What was measured, for people and for programs. */
import type { Measured, Result } from './measure.js';
import type { Requirement, Suite } from './suite.js';

export interface Report extends Measured {
  suite: string;
  engine: string;
}

/** For programs: JSON. */
export function json({ suite, engine, runs, results }: Report): string {
  return JSON.stringify({ suite, engine, runs, results });
}

/** For people: a table with, for each subject, how many times as long as the baseline it took. */
export function table(report: Report, suite: Suite): string {
  const bytes = report.results.some(({ bytesPerCall }) => bytesPerCall !== undefined);
  const rows = report.results.map((result, i) => {
    const { min, median, max } = result.ms;
    const ratio = over(suite.baseline, result, report);
    return [
      report.results[i - 1]?.case === result.case ? '' : result.case,
      result.subject,
      ms(min),
      ms(median),
      ms(max),
      ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
      ...(bytes ? [String(result.bytesPerCall ?? '')] : []),
      report.how[i] as string,
    ];
  });
  const head = ['case', 'subject', 'min', 'median', 'max', 'ratio', ...(bytes ? ['bytes'] : []), 'how'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] as string).length)),
  );
  const isNumber = (column: number) => column >= 2 && column < head.length - 1;
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (isNumber(i) ? cell.padStart(widths[i] as number) : cell.padEnd(widths[i] as number)))
      .join('  ')
      .trimEnd();
  const among = suite.baseline.filter((name) => report.results.some(({ subject }) => subject === name));
  return [
    `${report.suite}, ${report.engine}: milliseconds; timed runs: ${report.runs}, after warming up`,
    `ratio: the median over that of ${oneOf(among)}`,
    ...report.leftOut.map(({ subject, why }) => `${subject} is left out: ${why}`),
    ...(bytes ? ['bytes: what a call takes of the heap of JavaScript'] : []),
    '',
    line(head),
    ...rows.map((row) => (row[0] === '' ? line(row) : `\n${line(row)}`)),
  ].join('\n');
}

export const oneOf = (names: readonly string[]): string =>
  names.length === 1 ? (names[0] as string) : `the fastest of ${names.join(', ')}`;

const ms = (time: number): string => time.toFixed(time < 100 ? 1 : 0);

/** A requirement, and what came of it. */
export interface Judged {
  requirement: Requirement;
  /** What it is held against, as far as it was measured. */
  against: readonly string[];
  /** `undefined` where it was not measured. */
  ratio: number | undefined;
  met: boolean;
}

/** Each of the suite's requirements. What was not measured is not held against anyone. */
export function judge(report: Report, suite: Suite): Judged[] {
  return suite.requirements.map((requirement) => {
    const wanted = requirement.over ?? suite.baseline;
    const measured = wanted.filter((name) => report.results.some(({ subject }) => subject === name));
    const result = report.results.find(
      (other) => other.case === requirement.case && other.subject === requirement.subject,
    );
    const ratio = result && over(wanted, result, report);
    return {
      requirement,
      against: measured.length === 0 ? wanted : measured,
      ratio,
      met: ratio === undefined || ratio <= requirement.atMost,
    };
  });
}

/** The suite's requirements, each with its figure. */
export function check(report: Report, suite: Suite): { lines: string[]; passed: boolean } {
  const judged = judge(report, suite);
  const lines = judged.map(({ requirement, against, ratio, met }) => {
    const most = `${requirement.atMost.toFixed(2)}x${requirement.over ? ` that of ${oneOf(against)}` : ''}`;
    const what = `${requirement.case}: ${requirement.subject} at most ${most}`;
    if (ratio === undefined) return `  --  ${what}: not measured`;
    return `${met ? '  ok' : 'FAIL'}  ${what}: ${ratio.toFixed(3)}x`;
  });
  return { lines, passed: judged.every(({ met }) => met) };
}

/** How many times as long as the fastest of the others a subject took: medians. */
function over(names: readonly string[], result: Result, report: Report): number | undefined {
  const others = report.results.filter(
    (other) => other.case === result.case && names.includes(other.subject),
  );
  if (others.length === 0) return undefined;
  return result.ms.median / Math.min(...others.map((other) => other.ms.median));
}
