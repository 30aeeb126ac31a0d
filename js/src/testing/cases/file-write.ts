/** Writing, holes, and truncating. */
import { equal, sameBytes } from '../assert.js';
import { BORDERS, ModelFile, pattern, Random } from '../bytes.js';
import { fileCases } from '../case.js';
import type { FilePlace, TestFile } from '../file-place.js';

const write = fileCases('write');
const truncate = fileCases('truncate');
const size = fileCases('size');

const around = (border: number) => [border - 1, border, border + 1];

/** A file that is compared with a model of it after each step. */
class Compared {
  readonly #file: TestFile;
  readonly #model = new ModelFile();

  constructor(file: TestFile) {
    this.#file = file;
  }

  static async open(place: FilePlace): Promise<Compared> {
    return new Compared(await place.open('x'));
  }

  async write(length: number, offset: number, seed = 1): Promise<void> {
    this.#model.write(pattern(length, seed), offset);
    await this.#file.write(pattern(length, seed), offset);
    await this.compare(`after ${length} bytes were written at ${offset}`);
  }

  async truncate(size: number): Promise<void> {
    this.#model.truncate(size);
    await this.#file.truncate(size);
    await this.compare(`after it was truncated to ${size}`);
  }

  async compare(when: string): Promise<void> {
    equal(await this.#file.size(), this.#model.size, `size ${when}`);
    sameBytes(await this.#file.content(), this.#model.bytes, `content ${when}`);
  }

  get size(): number {
    return this.#model.size;
  }
}

export const writeCases = [
  write('at-the-start', [], async (place) => {
    const file = await Compared.open(place);
    await file.write(100, 0);
  }),

  write('over-what-is-there', [], async (place) => {
    const file = await Compared.open(place);
    await file.write(10_000, 0);
    await file.write(1, 5000, 2);
    await file.write(100, 4090, 3);
    await file.write(100, 0, 4);
    await file.write(100, 9900, 5);
  }),

  write('across-the-end', [], async (place) => {
    const file = await Compared.open(place);
    await file.write(1000, 0);
    await file.write(1000, 500, 2);
    await file.write(1000, 1500, 3);
  }),

  write('byte-by-byte', [], async (place) => {
    const file = await Compared.open(place);
    for (let i = 0; i < 200; i++) await file.write(1, i, i);
  }),

  write('leaves-zeros-before-it', [], async (place) => {
    const file = await Compared.open(place);
    await file.write(10, 1000);
    await file.write(10, 200_000, 2);
    await file.write(10, 100_000, 3);
  }),

  ...BORDERS.map((border) =>
    write(`around-${border}`, [], async (place) => {
      const file = await Compared.open(place);
      for (const length of [1, 2, 3]) {
        for (const offset of around(border)) await file.write(length, offset - 1, length + offset);
      }
      for (const length of around(border)) {
        for (const offset of [0, 1, ...around(border)]) await file.write(length, offset, length + offset);
      }
    }),
  ),

  write('a-mebibyte-at-once', [], async (place) => {
    const file = await Compared.open(place);
    await file.write(2 ** 20 + 3, 12_345);
  }),

  write('does-not-keep-the-buffer', [], async (place) => {
    const file = await place.open('x');
    const buffer = pattern(65536);
    for (const [i, length] of [1, 512, 4096, 65536].entries()) {
      // The whole of a buffer, and part of one: either could be kept.
      const whole = buffer.slice(0, length);
      await file.write(whole, i * 65536);
      sameBytes(
        (await file.read(length, i * 65536)).bytes,
        whole,
        `${length} bytes, when the buffer was used anew`,
      );
    }
  }),

  write('takes-no-more-than-its-buffer', [], async (place) => {
    const file = await place.open('x');
    const memory = pattern(5000);
    await place.answer('write', file.file.write(memory.subarray(1000, 1100), 0));
    sameBytes(
      await file.content(),
      pattern(5000).subarray(1000, 1100),
      'content after part of a buffer was written',
    );
    sameBytes(memory, pattern(5000), 'the buffer after it');
  }),

  write('at-random', [], async (place) => {
    const file = await Compared.open(place);
    const random = new Random(2);
    for (let i = 0; i < (place.full ? 1000 : 60); i++) {
      const offset = random.below(3) === 0 ? file.size : random.below(150_000);
      if (random.below(6) === 0) await file.truncate(random.below(160_000));
      else await file.write(1 + random.below(random.below(5) === 0 ? 70_000 : 5000), offset, i);
    }
  }),

  truncate('shorter', [], async (place) => {
    const file = await Compared.open(place);
    await file.write(10_000, 0);
    for (const size of [9999, 8192, 4097, 4096, 1, 0]) await file.truncate(size);
  }),

  truncate('longer', [], async (place) => {
    const file = await Compared.open(place);
    await file.truncate(1);
    await file.write(100, 0);
    for (const size of [101, 4096, 4097, 100_000]) await file.truncate(size);
  }),

  truncate('to-the-same', [], async (place) => {
    const file = await Compared.open(place);
    await file.truncate(0);
    await file.write(5000, 0);
    await file.truncate(5000);
  }),

  truncate('leaves-no-old-bytes', [], async (place) => {
    const file = await Compared.open(place);
    await file.write(10_000, 0);
    await file.truncate(100);
    await file.truncate(10_000);
    await file.truncate(50);
    // Past the end that it has now: what was there before is gone.
    await file.write(10, 9000, 2);
  }),

  ...BORDERS.map((border) =>
    truncate(`around-${border}`, [], async (place) => {
      const file = await Compared.open(place);
      for (const from of around(border)) {
        for (const to of around(border)) {
          await file.write(from, 0, from);
          await file.truncate(from);
          await file.truncate(to);
          await file.write(1, to + 1, to);
        }
      }
    }),
  ),

  truncate('then-goes-on', [], async (place) => {
    const file = await Compared.open(place);
    for (let i = 0; i < 20; i++) {
      await file.write(70_000, 0, i);
      await file.truncate(0);
      await file.write(10, 60_000, i + 1);
      await file.truncate(0);
    }
  }),

  ...BORDERS.map((border) =>
    size(`around-${border}`, [], async (place) => {
      for (const length of around(border)) {
        const path = `size ${length}`;
        await place.put(path, pattern(length));
        const file = await place.open(path);
        equal(await file.size(), length, `size of a file of ${length}`);
        equal((await file.read(10, length - 5)).count, 5, `bytes read at its end`);
        equal((await file.read(10, length)).count, 0, `bytes read after its end`);
      }
    }),
  ),

  size('is-not-changed-by-reading', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(10), 0);
    await file.read(1000, 5);
    await file.read(1000, 100_000);
    equal(await file.size(), 10, 'size after reads past the end');
  }),
];
