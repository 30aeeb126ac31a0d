/** Packs the package once for all test files. What `npm publish` would send is what they install. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The tarball's path. */
    tarball: string;
    /** A folder for apps. It is outside the project, whose node_modules would help out. */
    outside: string;
  }
}

export default function setup({ provide }: TestProject): () => void {
  const outside = mkdtempSync(join(tmpdir(), 'sqlite-vfs-kit-'));
  // The build is the suite before this one: npm's own would run while others use it.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', outside];
  const [packed] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' }));
  provide('tarball', join(outside, packed.filename));
  provide('outside', outside);
  return () => rmSync(outside, { recursive: true, force: true });
}
