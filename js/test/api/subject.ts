/**
 * The module that the tests of this folder are about: this package, or Node's own `node:sqlite`. They hold for both, so
 * what they say of ours is what Node does. Where the two differ, `differences.test.ts` says so.
 */
import * as ours from '../../src/index.js';

/** Whose run this is: see `vitest.config.ts`. */
export const subject = process.env.API_OF === 'node:sqlite' ? 'node' : 'ours';

async function load(): Promise<typeof ours> {
  if (subject === 'node') return nodes() as typeof ours;
  await ours.init();
  return ours;
}

function nodes(): unknown {
  const version = process.versions.node;
  if (!version.startsWith('26.')) throw new Error(`the reference is Node 26, and this is ${version}`);
  return process.getBuiltinModule('node:sqlite');
}

export const sqlite = await load();

export const { DatabaseSync, StatementSync } = sqlite;

/** Databases and statements, as types. */
export type Database = ours.DatabaseSync;
export type Statement = ours.StatementSync;

/** What TypeScript would not let a caller pass. */
export const wrong = (value: unknown) => value as never;
