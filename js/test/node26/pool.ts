/** Runs test files in Node 26: vitest itself, and other projects' files, stay in the Node that was started. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PoolOptions, PoolRunnerInitializer, PoolWorker } from 'vitest/node';

export const node26: PoolRunnerInitializer = {
  name: 'node26',
  createPoolWorker: (options) => new Node26Worker(options),
};

type Listener = (...args: unknown[]) => void;

class Node26Worker implements PoolWorker {
  readonly name = node26.name;
  readonly cacheFs = true;
  readonly #options: PoolOptions;
  #process: ChildProcess | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { distPath, env, execArgv, project } = this.#options;
    this.#process = fork(join(distPath, 'workers', 'forks.js'), [], {
      execPath: program(),
      execArgv,
      env: env as NodeJS.ProcessEnv,
      stdio: 'pipe',
      serialization: 'advanced',
    });
    this.#process.stdout?.pipe(project.vitest.logger.outputStream, { end: false });
    this.#process.stderr?.pipe(project.vitest.logger.errorStream, { end: false });
  }

  async stop(): Promise<void> {
    const process = this.#process;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const exit = once(process, 'exit');
    process.kill();
    await exit;
  }

  on(event: string, listener: Listener): void {
    this.#process?.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    this.#process?.off(event, listener);
  }

  send(message: Parameters<PoolWorker['send']>[0]): void {
    this.#process?.send(message);
  }

  deserialize(data: unknown): unknown {
    return data;
  }
}

/** Node 26 as this folder's package has it; NODE26_PATH names another, where there is no such package for a platform. */
function program(): string {
  const path = process.env.NODE26_PATH ?? packaged(process.platform, process.arch);
  if (!existsSync(path)) {
    throw new Error(
      `There is no Node 26 at ${path}, to compare with its node:sqlite. ` +
        'Run npm ci --prefix js/test/node26, or set NODE26_PATH.',
    );
  }
  return path;
}

function packaged(platform: string, arch: string): string {
  return fileURLToPath(new URL(`node_modules/node-${platform}-${arch}/bin/node`, import.meta.url));
}
