/** The wasm file with less memory to grow into, for tests of what happens when there is none left. */
import { readFile } from 'node:fs/promises';

/** The section that says how large memory is at first, and at most. */
const MEMORY = 5;

function readLeb(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] as number;
    value |= (byte & 127) << shift;
    if (byte < 128) return { value: value >>> 0, end: at };
  }
}

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)];
}

/** The package's wasm file, whose memory grows to so many bytes and no further. */
export async function wasmWithMemory(most: number): Promise<Uint8Array> {
  const bytes = await readFile(new URL('../src/wasm/sqlite_vfs_kit_bg.wasm', import.meta.url));
  for (let at = 8; at < bytes.length; ) {
    const start = at;
    const { value: size, end: body } = readLeb(bytes, at + 1);
    at = body + size;
    if (bytes[start] !== MEMORY) continue;
    // One memory, flags, the initial size in pages.
    const initial = readLeb(bytes, body + 2).value;
    const content = [1, 1, ...leb(initial), ...leb(Math.floor(most / 65_536))];
    const section = [MEMORY, ...leb(content.length), ...content];
    return Buffer.concat([bytes.subarray(0, start), new Uint8Array(section), bytes.subarray(at)]);
  }
  throw new Error('the wasm file has no memory of its own');
}
