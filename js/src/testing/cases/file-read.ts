/** Reading. */
import { equal, sameBytes } from '../assert.js';
import { pattern, Random } from '../bytes.js';
import { fileCases } from '../case.js';

const read = fileCases('read');

export const readCases = [
  read('whole', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(4096), 0);
    const { count, bytes } = await file.read(4096, 0);
    equal(count, 4096, 'bytes read');
    sameBytes(bytes, pattern(4096), 'what was read');
  }),

  read('part', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(4096), 0);
    for (const [length, offset] of [
      [1, 0],
      [16, 24],
      [100, 0],
      [1000, 3000],
      [1, 4095],
    ] as const) {
      const { count, bytes } = await file.read(length, offset);
      equal(count, length, `bytes read at ${offset}`);
      sameBytes(bytes, pattern(4096).subarray(offset, offset + length), `what was read at ${offset}`);
    }
  }),

  read('short-at-end', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(1000), 0);
    const { count, bytes } = await file.read(4096, 600);
    equal(count, 400, 'bytes read where the file ends after 400');
    sameBytes(bytes.subarray(0, 400), pattern(1000).subarray(600), 'what was read');
  }),

  read('nothing-past-end', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(1000), 0);
    for (const offset of [1000, 1001, 4096, 1_000_000, 2 ** 33]) {
      equal((await file.read(100, offset)).count, 0, `bytes read at ${offset}, of a file of 1000`);
    }
  }),

  read('nothing-of-an-empty-file', [], async (place) => {
    const file = await place.open('x');
    equal((await file.read(100, 0)).count, 0, 'bytes read of an empty file');
  }),

  read('at-random', [], async (place) => {
    const file = await place.open('x');
    const content = pattern(200_000, 7);
    await file.write(content, 0);
    const random = new Random(1);
    for (let i = 0; i < (place.full ? 5000 : 300); i++) {
      const offset = random.below(210_000);
      const length = 1 + random.below(random.below(4) === 0 ? 70_000 : 600);
      const { count, bytes } = await file.read(length, offset);
      const expected = content.subarray(offset, offset + length);
      equal(count, expected.length, `bytes read of ${length} at ${offset}`);
      sameBytes(bytes.subarray(0, count), expected, `what was read at ${offset}`);
    }
  }),

  read('stays-within-its-buffer', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(3000), 0);
    // A view, as SQLite's buffers are: what is around it is somebody else's.
    const memory = new Uint8Array(5000).fill(9);
    equal(await file.readInto(memory.subarray(1000, 3000), 500), 2000, 'bytes read');
    sameBytes(memory.subarray(1000, 3000), pattern(3000).subarray(500, 2500), 'what was read');
    sameBytes(memory.subarray(0, 1000), new Uint8Array(1000).fill(9), 'memory before the buffer');
    sameBytes(memory.subarray(3000), new Uint8Array(2000).fill(9), 'memory after the buffer');
  }),

  read('leaves-the-buffer-alone-afterwards', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(4096, 1), 0);
    const buffer = new Uint8Array(4096);
    await file.readInto(buffer, 0);
    await file.write(pattern(4096, 2), 0);
    await file.read(4096, 0);
    await file.truncate(0);
    await file.close();
    sameBytes(buffer, pattern(4096, 1), 'what the buffer of an earlier read holds');
  }),

  read('hands-out-copies', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(4096), 0);
    const buffer = new Uint8Array(4096);
    await file.readInto(buffer, 0);
    buffer.fill(3);
    sameBytes(await file.content(), pattern(4096), 'content after the buffer of a read was changed');
  }),
];
