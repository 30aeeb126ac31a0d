/** The statements of a text, run one after another so that one can be run again without those before it. */
import { type Answer, andThen, atOnce, type Mode } from './answer.js';
import type { Connection } from './connection.js';
import { writeParams } from './params.js';

export class Script<M extends Mode> {
  readonly #connection: Connection<M>;
  /** What was not run yet. */
  #rest: string;
  /** The one that is to be run, and how much of the text it has; 0 if it is to be prepared. */
  #statement = 0;
  #length = 0;

  constructor(connection: Connection<M>, sql: string) {
    this.#connection = connection;
    // Where C ends it.
    this.#rest = sql.split('\0', 1)[0] as string;
  }

  get isDone(): boolean {
    return this.#rest === '';
  }

  /** Prepares the next statement, or runs it: each may take locks, and each can be done again if it fails. */
  step(): Answer<M, void> {
    return this.#statement === 0 ? this.#prepare() : this.#run();
  }

  #prepare(): Answer<M, void> {
    const { context } = this.#connection;
    return andThen(this.#connection.prepare(this.#rest), (statement) => {
      if (statement === 0) {
        this.#rest = '';
        return;
      }
      this.#statement = statement;
      return andThen(context.exports.kit_sql(statement, 0) as Answer<M, void>, () => {
        // The text up to where the next one begins.
        this.#length = (context.text() as string).length;
      });
    });
  }

  #run(): Answer<M, void> {
    const { context } = this.#connection;
    const ran = context.exports.kit_run(this.#statement, writeParams(context, []), 0) as Answer<M, number>;
    return andThen(ran, (code) => {
      this.#connection.check(code);
      this.#rest = this.#rest.slice(this.#length);
      return this.end();
    });
  }

  /** Frees the statement that failed, if there is one. */
  end(): Answer<M, void> {
    const statement = this.#statement;
    this.#statement = 0;
    return statement === 0 ? atOnce(undefined) : this.#connection.finalize(statement);
  }
}
