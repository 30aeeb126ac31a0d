// Databases that other libraries wrote, imported in real browsers.

import { describe, expect, test } from 'vitest';
import { inEachBrowser } from './each-browser.js';
import { eventually, openPage } from './watched-page.js';

inEachBrowser((place) => {
  async function answerOf(name: string) {
    const { page } = await openPage(
      place.browser,
      `${place.url}import.html?case=${encodeURIComponent(name)}`,
    );
    const text = () => page.$eval('#answer', (element) => element.textContent ?? '');
    await eventually(text, (answer) => expect(answer).not.toBe(''));
    const answer = await text();
    await page.close();
    try {
      return JSON.parse(answer);
    } catch {
      throw new Error(answer);
    }
  }

  const song = (path: string, songs: number, more: object = {}) => ({
    name: `/${encodeURI(path)}`,
    path,
    journalMode: 'rollback',
    recovered: null,
    check: 'ok',
    songs,
    gone: 0,
    exact: true,
    ...more,
  });
  const both = [song('more/of them.db', 2), song('songs.db', 431)];
  const listed = 'with 2 databases: /more/of%20them.db, /songs.db';

  describe.each([
    ['opfs-sahpool', 'an opfs-sahpool pool'],
    ['AccessHandlePool', 'an AccessHandlePool pool'],
  ])('%s', (pool, what) => {
    const found = `${what} ${listed}`;

    test('two databases, one of them under another name', async () => {
      expect(await answerOf(`${pool}: two databases`)).toEqual({
        answer: [
          { kind: pool, found, databases: both, warnings: [] },
          { kind: pool, found, databases: [song('songs.db', 431, { path: 'renamed.db' })], warnings: [] },
        ],
        untouched: true,
        left: ['more/of them.db', 'renamed.db', 'songs.db'],
      });
    });

    test('a pool without databases', async () => {
      expect(await answerOf(`${pool}: empty`)).toEqual({
        kind: pool,
        found: `${what} with no database`,
        databases: [],
        warnings: [],
      });
    });

    test('as a crash in a transaction leaves it', async () => {
      expect(await answerOf(`${pool}: in a transaction`)).toEqual({
        answer: {
          kind: pool,
          found: `${what} with 1 database: /hot.db`,
          databases: [song('hot.db', 502, { recovered: 'journal' })],
          warnings: [],
        },
        untouched: true,
        left: ['hot.db'],
      });
    });

    test('as a crash in WAL mode leaves it', async () => {
      expect(await answerOf(`${pool}: with a log`)).toEqual({
        answer: {
          kind: pool,
          found: `${what} with 1 database: /wal.db`,
          databases: [song('wal.db', 2, { journalMode: 'wal', recovered: 'wal' })],
          warnings: [],
        },
        untouched: true,
        left: ['wal.db'],
      });
    });

    test('while another has it open', async () => {
      expect(await answerOf(`${pool}: open elsewhere`)).toBe(
        "The file '…' is open elsewhere: close what has it open, which may be in another tab, and import again.",
      );
    });

    test('a wrong digest is named, a database that is cut off refused', async () => {
      const damaged = (path: string) =>
        `The pool's file names '${path}', and its digest is wrong: it was left out. ${pool} would take it for a free one, and empty it. ` +
        'Its bytes after the first 4096 can be imported by themselves.';
      const strange = "'notes' (15 bytes) is no file of such a pool, and was left out.";
      const answer = await answerOf(`${pool}: damaged`);
      expect(answer.one).toEqual({
        answer: {
          kind: pool,
          found: `${what} with 1 database: /more/of%20them.db`,
          databases: [song('more/of them.db', 2)],
          warnings: [strange, damaged('/songs.db')],
        },
        untouched: true,
        left: ['more/of them.db'],
      });
      expect(answer.cut).toMatch(
        // The official build has pages of 8192 bytes.
        /^'\/more\/of%20them.db' was not imported: not a database: (its header says 2 pages of 4096 bytes, and there are 1|12288 bytes are no whole number of pages of 8192). The source is as it was$/,
      );
      expect(answer.all).toMatchObject({
        found: `${what} with no database`,
        warnings: expect.arrayContaining([damaged('/songs.db'), damaged('/more/of%20them.db'), strange]),
      });
    });
  });

  describe.each(['IDBBatchAtomic', 'IDBMirror'])('%s', (vfs) => {
    const what = (name: string) => `an ${vfs} database of IndexedDB, '${vfs} ${name}',`;

    test('two databases', async () => {
      const answer = { kind: vfs, found: `${what('two')} ${listed}`, databases: both, warnings: [] };
      expect(await answerOf(`${vfs}: two databases`)).toEqual({
        answer: [answer, answer],
        untouched: true,
        left: ['more/of them.db', 'songs.db'],
      });
    });

    test('in the middle of a transaction', async () => {
      const recovered = vfs === 'IDBBatchAtomic' ? 'journal' : null;
      expect(await answerOf(`${vfs}: in a transaction`)).toEqual({
        answer: {
          kind: vfs,
          found: `${what('hot')} with 1 database: /hot.db`,
          databases: [song('hot.db', 502, { recovered })],
          warnings: [],
        },
        untouched: true,
        left: ['hot.db'],
      });
    });

    test('a block is missing', async () => {
      expect(await answerOf(`${vfs}: a block is missing`)).toEqual({
        answer:
          "'/songs.db' is not whole: its bytes 8192 to 12287 are missing at the source, which was left as it is",
        untouched: true,
        left: [],
      });
    });
  });

  test('IDBBatchAtomic: pages of a transaction that was not committed do not count', async () => {
    expect(await answerOf('IDBBatchAtomic: a transaction that was not committed')).toMatchObject({
      answer: { databases: both, warnings: [] },
      untouched: true,
    });
  });

  test('files under their own names, with a log', async () => {
    expect(await answerOf('files: under their own names')).toEqual({
      answer: {
        kind: 'files',
        found: 'a directory with 1 database: theirs.db',
        databases: [song('theirs.db', 100, { name: 'theirs.db', journalMode: 'wal', recovered: 'wal' })],
        warnings: [],
      },
      untouched: true,
      left: ['theirs.db'],
    });
  });

  test('what is something else is told', async () => {
    expect(await answerOf('what it is not')).toEqual({
      'sahpool as AccessHandlePool':
        "Found no AccessHandlePool pool. It is an opfs-sahpool pool: import { 'opfs-sahpool': … } or { opfs: … }.",
      'AccessHandlePool as sahpool':
        "Found no opfs-sahpool pool. It is an AccessHandlePool pool: import { 'AccessHandlePool': … } or { opfs: … }.",
      'a folder further in': expect.stringMatching(
        /^Found no database. Its folder '.+' is the directory of opfs-sahpool: give that one.$/,
      ),
      'an empty folder': "Found no database. The directory 'nothing' has inside/.",
      'a mirror as batch-atomic':
        "The IndexedDB database 'a mirror' is not of IDBBatchAtomic. It is of IDBMirror: import { IDBMirror: … } or { indexedDB: … }.",
      'no database': "There is no IndexedDB database 'not there' at this origin.",
      'another database':
        "The IndexedDB database 'other' is not of IDBBatchAtomic or IDBMirror. Its object stores are notes.",
      made: false,
    });
  });

  describe('in a page', () => {
    test('a pool that is open, in a transaction, is what a crash would leave', async () => {
      expect(await answerOf('page: a pool that is open, in a transaction')).toEqual({
        found: 'an opfs-sahpool pool with 1 database: /hot.db',
        recovered: { from: 'journal' },
        songs: 502,
      });
    });

    test('a pool that is written while it is read is refused', async () => {
      expect(await answerOf('page: a pool that is written meanwhile')).toBe(
        "The file '…' was written while it was read: close what has it open, which may be in another tab, and import again.",
      );
    });
  });
});
