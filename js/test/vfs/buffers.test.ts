// What a method is handed is a real Uint8Array: all that takes bytes takes it.

import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { DatabaseSync, init, registerVFS, unregisterVFS } from '../../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'buffers-'));
const handle = openSync(join(folder, 'bytes'), 'w+');

beforeAll(() => init());
afterEach(() => unregisterVFS('copies'));
afterAll(() => {
  closeSync(handle);
  rmSync(folder, { recursive: true });
});

/** Ways to take bytes out of a buffer, by what they are called. */
const out: Record<string, (buffer: Uint8Array<ArrayBuffer>) => Uint8Array> = {
  'set of another array': (buffer) => {
    const copy = new Uint8Array(buffer.length);
    copy.set(buffer);
    return copy;
  },
  slice: (buffer) => buffer.slice(),
  spread: (buffer) => Uint8Array.of(...buffer),
  'a constructor': (buffer) => new Uint8Array(buffer),
  'Buffer.from': (buffer) => Buffer.from(buffer),
  'its memory, offset and length': (buffer) =>
    new Uint8Array(buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength)),
  'a file': (buffer) => {
    expect(writeSync(handle, buffer, 0, buffer.length, 0)).toBe(buffer.length);
    const copy = new Uint8Array(buffer.length);
    readSync(handle, copy, 0, copy.length, 0);
    return copy;
  },
};

/** Ways to put bytes into one. */
const into: Record<string, (buffer: Uint8Array<ArrayBuffer>, bytes: Uint8Array) => void> = {
  set: (buffer, bytes) => buffer.set(bytes),
  'a DataView': (buffer, bytes) => {
    const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    for (const [i, byte] of bytes.entries()) view.setUint8(i, byte);
  },
  'Buffer.copy': (buffer, bytes) => Buffer.from(bytes).copy(buffer),
  'a file': (buffer, bytes) => {
    writeSync(handle, bytes, 0, bytes.length, 0);
    expect(readSync(handle, buffer, 0, bytes.length, 0)).toBe(bytes.length);
  },
};

const ways = [
  ...Object.entries(out).map(([name, take]) => [`written by ${name}`, take, undefined] as const),
  ...Object.entries(into).map(([name, put]) => [`read by ${name}`, undefined, put] as const),
];

test.each(ways)('%s', (_, take, put) => {
  class CopyVFS extends MapVFS {
    override open(path: string | null, flags: number) {
      const file = super.open(path, flags);
      const { read, write } = file;
      return Object.assign(file, {
        read(buffer: Uint8Array<ArrayBuffer>, offset: number) {
          expect(buffer).toBeInstanceOf(Uint8Array);
          if (!put) return read.call(file, buffer, offset);
          const bytes = new Uint8Array(buffer.length);
          const count = read.call(file, bytes, offset);
          put(buffer, bytes.subarray(0, count));
          return count;
        },
        write(buffer: Uint8Array<ArrayBuffer>, offset: number) {
          expect(buffer).toBeInstanceOf(Uint8Array);
          const before = createHash('sha256').update(buffer).digest('hex');
          const bytes = take ? take(buffer) : buffer;
          expect(createHash('sha256').update(bytes).digest('hex')).toBe(before);
          write.call(file, bytes, offset);
        },
      });
    }
  }
  registerVFS(new CopyVFS('copies'));
  const db = new DatabaseSync('x.db', { vfs: 'copies' });
  db.exec("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(20000)), ('here')");
  db.close();
  const again = new DatabaseSync('x.db', { vfs: 'copies' });
  expect(again.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(again.prepare("SELECT count(*) AS n FROM t WHERE a = 'here' OR a = zeroblob(20000)").get()).toEqual({
    n: 2,
  });
  again.close();
});
