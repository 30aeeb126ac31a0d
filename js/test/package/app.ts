/** Apps outside the tree that have the package by `npm install`, and what they are run with. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const exec = promisify(execFile);

/** Copies `apps/<name>` to a new folder, installs the package there, and answers the folder. */
export async function install(name: string): Promise<string> {
  const app = mkdtempSync(join(inject('outside'), `${name}-`));
  cpSync(new URL(`apps/${name}/`, import.meta.url), app, { recursive: true });
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }');
  // Offline: the package depends on nothing, and the test on no registry.
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', inject('tarball')];
  await exec('npm', args, { cwd: app });
  return app;
}

/** Runs a file with a Node. Answers what it printed; rejects with what it complained of. */
export async function runWith(node: string, cwd: string, ...args: string[]): Promise<string> {
  // Node 26 says of node:sqlite that it may still change.
  const { stdout } = await exec(node, ['--no-warnings', ...args], { cwd });
  return stdout;
}

/** Runs one of the project's own tools on an app. */
export async function runTool(name: string, cwd: string, ...args: string[]): Promise<Result> {
  const program = fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url));
  try {
    return { ok: true, output: (await exec(program, args, { cwd })).stdout };
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return { ok: false, output: stdout + stderr };
  }
}

export interface Result {
  ok: boolean;
  output: string;
}

/** Node 26, as js/test/node26 has it or NODE26_PATH names it. */
export function node26(): string {
  const { platform, arch, env } = process;
  const packaged = `../node26/node_modules/node-${platform}-${arch}/bin/node`;
  const path = env.NODE26_PATH ?? fileURLToPath(new URL(packaged, import.meta.url));
  if (!existsSync(path)) throw new Error(`There is no Node 26 at ${path}: set NODE26_PATH.`);
  return path;
}
