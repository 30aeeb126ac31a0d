/** Where time goes, by V8's own profiler: in Node alone, which lets a program ask for it. */
import { builtin } from './subjects/from-node.js';

/** A function, or all of wasm together: its functions have no names. */
export interface Share {
  where: string;
  /** Of all time: 1 is all. */
  share: number;
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[];
  samples?: number[] | undefined;
}

/** Microseconds between samples. */
const interval = 100;

/** Runs as often as gives enough samples, or for so long. */
const enough = { runs: 20, ms: 500 };

/** `undefined` where there is no such profiler. */
export async function profiled(
  before: () => unknown,
  run: () => unknown,
): Promise<readonly Share[] | undefined> {
  const inspector = builtin<typeof import('node:inspector/promises')>('node:inspector/promises');
  if (!inspector) return undefined;
  const session = new inspector.Session();
  session.connect();
  const profiles: Profile[] = [];
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval });
    for (let runs = 0, ms = 0; runs < enough.runs && ms < enough.ms; runs++) {
      await before();
      await session.post('Profiler.start');
      const started = performance.now();
      await run();
      ms += performance.now() - started;
      profiles.push((await session.post('Profiler.stop')).profile);
    }
  } finally {
    session.disconnect();
  }
  return shares(profiles);
}

/**
 * The largest first, those below a fiftieth left out. Samples are counted, and the time between two of them is not: on a busy machine
 * the sampler waits for its turn, and all that it missed would go to whatever runs when it wakes.
 */
function shares(profiles: readonly Profile[]): Share[] {
  const counts = new Map<string, number>();
  let all = 0;
  for (const { nodes, samples = [] } of profiles) {
    const places = new Map(nodes.map(({ id, callFrame }) => [id, place(callFrame)]));
    for (const id of samples) {
      const where = places.get(id);
      if (where === undefined) continue;
      counts.set(where, (counts.get(where) ?? 0) + 1);
      all += 1;
    }
  }
  return [...counts]
    .map(([where, count]) => ({ where, share: Math.round((count / all) * 1000) / 1000 }))
    .filter(({ share }) => share >= 0.02)
    .sort((a, b) => b.share - a.share);
}

/** `undefined` for the profiler itself, which starts and stops within its own time, and for waiting. */
function place({ functionName, url }: Profile['nodes'][number]['callFrame']): string | undefined {
  if (url.startsWith('wasm:')) return 'wasm';
  const own =
    url.startsWith('node:inspector') ||
    (functionName === 'dispatch' && url === '') ||
    functionName === profiled.name;
  if (own || functionName === '(idle)' || functionName === '(root)') return undefined;
  return functionName || '(a function without a name)';
}
