// The npm packages, exactly as the lock file has them: the project's, and the other Node that the tests compare with.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from '../paths.mjs';
import { patiently, Stop, say } from '../shell.mjs';

export const setUpNpmPackages = () => installFrom(inProject());

/** Fails where there is no such package; there NODE26_PATH says what to use. */
export async function setUpNode26() {
  if (!process.env.NODE26_PATH) await installFrom(inProject('js', 'test', 'node26'));
}

/** It is compiled where no binary of it is found, in a minute or two. If that fails, npm leaves it out, and its test with it. */
export const setUpBetterSqlite3 = () => installFrom(inProject('js', 'test', 'better-sqlite3'));

async function installFrom(folder) {
  const stamp = join(folder, 'node_modules', '.sqlite-vfs-kit-lock');
  const wanted = lockHash(folder);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  if (installedByHand(folder)) {
    writeFileSync(stamp, wanted);
    return;
  }
  say('npm packages: installing from the lock file (about half a minute)');
  const { code } = await patiently('npm', ['ci', '--no-audit', '--no-fund', '--no-progress'], {
    cwd: folder,
  });
  if (code !== 0) throw new Stop(`npm ci in ${folder} failed: see above`);
  writeFileSync(stamp, wanted);
}

/** node_modules belongs to one lock file and, because of native packages, to one platform. */
function lockHash(folder) {
  const hash = createHash('sha256').update(readFileSync(join(folder, 'package-lock.json')));
  return hash.update(`${process.platform}-${process.arch}`).digest('hex');
}

/**
 * After `npm install <package>` the packages are in step with the lock file although the stamp is
 * not: npm leaves its own record of what it installed, and `npm ci` would only do it all again.
 */
function installedByHand(folder) {
  const record = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
  const same = ([path, entry]) => path === '' || installed[path]?.integrity === entry.integrity;
  // Packages for other platforms are locked but not installed.
  const here = Object.entries(locked).filter(([path, entry]) => path in installed || !entry.optional);
  const extra = Object.keys(installed).some((path) => !(path in locked));
  return !extra && here.every(same);
}
