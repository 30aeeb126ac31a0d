/** What a suite is made of. A suite is one file, and so are a workload and a subject. */

/** What is measured: a library, or one way of using it. */
export interface Subject {
  readonly name: string;
  /** The way it is driven, by kind of work; a case names the kinds that it `uses`. */
  readonly how: Readonly<Record<string, string>>;
}

/** A piece of work that all subjects of a suite do. */
export interface Case<S extends Subject = Subject> {
  readonly name: string;
  /** Keys of its subjects' `how`. */
  readonly uses: readonly string[];
  /** Called once for each subject, before the first run. `scale` is 1 for the full size. */
  start(subject: S, scale: number): Bench | Promise<Bench>;
}

/** A case, got ready for one subject. Only `run` is timed. */
export interface Bench<Result = unknown> {
  /** `run` does a part of the work, where all of it would take minutes, and its time counts so many times; 1 if left out. */
  readonly factor?: number;
  before?(): void | Promise<void>;
  run(): Result | Promise<Result>;
  /**
   * Says what the run computed, in a text that is the same for every subject and run. That is checked, so a subject cannot be
   * fast by doing less.
   */
  after(result: Result): string | Promise<string>;
  /** After the last run: how many bytes of the heap one call of the case takes, where the engine tells. */
  bytesPerCall?(): number | undefined | Promise<number | undefined>;
  /** At last. */
  end?(): void | Promise<void>;
}

/** What a suite is to show: the median of `subject`, over that of the fastest of `over`, is at most so much. */
export interface Requirement {
  readonly case: string;
  readonly subject: string;
  readonly atMost: number;
  /** Subjects; the suite's baseline if left out. */
  readonly over?: readonly string[];
}

export interface Suite<S extends Subject = Subject> {
  readonly name: string;
  /** How many runs are timed when nothing else is asked for. */
  readonly runs: number;
  /** What it needs and this engine lacks, with advice; `undefined` for nothing. */
  lacks?(): string | undefined;
  /** Those that exist in the engine this runs in, ready for use. */
  subjects(): Promise<readonly S[]>;
  readonly cases: readonly Case<S>[];
  /** Subjects that the others are compared with, case by case: with the fastest of them. */
  readonly baseline: readonly string[];
  readonly requirements: readonly Requirement[];
}

/** Numbers of a workload at a scale: never so few that nothing is tested. */
export const scaled = (count: number, scale: number): number => Math.max(10, Math.round(count * scale));

/** What was asked for does not exist; the message says what does. */
export class Mistaken extends Error {}
