/** The VFS that fails on purpose, and what it says a loss of power leaves. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DatabaseSync, init, registerVFS, unregisterVFS, VFS, VFSError } from '../../src/index.js';
import { FaultVFS, type Recording, restore, type Unsynced } from '../../src/testing.js';
import { MapVFS } from './map-vfs.js';

beforeAll(() => init());

const registered: string[] = [];
afterEach(() => {
  for (const name of registered.splice(0)) unregisterVFS(name);
});

function use(vfs = new FaultVFS(new MapVFS())) {
  registerVFS(vfs);
  registered.push(vfs.name);
  return { vfs, open: (name = 'x.db') => new DatabaseSync(name, { vfs: vfs.name }) };
}

const MAKE = VFS.SQLITE_OPEN_READWRITE | VFS.SQLITE_OPEN_CREATE | VFS.SQLITE_OPEN_MAIN_DB;
const details = { database: null, parameters: new URLSearchParams() };

/** A file whose methods answer at once, as those of a MapVFS do. */
function openNow(vfs: FaultVFS, path = 'x', flags = MAKE) {
  return vfs.open(path, flags, details) as Exclude<ReturnType<FaultVFS['open']>, Promise<unknown>>;
}

const bytes = (...values: number[]) => new Uint8Array(values);

describe('a fault', () => {
  test('meets the call that it is for', () => {
    const vfs = new FaultVFS(new MapVFS());
    const file = openNow(vfs);
    vfs.add({ method: 'write', nth: 2, error: new VFSError('SQLITE_FULL', 'no space') });
    file.write(bytes(1), 0);
    expect(() => file.write(bytes(2), 0)).toThrow('no space');
    file.write(bytes(3), 0);
    expect(vfs.calls('write')).toBe(3);
  });

  test('meets all that follow, until it is taken away', () => {
    const vfs = new FaultVFS(new MapVFS());
    const file = openNow(vfs);
    const remove = vfs.add({ method: 'sync', from: 2 });
    file.sync(2);
    for (const _ of [1, 2]) expect(() => file.sync(2)).toThrow('sync fails on purpose');
    remove();
    file.sync(2);
  });

  test('is for files of a kind, or of a name', () => {
    const vfs = new FaultVFS(new MapVFS());
    const journal = openNow(vfs, 'x-journal', (MAKE & ~0xf00) | VFS.SQLITE_OPEN_MAIN_JOURNAL);
    const [x, y] = [openNow(vfs, 'x'), openNow(vfs, 'y')];
    vfs.add({ method: 'truncate', kind: VFS.SQLITE_OPEN_MAIN_JOURNAL });
    vfs.add({ method: 'size', path: 'y' });
    expect(() => journal.truncate(0)).toThrow();
    x.truncate(0);
    expect(x.size()).toBe(0);
    expect(() => y.size()).toThrow();
    vfs.add({ method: 'delete', kind: VFS.SQLITE_OPEN_MAIN_JOURNAL });
    expect(() => vfs.delete('x-journal', true)).toThrow();
    vfs.delete('x', true);
    vfs.clear();
    vfs.delete('x-journal', true);
  });

  test('may be anything that can be thrown', () => {
    const vfs = new FaultVFS(new MapVFS());
    vfs.add({ method: 'exists', error: undefined });
    let thrown: unknown = 'nothing';
    try {
      vfs.exists('x');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeUndefined();
  });

  test('cuts a write short', () => {
    const vfs = new FaultVFS(new MapVFS());
    const file = openNow(vfs);
    vfs.add({ method: 'write', nth: 1, bytes: 2, error: new VFSError('SQLITE_FULL') });
    expect(() => file.write(bytes(1, 2, 3), 0)).toThrow('SQLITE_FULL');
    expect(file.size()).toBe(2);
  });

  test('cuts a read short', () => {
    const vfs = new FaultVFS(new MapVFS());
    const file = openNow(vfs);
    file.write(bytes(1, 2, 3), 0);
    vfs.add({ method: 'read', nth: 1, bytes: 1 });
    const buffer = bytes(9, 9, 9);
    expect(file.read(buffer, 0)).toBe(1);
    expect([...buffer]).toEqual([1, 9, 9]);
    expect(file.read(buffer, 0)).toBe(3);
  });

  test('in close leaves nothing open', () => {
    const inner = new MapVFS();
    const vfs = new FaultVFS(inner);
    const file = openNow(vfs);
    file.lock?.(VFS.SQLITE_LOCK_SHARED);
    vfs.add({ method: 'close' });
    expect(() => file.close()).toThrow('close fails on purpose');
    expect(inner.nodes.get('x')?.readers).toBe(0);
  });
});

describe('around a VFS', () => {
  test('it offers what that offers, and no more', () => {
    const bare = openNow(new FaultVFS(new MapVFS(undefined, { walIndex: false })));
    expect(bare.walIndex).toBeUndefined();
    expect(bare.pragma).toBeUndefined();
    expect(bare.lock).toBeTypeOf('function');
    expect(openNow(new FaultVFS(new MapVFS())).walIndex).toBeDefined();
    expect(new FaultVFS(new MapVFS()).fullPathname).toBeUndefined();
    const full = Object.assign(new MapVFS(), { fullPathname: (name: string) => `/${name}`, maxPathname: 99 });
    expect(new FaultVFS(full)).toMatchObject({ maxPathname: 99, async: false });
    expect(new FaultVFS(full).fullPathname?.('x')).toBe('/x');
  });

  test('that is async it is async', async () => {
    class Later extends MapVFS {
      override readonly async = true;
      override file(...args: Parameters<MapVFS['file']>) {
        const file = super.file(...args);
        const write = file.write.bind(file);
        return Object.assign(file, {
          write: async (buffer: Uint8Array, offset: number) => write(buffer, offset),
        });
      }
    }
    const vfs = new FaultVFS(new Later());
    expect(vfs.async).toBe(true);
    const recording = vfs.record();
    const file = await vfs.open('x', MAKE, details);
    const writing = file.write(bytes(1, 2), 5);
    expect(writing).toBeInstanceOf(Promise);
    await writing;
    expect(recording.changes.map(({ change }) => change.kind)).toEqual(['create', 'write']);
  });
});

describe('a recording', () => {
  /** Recorded: a file of 4 bytes, synced; then two writes that are not. */
  function recorded(): Recording {
    const vfs = new FaultVFS(new MapVFS());
    const recording = vfs.record();
    const file = openNow(vfs);
    file.write(bytes(1, 1, 1, 1), 0);
    file.sync(2);
    file.write(bytes(2, 2), 0);
    file.write(bytes(3, 3), 4);
    return recording;
  }
  const contents = (recording: Recording, point: number, unsynced: Unsynced) =>
    Object.fromEntries([...recording.crashAt(point, unsynced)].map(([path, bytes]) => [path, [...bytes]]));

  test('loses or keeps what was not synced', () => {
    expect(contents(recorded(), 99, 'lost')).toEqual({ x: [1, 1, 1, 1] });
    expect(contents(recorded(), 99, 'kept')).toEqual({ x: [2, 2, 1, 1, 3, 3] });
    expect(contents(recorded(), 2, 'lost')).toEqual({});
    expect(contents(recorded(), 2, 'kept')).toEqual({ x: [1, 1, 1, 1] });
    expect(contents(recorded(), 0, 'kept')).toEqual({});
  });

  test('reorders by a seed, and the same seed is the same', () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 60; seed++) {
      const found = contents(recorded(), 99, { reordered: seed });
      expect(contents(recorded(), 99, { reordered: seed })).toEqual(found);
      seen.add(JSON.stringify(found));
    }
    // The second without the first, the first without the second, both, none.
    for (const x of [
      [1, 1, 1, 1, 3, 3],
      [2, 2, 1, 1],
      [2, 2, 1, 1, 3, 3],
      [1, 1, 1, 1],
    ]) {
      expect(seen).toContain(JSON.stringify({ x }));
    }
  });

  test('tears the last write', () => {
    const vfs = new FaultVFS(new MapVFS());
    const recording = vfs.record();
    const file = openNow(vfs);
    file.write(new Uint8Array(8192).fill(1), 0);
    file.sync(2);
    file.write(new Uint8Array(8192).fill(2), 0);
    const torn = new Set<boolean>();
    for (let seed = 0; seed < 20; seed++) {
      const found = recording.crashAt(99, { torn: seed }).get('x') as Uint8Array;
      expect(found).toHaveLength(8192);
      torn.add(found[0] === 2 && found[8191] === 1);
    }
    expect(torn).toContain(true);
  });

  test('knows what was there before, and deletions', () => {
    const inner = new MapVFS();
    const setUp = inner.open('x', MAKE, details);
    setUp.write(bytes(7, 7), 0);
    const vfs = new FaultVFS(inner);
    const recording = vfs.record();
    openNow(vfs).write(bytes(8), 0);
    vfs.delete('x', false);
    openNow(vfs).write(bytes(9), 0);
    expect(contents(recording, 99, 'lost')).toEqual({ x: [7, 7] });
    expect(contents(recording, 99, 'kept')).toEqual({ x: [9] });
    expect(contents(recording, 2, 'kept')).toEqual({});
    vfs.delete('x', true);
    expect(contents(recording, 99, 'lost')).toEqual({});
  });

  test('keeps batches together', () => {
    const vfs = new FaultVFS(new MapVFS(undefined, { batchAtomic: true }));
    const recording = vfs.record();
    const file = openNow(vfs);
    file.sync(2);
    file.fileControl?.(VFS.SQLITE_FCNTL_BEGIN_ATOMIC_WRITE, 0);
    file.write(bytes(1, 1), 0);
    file.write(bytes(2, 2), 2);
    expect(contents(recording, 99, 'kept')).toEqual({ x: [] });
    file.fileControl?.(VFS.SQLITE_FCNTL_COMMIT_ATOMIC_WRITE, 0);
    const seen = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      seen.add(String(contents(recording, 99, { reordered: seed }).x?.filter((byte) => byte !== 0)));
    }
    expect([...seen].sort()).toEqual(['', '1,1,2,2']);
  });

  test('finds out where SQLite is told not to sync', async () => {
    const { vfs, open } = use();
    const recording = vfs.record();
    const db = open();
    db.exec('PRAGMA synchronous = off; CREATE TABLE t (v)');
    for (let i = 0; i < 5; i++)
      db.exec(`INSERT INTO t VALUES (zeroblob(9000)); UPDATE t SET v = zeroblob(${5000 + i})`);
    db.close();
    let damaged = 0;
    for (let point = 5; point < recording.changes.length; point++) {
      const after = use();
      await restore(after.vfs, recording.crashAt(point, { reordered: point }));
      try {
        const db = after.open();
        if (db.prepare('PRAGMA integrity_check').get()?.integrity_check !== 'ok') damaged++;
        db.close();
      } catch {
        damaged++;
      }
    }
    expect(damaged).toBeGreaterThan(0);
  });
});
