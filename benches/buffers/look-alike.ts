/** A class that looks like a `Uint8Array` as far as it goes, and derives its view anew when memory has grown. */
import { CHUNK, ChunkFile } from './chunks.js';
import type { Heap } from './heap.js';
import { checkCount, checkNothing, failed, type Strategy } from './strategy.js';

class LookAlike {
  readonly length: number;
  readonly #heap: Heap;
  readonly #pointer: number;
  #view: Uint8Array;

  constructor(heap: Heap, pointer: number, length: number) {
    this.length = length;
    this.#heap = heap;
    this.#pointer = pointer;
    this.#view = heap.u8.subarray(pointer, pointer + length);
  }

  get #current(): Uint8Array {
    if (this.#view.length !== this.length) {
      this.#view = this.#heap.u8.subarray(this.#pointer, this.#pointer + this.length);
    }
    return this.#view;
  }

  set(bytes: Uint8Array, offset?: number): void {
    this.#current.set(bytes, offset);
  }

  subarray(start?: number, end?: number): Uint8Array {
    return this.#current.subarray(start, end);
  }
}

class LookAlikeFile extends ChunkFile<LookAlike> {
  override read(buffer: LookAlike, offset: number): number {
    const count = this.bytes.count(buffer.length, offset);
    for (let done = 0; done < count; ) {
      const start = (offset + done) % CHUNK;
      const part = this.bytes.at(offset + done).subarray(start, start + count - done);
      buffer.set(part, done);
      done += part.length;
    }
    return count;
  }

  override write(buffer: LookAlike, offset: number): void {
    const { length } = buffer;
    this.bytes.reach(offset + length);
    for (let done = 0; done < length; ) {
      const start = (offset + done) % CHUNK;
      const count = Math.min(length - done, CHUNK - start);
      const part = buffer.subarray(done, done + count);
      this.bytes.at(offset + done).set(part, start);
      done += count;
    }
  }
}

export const lookAlike: Strategy<LookAlike> = {
  name: 'class',
  how: 'buffer.set(part), chunk.set(buffer.subarray()), buffer: a class with these methods',
  share: 1,
  File: LookAlikeFile,
  calls: (heap, files) => ({
    read(file, pointer, length, offset) {
      const open = files[file] as LookAlikeFile;
      const buffer = new LookAlike(heap, pointer >>> 0, length);
      try {
        const count = open.read(buffer, offset);
        return count === length ? count : checkCount(count, length);
      } catch {
        return failed.read;
      }
    },
    write(file, pointer, length, offset) {
      const open = files[file] as LookAlikeFile;
      const buffer = new LookAlike(heap, pointer >>> 0, length);
      try {
        const answer = open.write(buffer, offset) as undefined;
        return answer === undefined ? 0 : checkNothing(answer);
      } catch {
        return failed.write;
      }
    },
  }),
};
