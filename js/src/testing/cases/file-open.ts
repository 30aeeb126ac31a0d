/** Opening: what is made, what is refused, and what is left behind. */
import * as VFS from '../../vfs-constants.js';
import { equal, ok, sameBytes, thrownBy } from '../assert.js';
import { pattern } from '../bytes.js';
import { fileCases } from '../case.js';
import { MAKE, READ, THERE } from '../file-place.js';

const open = fileCases('open');

const { SQLITE_OPEN_CREATE, SQLITE_OPEN_EXCLUSIVE, SQLITE_OPEN_READWRITE } = VFS;

/** Flags of every kind of file that has a name. */
const NAMED_KINDS = {
  MAIN_DB: VFS.SQLITE_OPEN_MAIN_DB,
  MAIN_JOURNAL: VFS.SQLITE_OPEN_MAIN_JOURNAL,
  SUPER_JOURNAL: VFS.SQLITE_OPEN_SUPER_JOURNAL,
  WAL: VFS.SQLITE_OPEN_WAL,
};

/** A refusal to open is `SQLITE_CANTOPEN`: by that code, or by an exception that becomes it. */
async function refused(body: () => unknown, what: string): Promise<void> {
  const { code = 'SQLITE_CANTOPEN' } = await thrownBy(body, what);
  const isRefusal = !code.startsWith('SQLITE_') || code.startsWith('SQLITE_CANTOPEN');
  ok(isRefusal, `${what}: refused with ${code}; expected was SQLITE_CANTOPEN`);
}

export const openCases = [
  open('creates', [], async (place) => {
    equal(await place.exists('x'), false, 'exists before it is made');
    const file = await place.open('x');
    equal(await file.size(), 0, 'size of a new file');
    // While it is empty, a VFS may say that it is not there: for an empty journal SQLite wants to hear just that.
    await file.write(pattern(1), 0);
    equal(await place.exists('x'), true, 'exists once there is something in it');
    await file.close();
    equal(await place.exists('x'), true, 'exists after it was closed');
  }),

  open('missing-is-refused', [], async (place) => {
    await refused(() => place.open('x', THERE), 'opening a missing file to write it');
    equal(await place.exists('x'), false, 'exists after it was refused');
  }),

  open('missing-is-refused-to-readers', [], async (place) => {
    await refused(() => place.open('x', READ), 'opening a missing file to read it');
    equal(await place.exists('x'), false, 'exists after it was refused');
  }),

  open('goes-on-after-a-refusal', [], async (place) => {
    for (const _ of [1, 2, 3]) await refused(() => place.open('x', THERE), 'opening a missing file');
    await place.put('x', pattern(10));
    sameBytes(await place.get('x'), pattern(10), 'content');
  }),

  open('keeps-what-is-there', [], async (place) => {
    await place.put('x', pattern(5000));
    const file = await place.open('x', MAKE);
    sameBytes(await file.content(), pattern(5000), 'content after it was opened with CREATE');
  }),

  open('exclusive-makes', [], async (place) => {
    const file = await place.open('x', MAKE | SQLITE_OPEN_EXCLUSIVE);
    await file.write(pattern(10), 0);
    await file.close();
    sameBytes(await place.get('x'), pattern(10), 'content');
  }),

  open('exclusive-refuses-what-is-there', [], async (place) => {
    await place.put('x', pattern(10));
    await refused(() => place.open('x', MAKE | SQLITE_OPEN_EXCLUSIVE), 'making a file that is there');
    sameBytes(await place.get('x'), pattern(10), 'content after it was refused');
  }),

  open('to-read', [], async (place) => {
    await place.put('x', pattern(3000));
    const file = await place.open('x', READ);
    sameBytes(await file.content(), pattern(3000), 'content');
  }),

  ...Object.entries(NAMED_KINDS).map(([kind, flag]) =>
    open(`as-${kind.toLowerCase().replace('_', '-')}`, [], async (place) => {
      const flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | flag;
      const file = await place.open('x-kind', flags);
      await file.write(pattern(700), 0);
      await file.sync(VFS.SQLITE_SYNC_FULL);
      await file.close();
      const again = await place.open('x-kind', flags);
      sameBytes(await again.content(), pattern(700), 'content when it is opened again');
    }),
  ),

  open('twice-is-one-file', ['several connections'], async (place) => {
    const one = await place.open('x');
    const other = await place.open('x');
    await one.write(pattern(5000), 0);
    sameBytes(await other.content(), pattern(5000), 'what the other has of a write');
    await other.truncate(100);
    equal(await one.size(), 100, 'size after the other truncated');
    await other.close();
    await one.write(pattern(10, 2), 0);
    sameBytes((await one.read(10, 0)).bytes, pattern(10, 2), 'what is written after the other was closed');
  }),

  open('many-at-a-time', [], async (place) => {
    const files = [];
    for (let i = 0; i < 40; i++) {
      const file = await place.open(`many ${i}`);
      await file.write(pattern(100, i), 0);
      files.push(file);
    }
    for (const [i, file] of files.entries()) sameBytes(await file.content(), pattern(100, i), `file ${i}`);
  }),

  open('many-times', [], async (place) => {
    const rounds = place.full ? 5000 : 300;
    for (let i = 0; i < rounds; i++) {
      const file = await place.open('x');
      await file.write(pattern(8, i), i * 8);
      await file.close();
    }
    const file = await place.open('x', READ);
    equal(await file.size(), rounds * 8, 'size after all');
    sameBytes((await file.read(8, 8 * (rounds - 1))).bytes, pattern(8, rounds - 1), 'what was written last');
  }),
];
