/** One iteration over a statement's rows. */
import { type Answer, andThen, atOnce, type Mode } from './answer.js';
import { invalidState } from './errors.js';
import { ALL, type Prepared, type Row } from './prepared.js';

/** Rows in the first batch; each further one has four times as many. */
const FIRST = 16;

/** Reads ahead by a batch, and hands out its rows. */
export class Cursor<M extends Mode = 'sync'> {
  readonly #prepared: Prepared<M>;
  readonly #use: number;
  #rows: Row[] = [];
  #next = 0;
  #size = FIRST;
  /** Nothing comes after the rows at hand; and why, if it is an error. */
  #last = false;
  #error: Error | undefined;
  #done = false;
  /** There has been no row. */
  #isNew = true;

  /** The statement: whoever iterates has not forgotten it. */
  readonly statement: object;

  /** It is made ready to be asked again when its first step fails. */
  readonly #again: boolean;

  /**
   * @param prepared Bound by now. Any other use of it ends the iteration.
   * @param again Whoever asks may ask again if the first step fails.
   */
  constructor(statement: object, prepared: Prepared<M>, again = false) {
    this.statement = statement;
    this.#again = again;
    this.#prepared = prepared;
    this.#use = prepared.use;
  }

  /** The next row is at hand. */
  get isReady(): boolean {
    return this.#next < this.#rows.length;
  }

  next(): Answer<M, IteratorResult<Row>> {
    const current = this.#prepared.isCurrent(this.#use);
    if (this.#done) return atOnce(end());
    if (!current) throw invalidState('iterator was invalidated');
    if (this.isReady || this.#last) return this.#step();
    return andThen(this.#read(), () => this.#step());
  }

  return(): Answer<M, IteratorResult<Row>> {
    // One that was invalidated has nothing to take back: the statement is another's by now.
    const isOpen = this.#prepared.isCurrent(this.#use) && !this.#done;
    this.#done = true;
    this.#rows = [];
    return isOpen ? andThen<M, void, IteratorResult<Row>>(this.#prepared.reset(), end) : atOnce(end());
  }

  #read(): Answer<M, void> {
    const size = this.#size;
    this.#size = Math.min(size * 4, ALL);
    return andThen(this.#prepared.rows(size), ({ rows, error, done }) => {
      this.#isNew = this.#isNew && rows.length === 0;
      this.#rows = rows;
      this.#next = 0;
      this.#error = error;
      this.#last = done || error !== undefined;
    });
  }

  #step(): Answer<M, IteratorResult<Row>> {
    if (this.isReady) return atOnce(result(false, this.#rows[this.#next++] as Row));
    const error = this.#error;
    this.#done = true;
    if (error === undefined) return atOnce(end());
    if (this.#again && this.#isNew) {
      this.#done = false;
      this.#last = false;
      this.#size = FIRST;
    }
    return andThen(this.#prepared.reset(), () => {
      throw error;
    });
  }
}

const end = () => result(true, null as unknown as Row);

/** Node's results have no prototype. */
function result(done: boolean, value: Row): IteratorResult<Row> {
  return Object.setPrototypeOf({ done, value }, null);
}
