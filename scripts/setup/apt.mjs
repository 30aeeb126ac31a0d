// System packages, where this is Debian (or a relative of it) and we are root.

import { capture, patiently, Stop, say } from '../shell.mjs';
import { isDebianLike } from '../toolchain.mjs';

export const canInstallPackages = () => isDebianLike() && process.getuid?.() === 0;

/**
 * Installs packages that are not there yet. `what` names them to the person who waits, `elsewhere`
 * is the line for the person on whose system this can't be done.
 */
export async function installPackages(packages, { what, elsewhere }) {
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  if (!canInstallPackages()) {
    const line = isDebianLike()
      ? `sudo apt-get install --no-install-recommends ${missing.join(' ')}`
      : elsewhere;
    throw new Stop(`${what} missing. Install with: ${line}`);
  }
  say(`${what}: installing ${missing.join(' ')} (up to a few minutes)`);
  // A first try without `apt-get update`: where the lists are fresh, that saves a while.
  if (await aptInstall(missing, { showFailure: false })) return;
  await apt(['update'], { showFailure: true });
  if (await aptInstall(missing, { showFailure: true })) return;
  throw new Stop(`apt-get could not install ${missing.join(' ')}: see above`);
}

function isInstalled(name) {
  const described = capture('dpkg-query', ['--status', name]) ?? '';
  return /^Status: .* installed$/m.test(described);
}

const aptInstall = (packages, options) =>
  apt(['install', '-y', '--no-install-recommends', ...packages], options);

async function apt(args, { showFailure }) {
  // Another apt may be at work, the system's own upgrades for one: wait for it.
  const { code } = await patiently('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    showFailure,
  });
  return code === 0;
}
