/** A fresh view of linear memory for each call, derived from the memory itself. */
import { CHUNK, ChunkFile } from './chunks.js';
import { checkCount, checkNothing, failed, type Strategy } from './strategy.js';

class FreshFile extends ChunkFile<Uint8Array> {
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

export const subarray: Strategy<Uint8Array> = {
  name: 'subarray',
  how: 'buffer.set(part), chunk.set(buffer), buffer: new Uint8Array(memory.buffer, …)',
  share: 1,
  File: FreshFile,
  calls: (heap, files) => ({
    read(file, pointer, length, offset) {
      const open = files[file] as FreshFile;
      const buffer = new Uint8Array(heap.memory.buffer, pointer >>> 0, length);
      try {
        const count = open.read(buffer, offset);
        return count === length ? count : checkCount(count, length);
      } catch {
        return failed.read;
      }
    },
    write(file, pointer, length, offset) {
      const open = files[file] as FreshFile;
      const buffer = new Uint8Array(heap.memory.buffer, pointer >>> 0, length);
      try {
        const answer = open.write(buffer, offset) as undefined;
        return answer === undefined ? 0 : checkNothing(answer);
      } catch {
        return failed.write;
      }
    },
  }),
};
