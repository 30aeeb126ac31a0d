// The benchmarks themselves: that every suite still runs, in small, and that what is said of it is right.

import { describe, expect, test } from 'vitest';
import { measure, type Result } from './measure.js';
import { check, json, type Report, table } from './report.js';
import { available, type Bench, type Case, LeftOut, type Subject, type Suite } from './suite.js';
import { suiteNamed, suites } from './suites/index.js';

describe.each(Object.keys(suites))('suite %s', (name) => {
  test('runs, and its subjects compute the same', { timeout: 120_000 }, async ({ skip }) => {
    const suite = await suiteNamed(name);
    skip(suite.lacks?.() !== undefined);
    expect(suite.name).toBe(name);
    const { runs, results, how } = await measure(suite, { runs: 1, scale: 0.002 });
    expect(runs).toBe(1);
    const subjects = (await suite.subjects()).map((subject) => subject.name);
    expect(results.map((result) => `${result.case}, ${result.subject}`)).toEqual(
      suite.cases.flatMap((one) => subjects.map((subject) => `${one.name}, ${subject}`)),
    );
    for (const { ms } of results) expect(ms.median).toBeGreaterThanOrEqual(0);
    // A kind of work that a subject does not name would read "undefined".
    for (const words of how) expect(words).toMatch(/^(?!.*undefined)./);
  });

  test('requires of cases and subjects that it has', async ({ skip }) => {
    const suite = await suiteNamed(name);
    skip(suite.lacks?.() !== undefined);
    const cases = suite.cases.map((one) => one.name);
    const subjects = (await suite.subjects()).map((subject) => subject.name);
    const here = [...subjects];
    subjects.push(...((await suite.leftOut?.()) ?? []).map(({ subject }) => subject));
    for (const requirement of suite.requirements) {
      expect(cases).toContain(requirement.case);
      expect(here).toContain(requirement.subject);
      for (const other of requirement.over ?? []) expect(subjects).toContain(other);
    }
    for (const baseline of suite.baseline) expect(subjects).toContain(baseline);
  });
});

describe('measuring', () => {
  test('interleaves subjects run by run, each the first in turn, after runs that are not counted', async () => {
    const order: string[] = [];
    const { results } = await measure(
      suiteOf({ a: { run: () => void order.push('a') }, b: { run: () => void order.push('b') } }),
      { runs: 3 },
    );
    // These are so short that as many as are ever needed warm up, and that each counts many times.
    const [a, b] = ['a'.repeat(20), 'b'.repeat(20)];
    expect(order.join('')).toBe(`${'abba'.repeat(20)}${a}${b}${b}${a}${a}${b}`);
    expect(results.map(({ subject }) => subject)).toEqual(['a', 'b']);
  });

  test('warms up each subject for as long as it needs', async () => {
    const order: string[] = [];
    const busy = (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; );
    };
    await measure(
      suiteOf({
        slow: {
          run() {
            order.push('s');
            busy(400);
          },
        },
        quick: { run: () => void order.push('q') },
      }),
      { runs: 1 },
    );
    expect(order.join('')).toBe(`sq${'q'.repeat(39)}sq`);
  });

  test('only looks whether a small part of the work runs', async () => {
    const order: string[] = [];
    const suite = suiteOf({ a: { run: () => void order.push('a') } });
    await measure(suite, { runs: 1, scale: 0.01 });
    // Once before, and then as often as so short a run is repeated.
    expect(order).toHaveLength(1 + 20);
  });

  test('says what an engine does not have, and why', async () => {
    const suite: Suite = {
      ...suiteOf({}),
      ...available<Subject>({
        here: () => ({ name: 'here', how: { thing: 'it does' } }),
        elsewhere() {
          throw new LeftOut('of another planet');
        },
      }),
    };
    const measured = await measure(suite);
    expect(measured.results.map(({ subject }) => subject)).toEqual(['here']);
    expect(measured.leftOut).toEqual([{ subject: 'elsewhere', why: 'of another planet' }]);
    const lines = table({ ...measured, suite: 'example', engine: 'node 1.2.3' }, suite);
    expect(lines).toContain('elsewhere is left out: of another planet');
    const broken = available<Subject>({
      broken() {
        throw new Error('a fault');
      },
    });
    await expect(broken.subjects()).rejects.toThrow('a fault');
  });

  test('counts the time of a part of the work as that of all of it', async () => {
    const { results, how } = await measure(
      suiteOf({
        whole: {},
        part: { factor: 20, run: () => new Promise((resolve) => setTimeout(resolve, 5)) },
      }),
    );
    expect(results[1]?.ms.min).toBeGreaterThan(20 * 4);
    expect(how).toEqual(['it does', 'it does; a part of the work, times 20']);
  });

  test('asks what a call takes of the heap, after the last run and before the end', async () => {
    const order: string[] = [];
    const { results } = await measure(
      suiteOf({
        a: {
          after: () => String(order.push('after') > 0),
          bytesPerCall: () => order.push('bytes') && 144,
          end: () => void order.push('end'),
        },
        b: { after: () => 'true', bytesPerCall: () => undefined },
      }),
    );
    expect(order.slice(-3)).toEqual(['after', 'bytes', 'end']);
    expect(results[0]).toHaveProperty('bytesPerCall', 144);
    expect(results[1]).not.toHaveProperty('bytesPerCall');
  });

  test('times run alone, and waits for it', async () => {
    const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
    const { results } = await measure(
      suiteOf({
        a: { run: () => {}, before: () => pause(20), after: () => pause(20).then(() => 'the same') },
        b: { run: () => pause(20) },
      }),
      { runs: 2 },
    );
    expect(results[0]?.ms.min).toBeLessThan(10);
    expect(results[1]?.ms.min).toBeGreaterThan(15);
  });

  test('fails when a subject computes something else', async () => {
    const suite = suiteOf({ a: { after: () => '1 row' }, b: { after: () => '2 rows' } });
    await expect(measure(suite)).rejects.toThrow('one: b computed 2 rows, and others 1 row');
  });

  test('fails where there is not what a suite needs, and says what', async () => {
    const suite: Suite = { ...suiteOf({ a: {} }), lacks: () => 'a clock' };
    await expect(measure(suite)).rejects.toThrow('suite example needs what this engine lacks, a clock');
  });

  test('fails when there is nothing to measure', async () => {
    await expect(measure(suiteOf({ a: {} }), { only: ['two'] })).rejects.toThrow('no such case; it has one');
  });
});

describe('reporting', () => {
  const suite: Suite = {
    ...suiteOf({ a: {}, b: {}, c: {} }),
    baseline: ['a', 'b'],
    requirements: [
      { case: 'one', subject: 'c', atMost: 0.5 },
      { case: 'two', subject: 'c', atMost: 0.5 },
      { case: 'one', subject: 'c', atMost: 0.25, over: ['b'] },
    ],
  };
  const report = (c: number): Report => ({
    suite: 'example',
    engine: 'node 1.2.3',
    runs: 3,
    results: [
      { case: 'one', subject: 'a', ms: { min: 9, median: 10, max: 11 } },
      { case: 'one', subject: 'b', ms: { min: 19, median: 20, max: 21 } },
      { case: 'one', subject: 'c', ms: { min: c, median: c, max: c } },
    ],
    how: ['a.b()', 'b.c()', 'c.d()'],
    leftOut: [],
  });

  test('gives programs what was measured', () => {
    const { how, leftOut, ...rest } = report(5);
    expect(how).toHaveLength(3);
    expect(JSON.parse(json(report(5)))).toEqual(rest);
  });

  test('gives people ratios to the fastest of the baseline', () => {
    const lines = table(report(4), suite).split('\n');
    expect(lines.find((line) => line.startsWith('one'))).toMatch(/a +9\.0 +10\.0 +11\.0 +1\.00x +a\.b\(\)$/);
    expect(lines.at(-1)).toMatch(/c +4\.0 +4\.0 +4\.0 +0\.40x +c\.d\(\)$/);
  });

  test('has a column for bytes where there are any', () => {
    const plain = report(4);
    expect(table(plain, suite)).not.toContain('bytes');
    const [first, ...others] = plain.results;
    const results = [{ ...(first as Result), bytesPerCall: 144 }, ...others];
    const lines = table({ ...plain, results }, suite).split('\n');
    expect(lines.find((line) => line.startsWith('one'))).toMatch(/1\.00x +144 +a\.b\(\)$/);
    expect(lines.at(-1)).toMatch(/0\.40x +c\.d\(\)$/);
  });

  test('holds a suite to its requirements, as far as they were measured', () => {
    const met = check(report(5), suite);
    expect(met.passed).toBe(true);
    expect(met.lines[0]).toMatch(/ok .*0\.500x/);
    expect(met.lines[1]).toMatch(/not measured/);
    expect(met.lines[2]).toMatch(/ok .*at most 0.25x that of b: 0\.250x/);
    const missed = check(report(5.01), suite);
    expect(missed.passed).toBe(false);
    expect(missed.lines[0]).toMatch(/FAIL .*0\.501x/);
    expect(missed.lines[2]).toMatch(/FAIL .*0\.251x/);
  });
});

/** A suite with one case, by what each subject does in it. */
function suiteOf(benches: Record<string, Partial<Bench>>): Suite {
  const one: Case = {
    name: 'one',
    about: 'it does one thing',
    uses: ['thing'],
    start: ({ name }) => ({ run: () => {}, after: () => 'the same', ...benches[name] }),
  };
  const subjects = Object.keys(benches).map((name): Subject => ({ name, how: { thing: 'it does' } }));
  return {
    name: 'example',
    about: 'it shows how',
    runs: 1,
    subjects: async () => subjects,
    cases: [one],
    baseline: [],
    requirements: [],
  };
}
