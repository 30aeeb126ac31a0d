/** A blob as streams. What reads and writes it may answer at once or with promises. */
import { type BlobReadableOptions, sizeArgument } from './blob-arguments.js';
import { optionsObject } from './options.js';

interface Readable {
  readonly length: number;
  read(offset: number, length: number): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
}

interface Writable {
  write(bytes: Uint8Array, offset: number): void | Promise<void>;
}

export function readableOf(
  blob: Readable,
  options?: BlobReadableOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { chunkSize = 65_536 } = optionsObject(options, options !== undefined);
  const size = sizeArgument(chunkSize, 'options.chunkSize', 1);
  let offset = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    const chunk = await blob.read(offset, Math.min(size, blob.length - offset));
    offset += chunk.length;
    if (chunk.length > 0) controller.enqueue(chunk);
    if (offset === blob.length) controller.close();
  };
  // Nothing is read before it is asked for.
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

export function writableOf(blob: Writable): WritableStream<Uint8Array> {
  let offset = 0;
  return new WritableStream({
    async write(bytes) {
      await blob.write(bytes, offset);
      offset += bytes.byteLength;
    },
  });
}
