/** Files beyond what 31 and 32 bits count. They are holes for the most part. */
import { equal, sameBytes } from '../assert.js';
import { pattern } from '../bytes.js';
import { fileCases } from '../case.js';

const large = fileCases('large', 'large files');

export const largeCases = [
  ...Object.entries({ '2-gib': 2 ** 31, '4-gib': 2 ** 32 }).map(([name, border]) =>
    large(`around-${name}`, [], async (place) => {
      const file = await place.open('x');
      await file.write(pattern(100, 1), 0);
      await file.write(pattern(8192, 2), border - 4096);
      equal(await file.size(), border + 4096, 'size');
      sameBytes((await file.read(8192, border - 4096)).bytes, pattern(8192, 2), 'what was written around it');
      sameBytes((await file.read(100, 0)).bytes, pattern(100, 1), 'what is at the start');
      sameBytes((await file.read(100, border - 5000)).bytes, new Uint8Array(100), 'the hole before it');
      equal((await file.read(100, border + 4090)).count, 6, 'bytes read at the end');
    }),
  ),

  large('offsets-are-not-cut-to-32-bits', [], async (place) => {
    const file = await place.open('x');
    await file.write(pattern(16, 1), 4096);
    await file.write(pattern(16, 2), 2 ** 32 + 4096);
    sameBytes((await file.read(16, 4096)).bytes, pattern(16, 1), 'what is 4 GiB before');
    sameBytes((await file.read(16, 2 ** 32 + 4096)).bytes, pattern(16, 2), 'what is 4 GiB behind');
  }),

  large('truncates', [], async (place) => {
    const file = await place.open('x');
    await file.truncate(2 ** 32 + 4097);
    equal(await file.size(), 2 ** 32 + 4097, 'size when it was made longer');
    await file.write(pattern(16), 2 ** 32 + 10);
    await file.truncate(2 ** 32 + 20);
    equal((await file.read(16, 2 ** 32 + 10)).count, 10, 'bytes read where it was cut');
    await file.truncate(2 ** 32 - 1);
    equal(await file.size(), 2 ** 32 - 1, 'size when it was cut');
    await file.truncate(2 ** 32 + 100);
    sameBytes((await file.read(16, 2 ** 32 + 10)).bytes, new Uint8Array(16), 'what was cut off');
  }),
];
