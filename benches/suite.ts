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
  /** What it does, in a few words. */
  readonly about: string;
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
  /** What would be better still, and is not required. */
  readonly aim?: number;
  /** Subjects; the suite's baseline if left out. */
  readonly over?: readonly string[];
}

export interface Suite<S extends Subject = Subject> {
  readonly name: string;
  /** What it is to show, in a sentence. */
  readonly about: string;
  /** How many runs are timed when nothing else is asked for. */
  readonly runs: number;
  /** What it needs and this engine lacks, with advice; `undefined` for nothing. */
  lacks?(): string | undefined;
  /** Those that exist in the engine this runs in, ready for use. */
  subjects(): Promise<readonly S[]>;
  /** Those that do not; none if left out. */
  leftOut?(): Promise<readonly Missing[]>;
  /** The version of SQLite in one of them, where that is of interest. */
  sqlite?(subject: S): Promise<string>;
  readonly cases: readonly Case<S>[];
  /** Subjects that the others are compared with, case by case: with the fastest of them. */
  readonly baseline: readonly string[];
  /** The fastest of them, in words: where all their names would be too many. */
  readonly best?: string;
  readonly requirements: readonly Requirement[];
}

/** A subject that is not to be had in the engine this runs in. */
export interface Missing {
  subject: string;
  why: string;
}

/** Thrown by what makes a subject: the engine has no such thing, and the message says why. */
export class LeftOut extends Error {}

/** Makes subjects, by name, as far as they are to be had: once, when the first is asked for. */
export function available<S extends Subject>(
  wanted: Readonly<Record<string, () => S | Promise<S>>>,
): Required<Pick<Suite<S>, 'subjects' | 'leftOut'>> {
  const look = async () => {
    const subjects: S[] = [];
    const leftOut: Missing[] = [];
    for (const [subject, make] of Object.entries(wanted)) {
      try {
        subjects.push(await make());
      } catch (error) {
        if (!(error instanceof LeftOut)) throw error;
        leftOut.push({ subject, why: error.message });
      }
    }
    return { subjects, leftOut };
  };
  let looked: ReturnType<typeof look> | undefined;
  const found = () => {
    looked ??= look();
    return looked;
  };
  return {
    subjects: async () => (await found()).subjects,
    leftOut: async () => (await found()).leftOut,
  };
}

/** A part of a case's work, for all subjects: where all of it would take too long. */
export const part = <S extends Subject>(share: number, whole: Case<S>): Case<S> => ({
  ...whole,
  start: (subject, scale) => whole.start(subject, scale * share),
});

/** Numbers of a workload at a scale: never so few that nothing is tested. */
export const scaled = (count: number, scale: number): number => Math.max(10, Math.round(count * scale));

/** What was asked for does not exist; the message says what does. */
export class Mistaken extends Error {}
