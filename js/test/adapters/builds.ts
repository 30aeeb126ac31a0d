/** The builds of others, as they are loaded in Node. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Build, officialBuildOf, type Variant, waBuildOf } from './shapes.js';

export { type Build, codeOf, type OpenDatabase, ours } from './shapes.js';

export async function officialBuild(): Promise<Build> {
  const { default: load } = await import('@sqlite.org/sqlite-wasm');
  // It prints whatever fails, and here that is what is tested.
  Object.assign(globalThis, { sqlite3ApiConfig: { error() {}, warn() {} } });
  const sqlite3 = await load();
  return officialBuildOf(sqlite3);
}

type Load = (options: object) => Promise<object>;

async function waBuild(variant: Variant): Promise<Build> {
  const file = `@journeyapps/wa-sqlite/dist/wa-sqlite${variant}`;
  const { resolve } = createRequire(import.meta.url);
  const load = ((await import(/* @vite-ignore */ `${file}.mjs`)) as { default: Load }).default;
  const module = await load({ wasmBinary: await readFile(resolve(`${file}.wasm`)) });
  return waBuildOf(module, variant);
}

/** All that this engine can run. */
export async function allBuilds(): Promise<Build[]> {
  const builds = [await officialBuild(), await waBuild(''), await waBuild('-async')];
  return 'Suspending' in WebAssembly ? [...builds, await waBuild('-jspi')] : builds;
}
