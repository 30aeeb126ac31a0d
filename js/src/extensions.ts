/** Extensions, which are libraries: SQLite in WebAssembly has none to load, and says so where Node would load one. */
import { invalidState, noExtension } from './errors.js';
import { booleanArgument, stringArgument } from './options.js';

/** Whether `loadExtension` may be called. */
export class ExtensionPermission {
  readonly #isPossible: boolean;
  #isGiven: boolean;

  /** @param isPossible The option `allowExtension`. */
  constructor(isPossible: boolean) {
    this.#isPossible = isPossible;
    this.#isGiven = isPossible;
  }

  give(allow: unknown): void {
    const isGiven = booleanArgument(allow, 'allow');
    if (isGiven && !this.#isPossible) {
      throw invalidState('Cannot enable extension loading because it was disabled at database creation.');
    }
    this.#isGiven = isGiven;
  }

  load(path: unknown): never {
    if (!this.#isGiven) throw invalidState('extension loading is not allowed');
    const name = stringArgument(path, 'path');
    throw noExtension(
      `${name} cannot be loaded: SQLite in WebAssembly has no libraries to load. ` +
        'Use what is built in, or `function` and `aggregate`.',
    );
  }
}
