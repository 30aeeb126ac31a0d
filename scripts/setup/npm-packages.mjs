// The npm packages, exactly as the lock file has them.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inProject } from '../paths.mjs';
import { patiently, Stop, say } from '../shell.mjs';

const modules = inProject('node_modules');
const stamp = inProject('node_modules', '.sqlite-vfs-kit-lock');

export async function setUpNpmPackages() {
  const wanted = lockHash();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  if (installedByHand()) {
    writeFileSync(stamp, wanted);
    return;
  }
  say('npm packages: installing from the lock file (about half a minute)');
  const { code } = await patiently('npm', ['ci', '--no-audit', '--no-fund', '--no-progress']);
  if (code !== 0) throw new Stop('npm ci failed: see above');
  writeFileSync(stamp, wanted);
}

/** node_modules belongs to one lock file and, because of native packages, to one platform. */
function lockHash() {
  const hash = createHash('sha256').update(readFileSync(inProject('package-lock.json')));
  return hash.update(`${process.platform}-${process.arch}`).digest('hex');
}

/**
 * After `npm install <package>` the packages are in step with the lock file although the stamp is
 * not: npm leaves its own record of what it installed, and `npm ci` would only do it all again.
 */
function installedByHand() {
  const record = inProject('node_modules', '.package-lock.json');
  if (!existsSync(modules) || !existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(inProject('package-lock.json'), 'utf8')).packages;
  const same = ([path, entry]) => path === '' || installed[path]?.integrity === entry.integrity;
  // Packages for other platforms are locked but not installed.
  const here = Object.entries(locked).filter(([path, entry]) => path in installed || !entry.optional);
  const extra = Object.keys(installed).some((path) => !(path in locked));
  return !extra && here.every(same);
}
