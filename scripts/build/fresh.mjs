// Skips a build whose inputs are what they were.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inProject } from '../paths.mjs';

/**
 * Runs `build` unless `outputs` exist and `inputs` (files and folders of the project) have the
 * contents they had at its last success. `extra` is what else decides the result, such as the
 * versions of compilers. Contents are compared rather than times, because git sets times anew.
 */
export async function unlessFresh({ name, inputs, outputs, extra = '', force }, build) {
  const stamp = inProject('target', 'fresh', name);
  const state = hashOf(inputs, extra);
  const fresh = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === state;
  if (!force && outputs.every((path) => existsSync(inProject(path))) && fresh()) return false;
  await build();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, state);
  return true;
}

function hashOf(inputs, extra) {
  const hash = createHash('sha256').update(extra);
  for (const input of inputs) {
    for (const file of filesIn(input)) hash.update(`\0${file}\0`).update(readFileSync(inProject(file)));
  }
  return hash.digest('hex');
}

function filesIn(path) {
  const full = inProject(path);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
