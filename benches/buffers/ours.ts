/** This package's own: a real view, derived from one of the whole memory. */
import { CHUNK, ChunkFile } from './chunks.js';
import type { Strategy } from './strategy.js';

class ViewFile extends ChunkFile<Uint8Array> {
  override read(buffer: Uint8Array, offset: number): number {
    const count = this.bytes.count(buffer.length, offset);
    for (let done = 0; done < count; ) {
      const start = (offset + done) % CHUNK;
      const part = this.bytes.at(offset + done).subarray(start, start + count - done);
      buffer.set(part, done);
      done += part.length;
    }
    return count;
  }

  override write(buffer: Uint8Array, offset: number): void {
    const { length } = buffer;
    this.bytes.reach(offset + length);
    for (let done = 0; done < length; ) {
      const start = (offset + done) % CHUNK;
      const count = Math.min(length - done, CHUNK - start);
      const part = count === length ? buffer : buffer.subarray(done, done + count);
      this.bytes.at(offset + done).set(part, start);
      done += count;
    }
  }
}

export const ours: Strategy<Uint8Array> = {
  name: 'view (ours)',
  how: 'buffer.set(part), chunk.set(buffer), buffer: a view of a view of all memory',
  share: 1,
  File: ViewFile,
  calls: (_heap, _files, ours) => ours,
};
