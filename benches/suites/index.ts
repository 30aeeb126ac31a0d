/** All suites by name. One is loaded only when it is asked for, and its subjects with it. */
import { Mistaken, type Suite } from '../suite.js';

export const suites: Readonly<Record<string, () => Promise<Suite>>> = {
  api: async () => (await import('./api.js')).api,
  async: async () => (await import('./async.js')).async,
  buffers: async () => (await import('./buffers.js')).buffers,
  foreign: async () => (await import('./foreign.js')).foreign,
  memory: async () => (await import('./memory.js')).memory,
  rows: async () => (await import('./rows.js')).rows,
  start: async () => (await import('./start.js')).start,
};

export async function suiteNamed(name: string): Promise<Suite> {
  const load = Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (!load) throw new Mistaken(`no suite ${name}; there are ${Object.keys(suites).join(', ')}`);
  return load();
}
