// Command-line tools that are crates, built once for this machine and kept in the cache.

import { mkdirSync, rmSync } from 'node:fs';
import { inCache } from '../paths.mjs';
import { patiently, Stop, say } from '../shell.mjs';
import { cargoTools, findCargoTool, toolFolder } from '../toolchain.mjs';

export async function setUpCargoTool(name) {
  if (findCargoTool(name)) return;
  const tool = cargoTools()[name];
  say(`${name} ${tool.version}: building it (a few minutes, once)`);
  // As published first; but a lock file may name a version that has been yanked since.
  const built = (await cargoInstall(tool, ['--locked'], false)) || (await cargoInstall(tool, [], true));
  if (!built || !findCargoTool(name)) {
    throw new Stop(`cargo install ${tool.crate}@${tool.version} failed: see above`);
  }
}

/** The tools work for a second at a time: compiling them fast is worth more than fast tools. */
const quickProfile = {
  CARGO_PROFILE_RELEASE_OPT_LEVEL: '1',
  CARGO_PROFILE_RELEASE_LTO: 'off',
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16',
  CARGO_PROFILE_RELEASE_DEBUG: '0',
};

async function cargoInstall(tool, flags, showFailure) {
  const work = inCache('build');
  mkdirSync(work, { recursive: true });
  const args = ['install', `${tool.crate}@${tool.version}`, '--root', toolFolder(tool), ...flags];
  const { code } = await patiently('cargo', args, {
    env: { ...process.env, CARGO_TARGET_DIR: work, ...quickProfile },
    // Away from the project, whose .cargo/config.toml is about other builds.
    cwd: work,
    showFailure,
  });
  rmSync(work, { recursive: true, force: true });
  return code === 0;
}
