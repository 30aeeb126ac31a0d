// A Rust toolchain that compiles for wasm32-unknown-unknown.

import { wasmTriple } from '../paths.mjs';
import { patiently, Stop, say, which } from '../shell.mjs';
import { findRustForWasm } from '../toolchain.mjs';
import { canInstallPackages } from './apt.mjs';
import { buildStdOnDebian } from './debian-std.mjs';

export async function setUpRustForWasm() {
  if (!which('cargo')) throw new Stop('cargo missing. Install Rust with rustup, the stable toolchain');
  if (findRustForWasm()) return;
  if (which('rustup') && (await addTarget()) && findRustForWasm()) return;
  if (which('rustup') && canInstallPackages()) {
    await buildStdOnDebian();
    if (findRustForWasm()) return;
  }
  throw new Stop(`the Rust target is missing. Install with: rustup target add ${wasmTriple}`);
}

/** The ordinary way. Behind a firewall it must not hang: there is another way to try. */
async function addTarget() {
  say(`wasm target: rustup target add ${wasmTriple} (seconds)`);
  const { code, trouble } = await patiently('rustup', ['target', 'add', wasmTriple], {
    env: { ...process.env, RUSTUP_MAX_RETRIES: '1', RUSTUP_DOWNLOAD_TIMEOUT: '20' },
    silence: 60_000,
    timeout: 300_000,
    showFailure: false,
  });
  if (code !== 0) say(`    rustup could not (${trouble})`);
  return code === 0;
}
