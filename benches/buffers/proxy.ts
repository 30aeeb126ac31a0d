/**
 * A `Proxy` that looks at each use whether memory has grown. To a typed array's own `set` it is no typed array, but an object whose
 * elements are asked for one by one.
 */
import { CHUNK, ChunkFile } from './chunks.js';
import type { Heap } from './heap.js';
import { checkCount, checkNothing, failed, type Strategy } from './strategy.js';

function proxied(heap: Heap, pointer: number, length: number): Uint8Array {
  let view = heap.u8.subarray(pointer, pointer + length);
  const current = (): Uint8Array => {
    if (view.buffer.byteLength === 0) view = heap.u8.subarray(pointer, pointer + length);
    return view;
  };
  return new Proxy(view, {
    get(_target, property) {
      const value = Reflect.get(current(), property);
      return typeof value === 'function' ? value.bind(view) : value;
    },
    set: (_target, property, value) => Reflect.set(current(), property, value),
  });
}

class ProxyFile extends ChunkFile<Uint8Array> {
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

export const proxy: Strategy<Uint8Array> = {
  name: 'Proxy',
  how: 'buffer.set(part), chunk.set(buffer), buffer: a Proxy of a view',
  share: 1 / 200,
  File: ProxyFile,
  calls: (heap, files) => ({
    read(file, pointer, length, offset) {
      const open = files[file] as ProxyFile;
      const buffer = proxied(heap, pointer >>> 0, length);
      try {
        const count = open.read(buffer, offset);
        return count === length ? count : checkCount(count, length);
      } catch {
        return failed.read;
      }
    },
    write(file, pointer, length, offset) {
      const open = files[file] as ProxyFile;
      const buffer = proxied(heap, pointer >>> 0, length);
      try {
        const answer = open.write(buffer, offset) as undefined;
        return answer === undefined ? 0 : checkNothing(answer);
      } catch {
        return failed.write;
      }
    },
  }),
};
