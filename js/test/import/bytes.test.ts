// Files of other SQLites, as bytes: with what a crash leaves beside them, and with what a bad copy loses of them.

import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { type ImportSource, importFrom } from '../../src/import.js';
import { DatabaseSync, getVFS, init, registerVFS, unregisterVFS, VFS } from '../../src/index.js';
import { hotFiles, MANY, nativeFiles, SONGS, walFiles } from './native.js';

beforeAll(() => init());

afterEach(() => {
  const memory = getVFS();
  for (const { name } of memory.list()) memory.delete(name);
});

const plain = () => nativeFiles((db) => db.exec(SONGS)).database;

function titles(path: string, vfs = 'memory'): unknown[] {
  const db = new DatabaseSync(path, { vfs, readOnly: true });
  try {
    return db
      .prepare('SELECT title FROM song ORDER BY id LIMIT 2')
      .all()
      .map(({ title }) => title);
  } finally {
    db.close();
  }
}

function count(path: string, where = 'true'): unknown {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(`SELECT count(*) AS n FROM song WHERE ${where}`).get()?.n;
  } finally {
    db.close();
  }
}

const both = ['Gymnopédie No. 1', 'Clair de lune'];
const names = () =>
  getVFS()
    .list()
    .map(({ name }) => name);

describe('bytes', () => {
  const bytes = plain();
  const half = bytes.length / 2;
  const forms: [string, () => ImportSource][] = [
    ['a Uint8Array', () => bytes],
    ['an ArrayBuffer', () => bytes.slice().buffer],
    ['a Blob', () => new Blob([bytes])],
    ['a stream', () => new Blob([bytes]).stream()],
    [
      'chunks',
      async function* () {
        yield bytes.subarray(0, half);
        yield bytes.subarray(half);
      },
    ],
    ['an object', () => ({ database: bytes, name: 'songs.db' })],
  ].map(([name, form]) => [name as string, () => (form as () => ImportSource)()]);

  test.each(forms)('%s', async (_, form) => {
    const before = bytes.slice();
    const report = await importFrom(form(), { path: 'here.db' });
    expect(report).toMatchObject({ kind: 'database', warnings: [] });
    expect(report.databases).toEqual([
      {
        name: expect.any(String),
        vfs: 'memory',
        path: 'here.db',
        replaced: false,
        size: bytes.length,
        pageSize: 4096,
        journalMode: 'rollback',
        normalised: false,
        recovered: null,
        check: { pragma: 'integrity_check', result: 'ok' },
      },
    ]);
    expect(titles('here.db')).toEqual(both);
    expect(getVFS().export('here.db')).toEqual(bytes);
    expect(bytes).toEqual(before);
    expect(names()).toEqual(['here.db']);
  });

  test('a File has a name', async () => {
    const report = await importFrom(new File([bytes], 'songs.db'));
    expect(report.found).toBe("the bytes of a database, 'songs.db'");
    expect(report.databases[0]?.path).toBe('songs.db');
  });

  test('other bytes do not: a path is asked for', async () => {
    await expect(importFrom(bytes)).rejects.toThrow('give "target.path"');
  });

  test('an empty file is a database without tables', async () => {
    const report = await importFrom(new Uint8Array(), { path: 'empty.db' });
    expect(report.databases[0]).toMatchObject({ size: 0, check: { result: 'ok' } });
  });

  test('the quick check', async () => {
    const { databases } = await importFrom(bytes, { path: 'here.db', check: 'quick' });
    expect(databases[0]?.check).toEqual({ pragma: 'quick_check', result: 'ok' });
  });
});

describe('a log', () => {
  test('is applied, and the file leaves WAL mode', async () => {
    const files = walFiles();
    const before = structuredClone(files);
    const report = await importFrom({ ...files, name: 'songs.db' });
    expect(report.databases[0]).toMatchObject({
      journalMode: 'wal',
      normalised: true,
      recovered: { from: 'wal', frames: (Number(files.wal?.length) - 32) / (4096 + 24) },
      check: { result: 'ok' },
    });
    expect(count('songs.db')).toBe(2002);
    expect(getVFS().readAt('songs.db', 18, 2)).toEqual(new Uint8Array([1, 1]));
    expect(files).toEqual(before);
    expect(names()).toEqual(['songs.db']);
  });

  test('is applied, and the file stays in WAL mode where that is asked for', async () => {
    const report = await importFrom({ ...walFiles(), name: 'songs.db' }, { journalMode: 'keep' });
    expect(report.databases[0]).toMatchObject({ journalMode: 'wal', normalised: false });
    expect(getVFS().readAt('songs.db', 18, 2)).toEqual(new Uint8Array([2, 2]));
    expect(names()).toEqual(['songs.db']);
    expect(count('songs.db')).toBe(2002);
  });

  test('that is torn counts as far as it is whole', async () => {
    const files = walFiles();
    const wal = files.wal as Uint8Array;
    await importFrom({ ...files, wal: wal.subarray(0, wal.length - 100), name: 'songs.db' });
    expect(count('songs.db')).toBe(2);
  });

  test('that is left out was the last that was written: the report says the mode', async () => {
    const report = await importFrom(walFiles().database, { path: 'songs.db' });
    expect(report.databases[0]).toMatchObject({ journalMode: 'wal', recovered: null });
    expect(count('songs.db')).toBe(2);
  });

  test('beside an empty file is named', async () => {
    const report = await importFrom({ database: new Uint8Array(), wal: walFiles().wal, name: 'x.db' });
    expect(report.warnings).toEqual([
      expect.stringMatching(/^Beside 'x.db', which is empty, lies a log of \d+ bytes/),
    ]);
  });
});

describe('a hot journal', () => {
  test('is rolled back', async () => {
    const files = hotFiles();
    const before = structuredClone(files);
    expect(files.journal?.length).toBeGreaterThan(4096);
    const report = await importFrom({ ...files, name: 'songs.db' });
    expect(report.databases[0]).toMatchObject({
      journalMode: 'rollback',
      recovered: { from: 'journal' },
      check: { result: 'ok' },
    });
    expect(count('songs.db')).toBe(2002);
    expect(count('songs.db', "title = 'gone'")).toBe(0);
    expect(files).toEqual(before);
    expect(names()).toEqual(['songs.db']);
  });

  test('without it the same file is not whole', async () => {
    await expect(importFrom(hotFiles().database, { path: 'songs.db' })).rejects.toMatchObject({
      code: 'ERR_SQLITE_ERROR',
      errcode: 11,
      message: expect.stringMatching(
        /^The database was not imported: integrity_check found: .*The source is as it was$/,
      ),
    });
    expect(names()).toEqual([]);
  });

  test('that was finished and kept is no news', async () => {
    const files = nativeFiles((db) => db.exec(`PRAGMA journal_mode = persist; ${SONGS}`));
    expect(files.journal?.length).toBeGreaterThan(0);
    const report = await importFrom({ ...files, name: 'songs.db' });
    expect(report.databases[0]?.recovered).toBeNull();
    expect(titles('songs.db')).toEqual(both);
    expect(names()).toEqual(['songs.db']);
  });
});

describe('what is not whole', () => {
  const whole = nativeFiles((db) => db.exec(`${SONGS}; ${MANY}`)).database;
  const changed = (offset: number, ...bytes: number[]) => {
    const copy = whole.slice();
    copy.set(bytes, offset);
    return copy;
  };
  test.each([
    [
      'not a database',
      new TextEncoder().encode('title;year\n'.repeat(20)),
      'it does not begin with "SQLite format 3"',
    ],
    ['a header alone', whole.slice(0, 60), '60 bytes are fewer than its header has'],
    ['cut off in a page', whole.slice(0, whole.length - 1000), 'are no whole number of pages of 4096'],
    [
      'cut off after a page',
      whole.slice(0, whole.length - 4096),
      `its header says ${whole.length / 4096} pages`,
    ],
    ['an impossible page size', changed(16, 3, 7), 'its page size of 775 bytes is impossible'],
    ['a page overwritten', changed(4096 * 3, ...new Uint8Array(4096).fill(255)), 'disk image is malformed'],
  ])('%s', async (_, bytes, words) => {
    const old = plain();
    getVFS().import('songs.db', old);
    const error = await importFrom(bytes, { path: 'songs.db', replace: true }).catch((error) => error);
    expect(error).toMatchObject({ code: 'ERR_SQLITE_ERROR', message: expect.stringContaining(words) });
    // What was to be replaced is still there, and nothing else.
    expect(getVFS().export('songs.db')).toEqual(old);
    expect(names()).toEqual(['songs.db']);
  });

  test('a function that this SQLite does not have is said, and does not stand in the way', async () => {
    const made = nativeFiles((db) => {
      (db as unknown as { function(name: string, options: object, body: unknown): void }).function(
        'loud',
        { deterministic: true },
        (text: string) => text.toUpperCase(),
      );
      db.exec(`${SONGS}; CREATE INDEX by_loud ON song (loud(title))`);
    }).database;
    const { databases, warnings } = await importFrom({ database: made, name: 'songs.db' });
    expect(databases[0]?.check).toEqual({ pragma: 'quick_check', result: 'ok' });
    expect(warnings).toEqual(["integrity_check cannot be run on 'songs.db' here: unknown function: loud()."]);
    expect(titles('songs.db')).toEqual(both);
  });
});

describe('the target', () => {
  test('is not overwritten unasked', async () => {
    getVFS().import('songs.db', plain());
    await expect(importFrom(plain(), { path: 'songs.db' })).rejects.toThrow(
      "There is a 'songs.db' on 'memory' already: give another \"target.path\", or replace: true.",
    );
  });

  test('is replaced when asked, with the journal that lay beside it', async () => {
    const hot = hotFiles();
    const memory = getVFS();
    memory.writeAt('songs.db', hot.database, 0);
    memory.writeAt('songs.db-journal', hot.journal as Uint8Array, 0);
    const { databases } = await importFrom(plain(), { path: 'songs.db', replace: true });
    expect(databases[0]?.replaced).toBe(true);
    expect(names()).toEqual(['songs.db']);
    expect(count('songs.db')).toBe(2);
  });

  test('that is open is left alone', async () => {
    const db = new DatabaseSync('songs.db');
    db.exec('CREATE TABLE mine (a)');
    await expect(importFrom(plain(), { path: 'songs.db', replace: true })).rejects.toThrow(/open/);
    expect(db.prepare('SELECT count(*) AS n FROM mine').get()).toEqual({ n: 0 });
    db.close();
    expect(names()).toEqual(['songs.db']);
  });

  test('a VFS that is not there', async () => {
    await expect(importFrom(plain(), { path: 'x', vfs: 'nowhere' })).rejects.toThrow(
      "no VFS named 'nowhere'",
    );
  });

  test('wrong arguments are named', async () => {
    const bytes = plain();
    const wrong = (source: unknown, target: unknown = { path: 'x' }) =>
      expect(importFrom(source as ImportSource, target as object)).rejects;
    await wrong('songs.db').toThrow('The "source" argument must be bytes');
    await wrong({ sqljs: bytes }).toThrow('or an object with one of: database, opfs-sahpool,');
    await wrong({ database: 'songs.db' }).toThrow('The "source.database" argument must be bytes');
    const directory = { getFileHandle: () => {}, [Symbol.asyncIterator]: () => {} };
    await wrong(directory).toThrow('or an object with one of');
    await wrong({ opfs: 'songs' }).toThrow('must be a FileSystemDirectoryHandle');
    await wrong({ indexedDB: 7 }).toThrow('must be the name of an IndexedDB database');
    await wrong({ indexedDB: 'x' }).toThrow('There is no IndexedDB here');
    await wrong(bytes, { path: 'x', check: 'none' }).toThrow(`must be 'integrity' or 'quick'`);
    await wrong(bytes, { path: 'x', vfs: 3 }).toThrow('must be the name of a VFS');
    await wrong(bytes, { path: 'x\0y' }).toThrow('without null bytes');
  });
});

describe('a VFS in JavaScript as the target', () => {
  const vfs = new MapVFS('shelf');
  beforeAll(() => {
    registerVFS(vfs);
    return () => unregisterVFS('shelf');
  });
  afterEach(() => vfs.delete('songs.db'));

  test('gets the bytes', async () => {
    const { databases } = await importFrom(plain(), { vfs: 'shelf', path: 'songs.db' });
    expect(databases[0]).toMatchObject({ vfs: 'shelf', path: 'songs.db', replaced: false });
    expect(titles('songs.db', 'shelf')).toEqual(both);
    expect(names()).toEqual([]);
  });

  test('has its own replaced, and not while it is written', async () => {
    const db = new DatabaseSync('songs.db', { vfs: 'shelf' });
    db.exec('CREATE TABLE mine (a); BEGIN IMMEDIATE');
    const again = () => importFrom(plain(), { vfs: 'shelf', path: 'songs.db', replace: true });
    await expect(again()).rejects.toThrow('database is locked');
    db.exec('ROLLBACK');
    await expect(importFrom(plain(), { vfs: 'shelf', path: 'songs.db' })).rejects.toThrow('already');
    await again();
    expect(db.prepare('SELECT count(*) AS n FROM song').get()).toEqual({ n: 2 });
    db.close();
  });

  test('keeps what it had if writing fails', async () => {
    await importFrom(plain(), { vfs: 'shelf', path: 'songs.db' });
    const open = vfs.open.bind(vfs);
    let left = 1;
    vfs.open = (...args) => {
      const file = open(...args);
      const write = file.write.bind(file);
      file.write = (bytes, offset) => {
        if (left-- <= 0 && left > -2) throw new Error('full');
        write(bytes, offset);
      };
      return file;
    };
    try {
      const big = nativeFiles((db) => db.exec(`${SONGS}; ${MANY}; ${MANY}; ${MANY}; ${MANY}`)).database;
      expect(big.length).toBeGreaterThan(1024 * 1024);
      await expect(importFrom(big, { vfs: 'shelf', path: 'songs.db', replace: true })).rejects.toThrow(
        'full',
      );
    } finally {
      vfs.open = open;
    }
    expect(titles('songs.db', 'shelf')).toEqual(both);
  });

  test('refuses where an old journal lies in wait', async () => {
    const journal = vfs.open('songs.db-journal', VFS.SQLITE_OPEN_MAIN_JOURNAL | VFS.SQLITE_OPEN_CREATE);
    journal.write(new Uint8Array(600), 0);
    journal.close();
    await expect(importFrom(plain(), { vfs: 'shelf', path: 'songs.db' })).rejects.toThrow(
      "'songs.db-journal' is at the target",
    );
    vfs.delete('songs.db-journal');
  });
});
