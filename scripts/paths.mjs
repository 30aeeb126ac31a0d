// Where things are. Nothing here touches the disk.

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** A path inside the project. */
export const inProject = (...parts) => join(root, ...parts);

/**
 * What set-up builds once for a machine lives outside the project, so that a fresh clone,
 * or a second one, finds it ready.
 */
export const cache = resolve(
  process.env.SQLITE_VFS_KIT_CACHE ??
    join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sqlite-vfs-kit'),
);

export const inCache = (...parts) => join(cache, ...parts);

/**
 * The wasm build may come from another compiler than the native one (see setup/debian-std.mjs).
 * Two compilers sharing a target folder rebuild each other's work, so each has its own.
 */
export const nativeTarget = inProject('target');
export const wasmTarget = inProject('target', 'wasm');

export const wasmTriple = 'wasm32-unknown-unknown';
