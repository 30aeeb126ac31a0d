/** Runs a suite: each case with all its subjects, interleaved run by run, so that a slow minute of the machine hits them all. */
import { profiled, type Share } from './profile.js';
import { type Bench, type Case, type Missing, Mistaken, type Subject, type Suite } from './suite.js';

export interface Options {
  runs?: number;
  scale?: number;
  /** Only cases whose name has one of these texts in it. */
  only?: readonly string[];
  /** Also tells where the time of what the requirements are about goes, where the engine says it. */
  profile?: boolean;
  progress?(line: string): void;
}

export interface Milliseconds {
  min: number;
  median: number;
  max: number;
}

export interface Result {
  case: string;
  subject: string;
  ms: Milliseconds;
  /** Bytes of the heap that a call takes, where the case asks for it and the engine tells. */
  bytesPerCall?: number;
  profile?: readonly Share[];
}

export interface Measured {
  runs: number;
  results: Result[];
  /** For each result, in the same order: how the subject was driven. */
  how: string[];
  /** Subjects that this engine does not have. */
  leftOut: readonly Missing[];
  /** The version of SQLite in each subject, if the suite says it. */
  sqlite?: Record<string, string>;
}

export async function measure(suite: Suite, options: Options = {}): Promise<Measured> {
  const { runs = suite.runs, scale = 1, only, profile = false, progress = () => {} } = options;
  const cases = suite.cases.filter(({ name }) => only?.some((text) => name.includes(text)) ?? true);
  if (cases.length === 0) {
    throw new Mistaken(
      `suite ${suite.name} has no such case; it has ${suite.cases.map(({ name }) => name).join(', ')}`,
    );
  }
  const lacking = suite.lacks?.();
  if (lacking !== undefined)
    throw new Mistaken(`suite ${suite.name} needs what this engine lacks, ${lacking}`);
  const subjects = await suite.subjects();
  const measured: Measured = { runs, results: [], how: [], leftOut: (await suite.leftOut?.()) ?? [] };
  if (suite.sqlite) {
    measured.sqlite = {};
    for (const subject of subjects) measured.sqlite[subject.name] = await suite.sqlite(subject);
  }
  for (const one of cases) {
    const profiles = (name: string) =>
      profile && suite.requirements.some((other) => other.case === one.name && other.subject === name);
    const taken = await measureCase(one, subjects, { runs, scale, progress }, profiles);
    for (const [i, subject] of subjects.entries()) {
      const { times, factor, bytesPerCall, profile } = taken[i] as Taken;
      const ms = summary(times.map((time) => time * factor));
      measured.results.push({
        case: one.name,
        subject: subject.name,
        ms,
        ...(bytesPerCall !== undefined && { bytesPerCall }),
        ...(profile && { profile }),
      });
      const how = one.uses.map((kind) => subject.how[kind]).join('; ');
      measured.how.push(factor === 1 ? how : `${how}; a part of the work, times ${Math.round(factor)}`);
    }
  }
  return measured;
}

/** Runs of each subject before anything counts: at least one, and more of short ones, which engines would else compile in the middle. */
const warmUp = { runs: 40, ms: 300 };

/** With no more than this part of the work one looks whether a suite runs: once is enough then. */
const glance = 0.01;

/** A timed run of short work does it several times and takes the mean: the clock and the machine's whims weigh more on 5 ms than on 100. */
const lap = { ms: 60, most: 20, slowest: 200 };

/** What a subject took for a case. */
interface Taken {
  times: number[];
  factor: number;
  bytesPerCall: number | undefined;
  profile: readonly Share[] | undefined;
}

async function measureCase(
  one: Case,
  subjects: readonly Subject[],
  { runs, scale, progress }: Required<Omit<Options, 'only' | 'profile'>>,
  profiles: (subject: string) => boolean,
): Promise<Taken[]> {
  progress(`${one.name}: getting ready`);
  const benches: Bench[] = [];
  for (const subject of subjects) benches.push(await one.start(subject, scale));
  const times = subjects.map((): number[] => []);
  let expected: string | undefined;
  const warming = subjects.map(() => 0);
  const lastWarming = subjects.map(() => 0);
  for (let run = 0, counted = 0; counted < runs; run++) {
    const isWarm = (i: number) =>
      run >= (scale > glance ? warmUp.runs : 1) || (warming[i] as number) >= warmUp.ms;
    const warm = subjects.every((_, i) => isWarm(i));
    if (warm) counted++;
    const laps = warm ? lapsFor(lastWarming) : 1;
    const line = [];
    for (let turn = 0; turn < subjects.length; turn++) {
      // Another one begins each time: the first of a run may pay for what the last one left behind.
      const i = (turn + run) % subjects.length;
      // One that is slow need not go on while the others get there.
      if (!warm && isWarm(i)) continue;
      const { name } = subjects[i] as Subject;
      const { time, computed } = await timed(benches[i] as Bench, laps);
      expected ??= computed;
      if (computed !== expected) {
        throw new Error(`${one.name}: ${name} computed ${computed}, and others ${expected}`);
      }
      if (warm) (times[i] as number[]).push(time);
      else {
        warming[i] = (warming[i] as number) + time;
        lastWarming[i] = time;
      }
      line.push(`${name} ${time.toFixed(1)}`);
    }
    progress(`${one.name}: ${warm ? `run ${counted} of ${runs}` : 'warm-up'}: ${line.join(', ')}`);
  }
  const taken: Taken[] = [];
  for (const [i, bench] of benches.entries()) {
    const bytesPerCall = await bench.bytesPerCall?.();
    const profile = profiles((subjects[i] as Subject).name)
      ? await profiled(
          () => bench.before?.(),
          () => bench.run(),
        )
      : undefined;
    taken.push({ times: times[i] as number[], factor: bench.factor ?? 1, bytesPerCall, profile });
    await bench.end?.();
  }
  return taken;
}

/** The same number for all: what the fastest needs, and the slowest can bear. */
function lapsFor(times: readonly number[]): number {
  const needed = Math.min(lap.most, lap.ms / Math.min(...times));
  return Math.max(1, Math.floor(Math.min(needed, lap.slowest / Math.max(...times))));
}

/** The mean of so many laps. */
async function timed(bench: Bench, laps: number): Promise<{ time: number; computed: string }> {
  let time = 0;
  let computed = '';
  for (let done = 0; done < laps; done++) {
    await bench.before?.();
    // What others left behind is not collected in this one's time. Engines have `gc` when started with --expose-gc.
    if (done === 0) globalThis.gc?.();
    const started = performance.now();
    let result = bench.run();
    if (result instanceof Promise) result = await result;
    time += performance.now() - started;
    computed = await bench.after(result);
  }
  return { time: time / laps, computed };
}

function summary(times: readonly number[]): Milliseconds {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (index: number) => sorted[index] as number;
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
  return { min: rounded(at(0)), median: rounded(median), max: rounded(at(sorted.length - 1)) };
}

/** To the microsecond; finer is noise everywhere. */
const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
