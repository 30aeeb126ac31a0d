/** The statements of a text, run one after another so that one can be run again without those before it. */
import { type Answer, andThen, type Mode } from './answer.js';
import type { Connection } from './connection.js';
import { writeParams } from './params.js';

export class Script {
  /** What was not run yet. */
  #rest: string;

  constructor(sql: string) {
    // Where C ends it.
    this.#rest = sql.split('\0', 1)[0] as string;
  }

  get isDone(): boolean {
    return this.#rest === '';
  }

  /** Runs the next statement. If it fails, it is the next one again. */
  next<M extends Mode>(connection: Connection<M>): Answer<M, void> {
    const { context } = connection;
    const { exports } = context;
    return andThen(connection.prepare(this.#rest), (statement) => {
      if (statement === 0) {
        this.#rest = '';
        return;
      }
      return andThen(exports.kit_sql(statement, 0) as Answer<M, void>, () => {
        // The text up to where the next one begins.
        const { length } = context.text() as string;
        const ran = exports.kit_run(statement, writeParams(context, []), 0) as Answer<M, number>;
        return andThen(ran, (code) => {
          const failed = failureOf(() => connection.check(code));
          return andThen(connection.finalize(statement), () => {
            if (failed) throw failed.error;
            this.#rest = this.#rest.slice(length);
          });
        });
      });
    });
  }
}

/** The error is asked for before the statement is gone, and SQLite has another. */
function failureOf(check: () => void): { error: unknown } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return { error };
  }
}
