/** Any legal name is a file of its own. */
import { equal, sameBytes } from '../assert.js';
import { pattern } from '../bytes.js';
import { fileCases } from '../case.js';
import type { FilePlace } from '../file-place.js';
import { longestName, needsName, SHAPES, SIMILAR } from './names.js';

const names = fileCases('names');

/** A file of this name, and those beside it, are files of their own. */
async function isOwnFile(place: FilePlace, name: string): Promise<void> {
  needsName(place.subject, name);
  const sidecar = `${name}-journal`;
  await place.put(name, pattern(300, 1));
  equal(await place.exists(sidecar), false, 'exists of the journal beside it');
  await place.put(sidecar, pattern(200, 2));
  sameBytes(await place.get(name), pattern(300, 1), 'content');
  sameBytes(await place.get(sidecar), pattern(200, 2), 'content of the journal beside it');
  await place.delete(sidecar);
  equal(await place.exists(sidecar), false, 'exists of a deleted journal');
  sameBytes(await place.get(name), pattern(300, 1), 'content after the journal was deleted');
  await place.delete(name);
  equal(await place.exists(name), false, 'exists after it was deleted');
}

export const nameCases = [
  ...Object.entries(SHAPES).map(([shape, name]) => names(shape, [], (place) => isOwnFile(place, name))),

  ...Object.entries({ ascii: 'x', 'of-two-bytes': 'é', 'of-four-bytes': '😀' }).map(([kind, letter]) =>
    names(`longest-${kind}`, [], (place) => isOwnFile(place, longestName(place.vfs, letter))),
  ),

  names('similar-are-different', [], async (place) => {
    const usable = SIMILAR.filter((name) => !place.subject.promises?.refusesName?.(name));
    for (const [i, name] of usable.entries()) await place.put(name, pattern(50, i));
    for (const [i, name] of usable.entries()) {
      sameBytes(await place.get(name), pattern(50, i), `content of ${JSON.stringify(name)}`);
    }
    for (const [i, name] of usable.entries()) {
      await place.delete(name);
      for (const other of usable.slice(i + 1)) {
        equal(await place.exists(other), true, `exists of ${JSON.stringify(other)} when another was deleted`);
      }
    }
  }),

  names('full-stay-full', ['full names'], async (place) => {
    for (const name of ['x.db', 'a/b.db', 'a#b']) {
      if (place.subject.promises?.refusesName?.(name)) continue;
      const full = await place.fullName(name);
      equal(await place.fullName(full), full, 'the full form of a full name');
    }
  }),
];
