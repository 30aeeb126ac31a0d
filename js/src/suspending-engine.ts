/**
 * The engine whose calls can be suspended (JSPI), while those of other connections run.
 *
 * Each connection has a context of its own (`src/engine/context.rs`), and in it a stack in linear memory: a suspended call has its
 * frames there, and what runs meanwhile must not write over them. What the engine's own stack, that of JavaScript, holds of a call
 * the host keeps.
 */
import { Context } from './context.js';
import { Engine, type Exports, isReaching, type Suspending } from './engine.js';
import { SQLITE_NOMEM } from './result-codes.js';
import { suspendingImports } from './suspending-imports.js';
import type { VFSHost } from './vfs-host.js';
import type { InitOutput } from './wasm/sqlite_vfs_kit_jspi.js';

/** What the module has beyond that of the default build. */
type SuspendingExports = Exports &
  InitOutput & {
    /** Where the stack in linear memory has come to. */
    readonly __stack_pointer: WebAssembly.Global<'i32'>;
  };

/** With as many arguments as any of them has: gathered into an array they would cost one for each call. */
type Call = (a: number, b: number, c: number, d: number, e: number) => unknown;

/** The main context's number. */
const MAIN = 0;

/** Not in TypeScript's library yet (https://webassembly.github.io/js-promise-integration/js-api/). */
export interface JSPI {
  Suspending: new (call: (...numbers: number[]) => unknown) => object;
  promising: Suspending;
}

/** Looked up when it is there: an engine without it loads this file, too. */
const jspi = WebAssembly as unknown as JSPI;

class OwnContext extends Context<'async'> {
  readonly #free: () => void;

  constructor(engine: Engine, exports: Exports<'async'>, free: () => void) {
    super(engine, exports);
    this.#free = free;
  }

  override free(): void {
    this.#free();
  }
}

export class SuspendingEngine extends Engine {
  /** Where the module's own stack begins. */
  readonly #mainStack: number;

  constructor(exports: InitOutput, host: VFSHost, promising: Suspending) {
    super(exports, host, promising);
    this.#mainStack = this.#exports.__stack_pointer.value;
    // Calls that run to their end do so in the middle of others, too.
    this.main = new Context(this, this.#inContext(MAIN, this.#mainStack) as unknown as Exports);
  }

  get #exports(): SuspendingExports {
    return this.exports as unknown as SuspendingExports;
  }

  override newContext(): Context<'async'> {
    const { kit_context_new, kit_context_stack } = this.#exports;
    const context = kit_context_new();
    if (context === 0)
      throw this.main.errorOf(SQLITE_NOMEM, 'out of memory: no room for the stack of a connection');
    const exports = this.#inContext(context, kit_context_stack(context));
    return new OwnContext(this, exports, () => {
      if (this.hasStopped) return;
      // Whoever comes next begins on a stack that is there.
      this.#exports.__stack_pointer.value = this.#mainStack;
      this.#exports.kit_context_free(context);
    });
  }

  /** The engine's functions, each of which is called in this context. */
  #inContext(context: number, stack: number): Exports<'async'> {
    const table: Record<string, Call> = {};
    const settled = (answer: number) => {
      if (context !== MAIN && this.#exports.kit_context_is_sound(context) === 0) {
        throw this.stop(new RangeError('the stack of a connection was too small'));
      }
      return answer;
    };
    // A trap, as one that is thrown at once.
    const trapped = (cause: unknown) => {
      throw this.stop(cause);
    };
    for (const name in this.exports) {
      if (!name.startsWith('kit_')) continue;
      // Looked up each time: an engine that has stopped has others.
      const call: Call = (a, b, c, d, e) =>
        ((this.exports as unknown as Record<string, Call>)[name] as Call)(a, b, c, d, e);
      table[name] = isReaching(name)
        ? (a, b, c, d, e) => {
            // Of whoever makes the call: a function that SQLite calls on another connection.
            const { value } = this.#exports.__stack_pointer;
            this.#exports.kit_context_use(context);
            // A context's calls come one after another, so its stack is empty.
            this.#exports.__stack_pointer.value = stack;
            const answer = call(a, b, c, d, e) as Promise<number>;
            this.#exports.__stack_pointer.value = value;
            return answer.then(settled, trapped);
          }
        : (a, b, c, d, e) => {
            // It runs to its end, on whatever stack there is: below what others have on it.
            this.#exports.kit_context_use(context);
            return call(a, b, c, d, e);
          };
    }
    return table as unknown as Exports<'async'>;
  }

  /** What the module imports so that calls can be suspended. */
  static imports(host: VFSHost, engine: () => SuspendingEngine): Record<string, unknown> {
    const suspending = Object.entries({
      ...suspendingImports(host),
      js_sleep: (milliseconds: number) =>
        new Promise<number>((resolve) => setTimeout(resolve, milliseconds, 0)),
    }).map(([name, call]) => [name, new jspi.Suspending(call as (...numbers: number[]) => unknown)]);
    return {
      ...host.imports(),
      ...host.commonImports(),
      ...Object.fromEntries(suspending),
      js_stack: () => engine().#exports.__stack_pointer.value,
      js_resume: (stack: number) => {
        // It was stopped meanwhile: what was suspended does not go on.
        if (engine().hasStopped) throw engine().stop(undefined);
        engine().#exports.__stack_pointer.value = stack;
      },
    };
  }
}
