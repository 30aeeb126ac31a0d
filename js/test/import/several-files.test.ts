// A crash in the commit of a transaction over two databases. Whether it was committed is for the super-journal to say.

import { afterEach, beforeAll, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { importFrom } from '../../src/import.js';
import { DatabaseSync, getVFS, init, registerVFS, unregisterVFS } from '../../src/index.js';

type Files = Map<string, Uint8Array<ArrayBuffer>>;

/** Keeps what is there in the moment before a super-journal is deleted, which is the commit. */
class CrashingVFS extends MapVFS {
  readonly left: Files = new Map();

  override delete(path: string): void {
    if (/-mj[0-9A-F]+$/.test(path)) {
      for (const [name, { data, size }] of this.files)
        this.left.set(name, new Uint8Array(data.slice(0, size)));
    }
    super.delete(path);
  }
}

let left: Files;
beforeAll(async () => {
  await init();
  const vfs = new CrashingVFS('crashing');
  registerVFS(vfs);
  const db = new DatabaseSync('a.db', { vfs: 'crashing' });
  db.exec("ATTACH 'b.db' AS b; CREATE TABLE a (n); CREATE TABLE b.b (n)");
  db.exec('INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)');
  vfs.left.clear();
  db.exec('BEGIN; UPDATE a SET n = 2; UPDATE b SET n = 2; COMMIT');
  db.close();
  unregisterVFS('crashing');
  left = vfs.left;
});

afterEach(() => {
  const memory = getVFS();
  for (const { name } of memory.list()) memory.delete(name);
});

/** What the import uses of a directory of the browser. */
function directoryOf(files: Files): FileSystemDirectoryHandle {
  const handles = [...files].map(([name, bytes]) => {
    const file = new File([bytes], name, { lastModified: 1 });
    return { kind: 'file', name, getFile: async () => file };
  });
  const values = async function* () {
    yield* handles;
  };
  return { kind: 'directory', name: 'crashed', values } as unknown as FileSystemDirectoryHandle;
}

const values = () =>
  ['a', 'b'].map((name) => {
    const db = new DatabaseSync(`${name}.db`);
    const value = db.prepare(`SELECT n FROM ${name}`).get()?.n;
    db.close();
    return value;
  });

test('with the super-journal both are rolled back', async () => {
  expect([...left.keys()].map((name) => name.replace(/-mj.*/, '-mj')).sort()).toEqual([
    'a.db',
    'a.db-journal',
    'a.db-mj',
    'b.db',
    'b.db-journal',
  ]);
  const { databases, warnings } = await importFrom({ opfs: directoryOf(left) });
  expect(databases.map(({ path, recovered }) => [path, recovered?.from])).toEqual([
    ['a.db', 'journal'],
    ['b.db', 'journal'],
  ]);
  expect(warnings).toEqual([]);
  expect(values()).toEqual([1, 1]);
  expect(getVFS().list()).toHaveLength(2);
});

test('without it both are committed, and that is said', async () => {
  const without = new Map([...left].filter(([name]) => !name.includes('-mj')));
  const { databases, warnings } = await importFrom({ opfs: directoryOf(without) });
  expect(databases.map(({ recovered }) => recovered)).toEqual([null, null]);
  expect(warnings).toEqual(
    ['a', 'b'].map((name) =>
      expect.stringMatching(
        `^The journal of '${name}.db' is of a transaction over several files, and its super-journal 'a.db-mj[0-9A-F]+' is not at the source: the transaction counts as committed.$`,
      ),
    ),
  );
  expect(values()).toEqual([2, 2]);
  expect(getVFS().list()).toHaveLength(2);
});
