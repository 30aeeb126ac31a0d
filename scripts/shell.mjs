// Running other programs, and saying what goes on.

import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { root } from './paths.mjs';

/** An error whose message is all that the person at the terminal needs: no stack is printed. */
export class Stop extends Error {}

export const say = (text) => console.log(text);

/** Runs a script's main function; a `Stop` becomes its one line and exit code 1. */
export async function main(body) {
  try {
    const code = await body();
    if (typeof code === 'number') process.exitCode = code;
  } catch (error) {
    console.error(error instanceof Stop ? `\nerror: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/** The full path of a program, or null. `name` may be a path itself. */
export function which(name, path = process.env.PATH ?? '') {
  const candidates = isAbsolute(name)
    ? [name]
    : path
        .split(delimiter)
        .filter(Boolean)
        .map((folder) => join(folder, name));
  return candidates.find(isProgram) ?? null;
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The trimmed standard output of a quick command, or null if it failed or is missing. */
export function capture(command, args = [], { env = process.env, timeout = 30_000, cwd = root } = {}) {
  const result = spawnSync(command, args, { env, cwd, timeout, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return result.status === 0 ? result.stdout.trim() : null;
}

/** Runs a command on this terminal. Resolves to its exit code. */
export function run(command, args = [], { env = process.env, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, cwd, stdio: 'inherit' });
    // A server must not outlive the script that started it.
    const end = () => child.kill('SIGTERM');
    process.once('SIGTERM', end);
    child.on('error', (error) => reject(new Stop(`cannot run ${command}: ${error.message}`)));
    child.on('close', (code, signal) => {
      process.off('SIGTERM', end);
      resolve(code ?? signalCode(signal));
    });
  });
}

/** Like `run`, but anything other than exit code 0 stops the script. */
export async function mustRun(command, args = [], options = {}) {
  const code = await run(command, args, options);
  if (code !== 0) throw new Stop(`${command} ${args.join(' ')} ended with ${code}`);
}

/** Runs a command on this terminal and also collects what it printed. */
export function tee(command, args = [], { env = process.env, cwd = root } = {}) {
  return new Promise((resolve) => {
    let text = '';
    const child = spawn(command, args, {
      env: { ...env, ...colour() },
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const pass = (stream) => (chunk) => {
      text += chunk;
      stream.write(chunk);
    };
    child.stdout.on('data', pass(process.stdout));
    child.stderr.on('data', pass(process.stderr));
    child.on('error', (error) => resolve({ code: 127, text: `${text}\n${error.message}` }));
    child.on('close', (code, signal) => resolve({ code: code ?? signalCode(signal), text }));
  });
}

/** What is piped can't see whether it ends up on a terminal, and tools guess either way. */
const colour = () =>
  process.stdout.isTTY ? { FORCE_COLOR: '1', CARGO_TERM_COLOR: 'always' } : { NO_COLOR: '1' };

/**
 * Runs a long, talkative command quietly: a line every few seconds tells how far it is, and
 * its whole output is shown only when it fails. `silence` and `timeout` (ms) end a command that
 * prints nothing for so long, or takes so long.
 */
export function patiently(
  command,
  args,
  { env = process.env, cwd = root, silence, timeout, showFailure = true } = {},
) {
  return new Promise((resolve) => {
    const started = Date.now();
    const seconds = () => Math.round((Date.now() - started) / 1000);
    let text = '';
    let heard = started;
    let ended = null;
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const collect = (chunk) => {
      text += chunk;
      heard = Date.now();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);

    const progress = setInterval(() => {
      const line =
        text
          .trimEnd()
          .split(/[\r\n]/)
          .at(-1)
          ?.trim()
          .slice(0, 70) ?? '';
      say(`    ${String(seconds()).padStart(4)} s  ${line}`);
    }, 10_000);
    const watch = setInterval(() => {
      const now = Date.now();
      if (silence && now - heard > silence) ended = `no word from it for ${silence / 1000} s`;
      if (timeout && now - started > timeout) ended = `not done after ${timeout / 1000} s`;
      if (ended) child.kill('SIGKILL');
    }, 500);

    const finish = (code, trouble) => {
      clearInterval(progress);
      clearInterval(watch);
      if (code !== 0 && showFailure) {
        process.stderr.write(`${text}\n`);
        console.error(`${command} ${args.join(' ')}: ${trouble}`);
      }
      resolve({ code, text, trouble });
    };
    child.on('error', (error) => finish(127, error.message));
    child.on('close', (code, signal) => {
      const status = code ?? signalCode(signal);
      finish(status, ended ?? `ended with ${status}`);
    });
  });
}

const signalCode = (signal) => (signal ? 128 : 1);
