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
  timeDeltas?: number[] | undefined;
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

/** The largest first, those below a fiftieth left out. */
function shares(profiles: readonly Profile[]): Share[] {
  const times = new Map<string, number>();
  let all = 0;
  for (const { nodes, samples = [], timeDeltas = [] } of profiles) {
    const places = new Map(nodes.map(({ id, callFrame }) => [id, place(callFrame)]));
    for (const [i, id] of samples.entries()) {
      const where = places.get(id);
      if (where === undefined) continue;
      const time = timeDeltas[i] ?? 0;
      times.set(where, (times.get(where) ?? 0) + time);
      all += time;
    }
  }
  return [...times]
    .map(([where, time]) => ({ where, share: Math.round((time / all) * 1000) / 1000 }))
    .filter(({ share }) => share >= 0.02)
    .sort((a, b) => b.share - a.share);
}

/** `undefined` for the profiler itself, which starts and stops within its own time, and for waiting. */
function place({ functionName, url }: Profile['nodes'][number]['callFrame']): string | undefined {
  if (url.startsWith('wasm:')) return 'wasm';
  const own = url.startsWith('node:inspector') || (functionName === 'dispatch' && url === '');
  if (own || functionName === '(idle)' || functionName === '(root)') return undefined;
  return functionName || '(a function without a name)';
}
