/** Deleting, and files that are gone when they are closed. */
import * as VFS from '../../vfs-constants.js';
import { equal, sameBytes, thrownBy } from '../assert.js';
import { pattern } from '../bytes.js';
import { fileCases } from '../case.js';
import { MAKE, THERE } from '../file-place.js';

const deleting = fileCases('delete');
const temporary = fileCases('temporary', 'temporary files');

const KINDS = {
  'temp-db': VFS.SQLITE_OPEN_TEMP_DB,
  'transient-db': VFS.SQLITE_OPEN_TRANSIENT_DB,
  'temp-journal': VFS.SQLITE_OPEN_TEMP_JOURNAL,
  subjournal: VFS.SQLITE_OPEN_SUBJOURNAL,
};

/** As SQLite opens a temporary file. */
const temp = (kind: number) =>
  kind |
  VFS.SQLITE_OPEN_READWRITE |
  VFS.SQLITE_OPEN_CREATE |
  VFS.SQLITE_OPEN_EXCLUSIVE |
  VFS.SQLITE_OPEN_DELETEONCLOSE;

export const deleteCases = [
  ...[false, true].map((syncDir) =>
    deleting(syncDir ? 'durably' : 'at-leisure', [], async (place) => {
      await place.put('x', pattern(5000));
      await place.delete('x', syncDir);
      equal(await place.exists('x'), false, 'exists after it was deleted');
      await thrownBy(() => place.open('x', THERE), 'opening what was deleted');
    }),
  ),

  deleting('what-is-not-there', [], async (place) => {
    await place.delete('x', false);
    await place.delete('x', true);
    equal(await place.exists('x'), false, 'exists after it was deleted');
  }),

  deleting('nothing-else', [], async (place) => {
    for (const [i, name] of ['x', 'x-journal', 'y'].entries()) await place.put(name, pattern(100, i));
    await place.delete('x');
    sameBytes(await place.get('x-journal'), pattern(100, 1), 'content of another file');
    sameBytes(await place.get('y'), pattern(100, 2), 'content of another file');
  }),

  deleting('leaves-no-old-bytes', [], async (place) => {
    await place.put('x', pattern(5000));
    await place.delete('x');
    const file = await place.open('x', MAKE);
    equal(await file.size(), 0, 'size when it was made again');
    await file.write(pattern(1), 4000);
    sameBytes((await file.read(4000, 0)).bytes, new Uint8Array(4000), 'the hole in it');
  }),

  deleting('on-close', [], async (place) => {
    const flags = VFS.SQLITE_OPEN_READWRITE | VFS.SQLITE_OPEN_CREATE | VFS.SQLITE_OPEN_DELETEONCLOSE;
    const file = await place.open('x', flags | VFS.SQLITE_OPEN_SUPER_JOURNAL);
    await file.write(pattern(100), 0);
    sameBytes(await file.content(), pattern(100), 'content while it is open');
    await file.close();
    equal(await place.exists('x'), false, 'exists after it was closed');
  }),

  ...Object.entries(KINDS).map(([name, kind]) =>
    temporary(name, [], async (place) => {
      const file = await place.open(null, temp(kind));
      await file.write(pattern(5000), 100);
      sameBytes((await file.read(5000, 100)).bytes, pattern(5000), 'what was written');
      sameBytes((await file.read(100, 0)).bytes, new Uint8Array(100), 'the hole before it');
      await file.truncate(200);
      equal(await file.size(), 200, 'size when it was cut');
    }),
  ),

  temporary('are-files-of-their-own', [], async (place) => {
    const [one, other] = [
      await place.open(null, temp(KINDS['temp-db'])),
      await place.open(null, temp(KINDS.subjournal)),
    ];
    await one.write(pattern(100, 1), 0);
    equal(await other.size(), 0, 'size of another temporary file');
    await other.write(pattern(50, 2), 0);
    sameBytes(await one.content(), pattern(100, 1), 'content');
    await other.close();
    sameBytes(await one.content(), pattern(100, 1), 'content after the other was closed');
  }),

  temporary('are-gone-when-closed', [], async (place) => {
    const file = await place.open(null, temp(KINDS['temp-db']));
    await file.write(pattern(100), 0);
    await file.close();
    const next = await place.open(null, temp(KINDS['temp-db']));
    equal(await next.size(), 0, 'size of the next temporary file');
  }),

  temporary('grow', [], async (place) => {
    const file = await place.open(null, temp(KINDS['transient-db']));
    for (let i = 0; i < 32; i++) await file.write(pattern(65536, i), i * 65536);
    for (let i = 31; i >= 0; i--) {
      sameBytes((await file.read(65536, i * 65536)).bytes, pattern(65536, i), `part ${i}`);
    }
  }),
];
