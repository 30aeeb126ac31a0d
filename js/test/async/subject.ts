/**
 * The promise-returning API, on the build whose calls can be suspended. Where the engine has JSPI it is real; elsewhere calls run to
 * their end at once. In both, what a call answers is known to JavaScript a turn later, so that others run meanwhile.
 */
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Suspending } from '../../src/engine.js';
import { useEngine } from '../../src/init-jspi.js';
import { supportsJSPI } from '../../src/jspi.js';
import { type JSPI, SuspendingEngine } from '../../src/suspending-engine.js';
import { VFSHost } from '../../src/vfs-host.js';
import instantiate, { setImports } from '../../src/wasm/sqlite_vfs_kit_jspi.js';

export { AsyncDatabase, AsyncStatement } from '../../src/jspi.js';

const jspi = WebAssembly as unknown as JSPI;

export const answers = {
  /** How long the engine's answers take. A test may put another one here, until it is over. */
  wait: (): Promise<unknown> => setImmediate(),
  /** Calls that there were until now. */
  asked: 0,
};

const late: Suspending = (call) => {
  const real = supportsJSPI() ? jspi.promising(call) : call;
  return async (...numbers) => {
    answers.asked++;
    const answer = real(...numbers);
    await answers.wait();
    return answer;
  };
};

// What it makes is imported and never waits: no VFS here is async.
if (!supportsJSPI()) {
  Object.assign(jspi, {
    Suspending: function suspending(call: object) {
      return call;
    },
  });
}

const host = new VFSHost();
let engine: SuspendingEngine;
setImports(SuspendingEngine.imports(host, () => engine) as WebAssembly.ModuleImports);
const file = new URL('../../src/wasm/sqlite_vfs_kit_jspi_bg.wasm', import.meta.url);
const exports = await instantiate({ module_or_path: await readFile(file) });
engine = new SuspendingEngine(exports, host, late);
useEngine(engine);

/** Holds the engine's answers back until it is told to let go. */
export function holdAnswers(): () => void {
  let release!: () => void;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { wait } = answers;
  answers.wait = () => gate;
  return () => {
    answers.wait = wait;
    release();
  };
}

/** Whether a promise has settled after some turns. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  for (let i = 0; i < 10; i++) await setImmediate();
  return settled;
}
