/** A function that answers the current view: who keeps what it answered keeps a view that growth takes away. */
import { CHUNK, ChunkFile } from './chunks.js';
import { checkCount, checkNothing, failed, type Strategy } from './strategy.js';

type Lambda = () => Uint8Array;

class LambdaFile extends ChunkFile<Lambda> {
  override read(lambda: Lambda, offset: number): number {
    const buffer = lambda();
    const count = this.bytes.count(buffer.length, offset);
    for (let done = 0; done < count; ) {
      const start = (offset + done) % CHUNK;
      const part = this.bytes.at(offset + done).subarray(start, start + count - done);
      buffer.set(part, done);
      done += part.length;
    }
    return count;
  }

  override write(lambda: Lambda, offset: number): void {
    const buffer = lambda();
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

export const lambda: Strategy<Lambda> = {
  name: 'lambda',
  how: 'view = buffer(), view.set(part), chunk.set(view)',
  share: 1,
  File: LambdaFile,
  calls: (heap, files) => ({
    read(file, pointer, length, offset) {
      const open = files[file] as LambdaFile;
      const buffer = () => heap.u8.subarray(pointer >>> 0, (pointer >>> 0) + length);
      try {
        const count = open.read(buffer, offset);
        return count === length ? count : checkCount(count, length);
      } catch {
        return failed.read;
      }
    },
    write(file, pointer, length, offset) {
      const open = files[file] as LambdaFile;
      const buffer = () => heap.u8.subarray(pointer >>> 0, (pointer >>> 0) + length);
      try {
        const answer = open.write(buffer, offset) as undefined;
        return answer === undefined ? 0 : checkNothing(answer);
      } catch {
        return failed.write;
      }
    },
  }),
};
