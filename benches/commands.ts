/** For tests: runs the project's commands as people do. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

export function command(script: 'bench' | 'size', ...args: string[]): Promise<Ended> {
  const path = fileURLToPath(new URL(`../scripts/${script}.mjs`, import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

/** The arguments for as little work as there is. */
export const little = ['--runs', '1', '--scale', '0.002'];
