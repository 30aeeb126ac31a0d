/** Contexts of calls that can be suspended while those of other connections run: a connection has one of its own. */
import { Context } from './context.js';
import type { Engine, Exports } from './engine.js';

/** The buffers of one connection's calls, of which there is one at a time. */
export class SuspendableContext extends Context<'async'> {
  readonly #switch: Switch;

  constructor(engine: Engine) {
    const turn = new Switch(engine);
    super(engine, turn.exports);
    this.#switch = turn;
  }

  override free(): void {
    this.#switch.free();
  }
}

/** Takes the engine into a context for the time of a call. */
class Switch {
  readonly #engine: Engine;
  /** The engine's, each of which is called in this context. */
  readonly exports: Exports<'async'>;

  constructor(engine: Engine) {
    this.#engine = engine;
    const table: Record<string, unknown> = {};
    for (const name in engine.exports) {
      if (name.startsWith('kit_')) table[name] = (...numbers: number[]) => this.#call(name, numbers);
    }
    this.exports = table as unknown as Exports<'async'>;
  }

  /** Calls with this context as the current one. Every call of the context comes through here. */
  enter<T>(call: () => T): T {
    return call();
  }

  free(): void {}

  #call(name: string, numbers: number[]): unknown {
    // Looked up each time: an engine that has stopped has others.
    const call = this.#engine.exports[name as keyof Exports] as (...numbers: number[]) => unknown;
    const answer = this.enter(() => call(...numbers));
    if (!(answer instanceof Promise)) return answer;
    // A trap, as one that is thrown at once.
    return answer.catch((cause) => {
      throw this.#engine.stop(cause);
    });
  }
}
