/** A VFS that can only be read. */
import * as VFS from '../../vfs-constants.js';
import { equal, ok, sameBytes, thrownBy } from '../assert.js';
import { pattern } from '../bytes.js';
import { fileCases } from '../case.js';
import { READ, THERE } from '../file-place.js';

const readOnly = fileCases('read-only', 'read only');

const FILES = new Map([['x', pattern(5000)]]);

export const readOnlyCases = [
  readOnly('has-its-files', [], async (place) => {
    await place.refill(FILES);
    equal(await place.exists('x'), true, 'exists of what is there');
    equal(await place.exists('y'), false, 'exists of what is not');
    const file = await place.open('x', READ);
    sameBytes(await file.content(), pattern(5000), 'content');
    equal((await file.read(100, 4950)).count, 50, 'bytes read at the end');
    equal((await file.read(100, 5000)).count, 0, 'bytes read after the end');
  }),

  readOnly('says-so', [], async (place) => {
    await place.refill(FILES);
    const { file } = await place.open('x', THERE);
    ok(file.readOnly === true, 'a file opened to be written does not say `readOnly`, and cannot be written');
  }),

  readOnly('makes-no-file', [], async (place) => {
    await place.refill(FILES);
    const flags = VFS.SQLITE_OPEN_READWRITE | VFS.SQLITE_OPEN_CREATE | VFS.SQLITE_OPEN_MAIN_DB;
    await thrownBy(() => place.open('y', flags), 'making a file');
    equal(await place.exists('y'), false, 'exists after it was refused');
  }),
];
