/**
 * A million reads and writes of 4 KiB, half each, past SQLite: what the module calls is called in a loop. Milliseconds are nanoseconds
 * a call, then.
 */
import { CHUNK } from '../buffers/chunks.js';
import { calls } from '../buffers/imports.js';
import type { BufferSubject } from '../subjects/kit-buffers.js';
import { type Case, scaled } from '../suite.js';
import { allocation } from './allocation.js';
import { Checksum } from './checksum.js';

const size = 4096;

/** Pages of the file: those of its second half are copied to the first, most of them, in one order and the other. */
const pages = 256;
const half = pages / 2;
const copies = 125;
const turns = 1_000_000 / (2 * copies);

const offsets = Array.from({ length: copies }, (_, i) => ({
  from: (half + ((i * 37) % half)) * size,
  to: ((i * 91) % half) * size,
}));

export const io4k: Case<BufferSubject> = {
  name: 'io4k',
  about: 'a million reads and writes of 4 KiB, past SQLite',
  uses: ['buffer'],
  start(subject, scale) {
    const wanted = scaled(turns, scale);
    const mine = scaled(turns, scale * subject.share);
    const { number, bytes, page, close } = subject.openFile();
    bytes.reach(pages * size);
    for (let i = 0; i < pages; i++) at(i).fill(i);

    function at(i: number): Uint8Array {
      return bytes.at(i * size).subarray((i * size) % CHUNK, ((i * size) % CHUNK) + size);
    }

    /** Answers how many bytes were read, all in all. */
    function copy(pairs: readonly { from: number; to: number }[]): number {
      let read = 0;
      for (const { from, to } of pairs) {
        read += calls.read(number, page, size, from);
        // Zero, or it has failed.
        read += calls.write(number, page, size, to);
      }
      return read;
    }

    return {
      factor: wanted / mine,
      before() {
        for (let i = 0; i < half; i++) at(i).fill(i);
      },
      run() {
        let read = 0;
        for (let turn = 0; turn < mine; turn++) read += copy(offsets);
        return read;
      },
      after(read: number) {
        const sum = new Checksum();
        for (let i = 0; i < pages; i++) sum.add(at(i));
        return `${read / (mine * copies)} bytes a read; ${sum}`;
      },
      bytesPerCall: () => allocation(() => copy(offsets), 2 * copies),
      end: close,
    };
  },
};
