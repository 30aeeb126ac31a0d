// A clang that compiles SQLite for wasm, with the llvm-ar that belongs to it.

import { platform } from 'node:os';
import { Stop } from '../shell.mjs';
import { findClangForWasm } from '../toolchain.mjs';
import { installPackages } from './apt.mjs';

export async function setUpClang() {
  if (findClangForWasm()) return;
  const elsewhere =
    platform() === 'darwin' ? 'brew install llvm' : 'clang and llvm 19 or later, from your system';
  await installPackages(['clang-19', 'llvm-19'], { what: 'a clang that compiles for wasm', elsewhere });
  if (!findClangForWasm()) throw new Stop('clang-19 is installed but does not compile for wasm');
}
