// What the other side asks beyond reading and writing, and what is answered.

import { beforeAll, describe, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { DatabaseSync, FacadeFile, getVFS, init, type OpenDetails, VFS, VFSError } from '../../src/index.js';
import { initStores, MemoryVFS } from '../../src/stores.js';
import { allBuilds, type Build, codeOf } from './builds.js';

const SQLITE_ERROR = 1;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;

let builds: Build[];

beforeAll(async () => {
  await init();
  await initStores();
  builds = await allBuilds();
});

const each = async (body: (build: Build) => Promise<void>) => {
  for (const build of builds) await body(build);
};

let names = 0;
const newName = () => `methods ${++names}`;

/** A VFS, parts of whose files are the test's. */
class PartVFS extends MapVFS {
  readonly opened: [path: string | null, flags: number, database: string | null, parameters: string][] = [];

  constructor(readonly part: object = {}) {
    super(newName());
  }

  override open(path: string | null, flags: number, details?: OpenDetails) {
    const { database = null, parameters = '' } = details ?? {};
    this.opened.push([path, flags, database, String(parameters)]);
    return Object.assign(super.open(path, flags), flags & VFS.SQLITE_OPEN_MAIN_DB ? this.part : {});
  }
}

describe('names', () => {
  const shapes = [
    'plain.db',
    'a#b?c%20d.db',
    'ünïcödé/日本語.db',
    'sp ace.db',
    '-journal',
    `${'n'.repeat(1000)}.db`,
  ];

  test.each(shapes)('%s is a file of its own, and its journal beside it', async (name) => {
    await each(async (build) => {
      const vfs = new PartVFS();
      build.register(vfs);
      const db = await build.open(name, vfs.name);
      await db.sql('PRAGMA journal_mode = persist; CREATE TABLE t (x); INSERT INTO t VALUES (1)');
      await db.close();
      expect([...vfs.files.keys()].sort()).toEqual([name, `${name}-journal`].sort());
      for (const [path, , database] of vfs.opened) {
        expect(database, `${build.name}: ${path}`).toBe(name);
      }
    });
  });

  test('one that is too long is refused, and lastError says why', async () => {
    await each(async (build) => {
      const vfs = new PartVFS();
      const registration = build.register(vfs);
      expect(await codeOf(build.open('n'.repeat(1025), vfs.name))).toBe(SQLITE_CANTOPEN);
      expect(String(registration.lastError)).toMatch('1025 bytes long; this VFS allows 1024');
      expect(vfs.files.size).toBe(0);
    });
  });

  test('parameters of a URI reach open, for the journal too', async () => {
    await each(async (build) => {
      const vfs = new PartVFS();
      build.register(vfs);
      const db = await build.open(`file:x.db?vfs=${encodeURIComponent(vfs.name)}&speed=2&empty=&k%20=%26`);
      await db.sql('PRAGMA journal_mode = persist; CREATE TABLE t (x)');
      await db.close();
      const kinds = vfs.opened.map(([path, , database, parameters]) => [path, database, parameters]);
      const parameters = `vfs=${new URLSearchParams({ '': vfs.name }).toString().slice(1)}&speed=2&empty=&k+=%26`;
      expect(kinds).toContainEqual(['x.db', 'x.db', parameters]);
      expect(kinds).toContainEqual(['x.db-journal', 'x.db', parameters]);
    });
  });

  test('a VFS makes names full, and all else gets those', async () => {
    await each(async (build) => {
      const vfs = Object.assign(new PartVFS(), { fullPathname: (name: string) => `/full/${name}` });
      build.register(vfs);
      const db = await build.open('x.db', vfs.name);
      await db.sql('PRAGMA journal_mode = persist; CREATE TABLE t (x)');
      await db.close();
      expect([...vfs.files.keys()].sort()).toEqual(['/full/x.db', '/full/x.db-journal']);
    });
  });
});

test('a missing file, a read-only one, and a temporary one', async () => {
  await each(async (build) => {
    const vfs = new PartVFS();
    build.register(vfs);
    expect(await codeOf(build.open('missing.db', vfs.name, { mustExist: true }))).toBe(SQLITE_CANTOPEN);
    expect(vfs.files.size).toBe(0);
    const db = await build.open('', vfs.name);
    await db.sql('CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000))');
    await db.sql('PRAGMA cache_size = 2; INSERT INTO t SELECT zeroblob(9000) FROM t, t');
    expect(await db.sql('SELECT count(*) FROM t')).toEqual([[2]]);
    await db.close();
    expect(vfs.files.size).toBe(0);

    const read = new PartVFS({ readOnly: true });
    read.files.set('x.db', await fileOf('CREATE TABLE t AS SELECT 1 AS x'));
    build.register(read);
    const reader = await build.open('x.db', read.name);
    expect(await reader.sql('SELECT * FROM t')).toEqual([[1]]);
    expect(await codeOf(reader.sql('INSERT INTO t VALUES (2)'))).toBe(8);
    await reader.close();
  });
});

/** A database's bytes, by our own engine. */
async function fileOf(sql: string): Promise<{ data: Uint8Array; size: number }> {
  const db = new DatabaseSync(':memory:');
  db.exec(sql);
  const data = db.serialize();
  db.close();
  return { data, size: data.length };
}

test('what is said of a device is asked once; sectors decide where a journal begins', async () => {
  await each(async (build) => {
    const asked: string[] = [];
    const vfs = new PartVFS({
      sectorSize: () => asked.push('sectorSize') && 512,
      deviceCharacteristics: () => asked.push('characteristics') && VFS.SQLITE_IOCAP_POWERSAFE_OVERWRITE,
    });
    build.register(vfs);
    const db = await build.open('x.db', vfs.name);
    await db.sql('CREATE TABLE t (x); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)');
    await db.close();
    expect(asked).toEqual(['sectorSize', 'characteristics']);
  });
});

test('pragmas and other controls reach the file, with numbers in both directions', async () => {
  await each(async (build) => {
    const controls: [op: number, value: number][] = [];
    const vfs = new PartVFS({
      pragma(name: string, value: string | null) {
        if (name === 'color') return value === null ? 'red' : null;
        if (name === 'forbidden') throw new VFSError('SQLITE_AUTH', 'nobody may');
        return undefined;
      },
      fileControl(op: number, value: number) {
        controls.push([op, value]);
        return op === VFS.SQLITE_FCNTL_CHUNK_SIZE ? true : undefined;
      },
    });
    const registration = build.register(vfs);
    const db = await build.open('x.db', vfs.name);
    expect(await db.sql('PRAGMA color')).toEqual([['red']]);
    expect(await db.sql('PRAGMA color = blue')).toEqual([]);
    const refused = db.sql('PRAGMA forbidden = 1');
    await expect(refused).rejects.toThrow('nobody may');
    expect(registration.lastError).toMatchObject({ code: 'SQLITE_AUTH' });
    await db.sql('CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(50000)); VACUUM');
    await db.close();
    const ops = controls.map(([op]) => op);
    expect(ops).toContain(VFS.SQLITE_FCNTL_SYNC);
    expect(ops).toContain(VFS.SQLITE_FCNTL_COMMIT_PHASETWO);
    // VACUUM says how long the file will be.
    expect(controls.some(([op, value]) => op === VFS.SQLITE_FCNTL_OVERWRITE && value > 50000)).toBe(true);
    expect(ops).not.toContain(14);
  });
});

test('clock and randomness', async () => {
  await each(async (build) => {
    const vfs = new PartVFS();
    build.register(vfs);
    const db = await build.open('x.db', vfs.name);
    const [row] = (await db.sql(
      "SELECT unixepoch('now'), julianday('now'), hex(randomblob(8)), random()",
    )) as [[number, number, string, number]];
    expect(Math.abs(row[0] - Date.now() / 1000)).toBeLessThan(10);
    expect(row[1]).toBeCloseTo(Date.now() / 86_400_000 + 2440587.5, 3);
    expect(row[2]).not.toBe('0000000000000000');
    await db.close();
  });
});

describe('errors', () => {
  test.each([
    ['read', SQLITE_IOERR],
    ['write', SQLITE_IOERR],
    ['sync', SQLITE_IOERR],
    ['size', SQLITE_IOERR],
    ['lock', SQLITE_IOERR],
  ] as const)('what %s throws becomes its code, and is the last error', async (method, code) => {
    await each(async (build) => {
      const error = new Error('the disk is on fire');
      let isOnFire = false;
      const torn: Record<string, unknown> = {};
      if (method === 'lock') Object.assign(torn, { unlock() {}, hasReservedLock: () => false });
      const vfs = new (class extends PartVFS {
        override open(path: string | null, flags: number, details?: OpenDetails) {
          const file = super.open(path, flags, details);
          if (!(flags & VFS.SQLITE_OPEN_MAIN_DB)) return file;
          const original = (file as unknown as Record<string, (...args: unknown[]) => unknown>)[method];
          return Object.assign(file, torn, {
            [method]: (...args: unknown[]) => {
              if (isOnFire) throw error;
              return original?.call(file, ...args);
            },
          });
        }
      })();
      const registration = build.register(vfs);
      const db = await build.open('x.db', vfs.name);
      await db.sql('CREATE TABLE t (x); PRAGMA cache_size = 0');
      isOnFire = true;
      expect(await codeOf(db.sql('INSERT INTO t VALUES (1)')), build.name).toBe(code);
      expect(registration.lastError).toBe(error);
      isOnFire = false;
      await db.sql('INSERT INTO t VALUES (2)');
      expect(await db.sql('SELECT * FROM t')).toEqual([[2]]);
      await db.close();
    });
  });

  test('a VFSError has its own code', async () => {
    await each(async (build) => {
      let isFull = false;
      const vfs = new (class extends PartVFS {
        override open(path: string | null, flags: number, details?: OpenDetails) {
          const file = super.open(path, flags, details);
          const write = file.write.bind(file);
          return Object.assign(file, {
            write(buffer: Uint8Array, offset: number) {
              if (isFull) throw new VFSError('SQLITE_FULL', 'no room');
              write(buffer, offset);
            },
          });
        }
      })();
      build.register(vfs);
      const db = await build.open('x.db', vfs.name);
      await db.sql('CREATE TABLE t (x)');
      isFull = true;
      expect(await codeOf(db.sql('INSERT INTO t VALUES (1)'))).toBe(SQLITE_FULL);
      isFull = false;
      expect(await db.sql('SELECT count(*) FROM t')).toEqual([[0]]);
      await db.close();
    });
  });

  test('a store that is full stays whole', async () => {
    await each(async (build) => {
      const vfs = new MemoryVFS({ name: newName(), maxBytes: 1_000_000 });
      const registration = build.register(vfs);
      const db = await build.open('x.db', vfs.name);
      await db.sql('CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(300000))');
      expect(await codeOf(db.sql('INSERT INTO t VALUES (zeroblob(900000))')), build.name).toBe(SQLITE_FULL);
      expect(String(registration.lastError)).toMatch("the store's limit of 1000000 bytes is reached");
      expect(await db.sql('SELECT count(*), sum(length(x)) FROM t')).toEqual([[1, 300000]]);
      expect(await db.sql('PRAGMA integrity_check')).toEqual([['ok']]);
      await db.close();
    });
  });

  test('a file that lacks methods, and a promise where nothing waits', async () => {
    await each(async (build) => {
      for (const [part, words] of [
        [{ read: undefined }, 'without read'],
        [{ lock() {} }, 'without unlock, hasReservedLock'],
        ...(build.suspends ? [] : [[{ size: async () => 0 }, 'answered a promise'] as const]),
      ] as const) {
        const vfs = new PartVFS(part);
        const registration = build.register(vfs);
        const answer = build
          .open('x.db', vfs.name)
          .then((db) => db.sql('CREATE TABLE t (x)').finally(() => db.close()));
        expect(await codeOf(answer)).not.toBe(0);
        expect(String(registration.lastError)).toMatch(words);
      }
    });
  });
});

test('a method may make the memory of this very build grow', async () => {
  await each(async (build) => {
    if (build.suspends) return;
    const calls: number[] = [];
    const vfs = new (class extends PartVFS {
      grow = false;
      override open(path: string | null, flags: number, details?: OpenDetails) {
        const file = super.open(path, flags, details);
        const read = file.read.bind(file);
        const write = file.write.bind(file);
        const growing = (buffer: Uint8Array) => {
          // A page: what is read of a header alone is read again.
          if (!this.grow || buffer.length < 512) return;
          this.grow = false;
          grow(build.module, 64 * 1024 * 1024);
          calls.push(buffer.length);
        };
        return Object.assign(file, {
          read(buffer: Uint8Array, offset: number) {
            growing(buffer);
            return read(buffer as Uint8Array<ArrayBuffer>, offset);
          },
          write(buffer: Uint8Array, offset: number) {
            growing(buffer);
            write(buffer, offset);
          },
        });
      }
    })();
    build.register(vfs);
    const db = await build.open('x.db', vfs.name);
    await db.sql("CREATE TABLE t (x); PRAGMA cache_size = 0; INSERT INTO t VALUES ('before')");
    vfs.grow = true;
    expect(await db.sql('SELECT * FROM t')).toEqual([['before']]);
    vfs.grow = true;
    await db.sql("INSERT INTO t VALUES ('after')");
    expect(await db.sql('SELECT * FROM t')).toEqual([['before'], ['after']]);
    expect(await db.sql('PRAGMA integrity_check')).toEqual([['ok']]);
    // The buffers were gone.
    expect(calls).toEqual([0, 0]);
    await db.close();
  });
});

/** Takes memory of a module until it has grown. */
function grow(module: object, bytes: number): void {
  const { _sqlite3_malloc, capi } = module as {
    _sqlite3_malloc?: (bytes: number) => number;
    capi?: { sqlite3_malloc(bytes: number): number };
  };
  const pointer = _sqlite3_malloc ? _sqlite3_malloc(bytes) : capi?.sqlite3_malloc(bytes);
  expect(pointer).not.toBe(0);
}

test('memory grows on either side of a store in Rust', async () => {
  await each(async (build) => {
    for (const store of [new MemoryVFS(), getVFS('memory')]) {
      const name = newName();
      build.register(store, { name });
      const db = await build.open(`${name}.db`, name);
      await db.sql('CREATE TABLE t (x)');
      for (let i = 0; i < 4; i++) {
        await db.sql('INSERT INTO t VALUES (randomblob(5000000))');
        grow(build.module, 5_000_000);
      }
      expect(await db.sql('SELECT count(*), sum(length(x)) FROM t')).toEqual([[4, 20_000_000]]);
      expect(await db.sql('PRAGMA integrity_check')).toEqual([['ok']]);
      await db.close();
    }
  });
});

describe('write-ahead logs', () => {
  test('the pragma is refused with words, and the file stays as it is', async () => {
    await each(async (build) => {
      const vfs = new PartVFS();
      build.register(vfs);
      const db = await build.open('x.db', vfs.name);
      for (const sql of ['PRAGMA journal_mode = wal', 'PRAGMA main.journal_mode(WAL)']) {
        const refused = db.sql(sql);
        await expect(refused).rejects.toThrow('no write-ahead log');
        expect(await codeOf(db.sql(sql))).toBe(SQLITE_ERROR);
      }
      expect(await db.sql('PRAGMA journal_mode')).toEqual([['delete']]);
      expect(await db.sql('PRAGMA journal_mode = truncate')).toEqual([['truncate']]);
      await db.sql('PRAGMA locking_mode = exclusive; CREATE TABLE t (x)');
      expect(await codeOf(db.sql('PRAGMA journal_mode = wal'))).toBe(SQLITE_ERROR);
      await db.close();
    });
  });

  test('a file that our engine has in WAL mode is refused, open or closed', async () => {
    await each(async (build) => {
      const name = newName();
      const registration = build.register(getVFS('memory'), { name });
      const db = new DatabaseSync(`${name}.db`);
      db.exec('PRAGMA journal_mode = wal; CREATE TABLE t (x)');
      for (const words of ['open', 'closed']) {
        const opened = build.open(`${name}.db`, name).then((db) => db.sql('SELECT * FROM t'));
        expect(await codeOf(opened), words).toBe(SQLITE_CANTOPEN);
        expect(String(registration.lastError)).toMatch(/is in WAL mode: .*PRAGMA journal_mode=delete/);
        if (words === 'open') db.close();
      }
      const again = new DatabaseSync(`${name}.db`);
      again.exec('PRAGMA journal_mode = delete');
      again.close();
      const theirs = await build.open(`${name}.db`, name);
      await theirs.sql('INSERT INTO t VALUES (1)');
      await theirs.close();
    });
  });

  test('beside a database of another VFS, which is asked the pragma: the log is refused, and nothing is lost', async () => {
    await each(async (build) => {
      const name = newName();
      const registration = build.register(getVFS('memory'), { name });
      const file = `${name.replace(' ', '-')}.db`;
      const theirs = await build.open(':memory:');
      await theirs.sql(`ATTACH 'file:${file}?vfs=${encodeURIComponent(name)}' AS lent`);
      await theirs.sql('CREATE TABLE lent.t (x); INSERT INTO lent.t VALUES (1)');
      expect(await theirs.sql('PRAGMA journal_mode = wal')).toEqual([['memory']]);
      await theirs.sql('PRAGMA locking_mode = exclusive');
      // Under an exclusive lock SQLite needs no index that is shared, and would open a log.
      await codeOf(theirs.sql('PRAGMA journal_mode = wal'));
      expect(await codeOf(theirs.sql('INSERT INTO lent.t VALUES (2)'))).toBe(SQLITE_CANTOPEN);
      expect(String(registration.lastError)).toMatch(/-wal' is a log: .* no write-ahead log/);
      await theirs.close();
      const ours = new DatabaseSync(file);
      expect(ours.prepare('SELECT x FROM t WHERE x = 1').all()).toEqual([{ x: 1 }]);
      expect(ours.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      ours.close();
    });
  });

  test('a file that is put into WAL mode while they have it open is read and written by them no more', async () => {
    await each(async (build) => {
      const name = newName();
      build.register(getVFS('memory'), { name });
      const theirs = await build.open(`${name}.db`, name);
      await theirs.sql('CREATE TABLE t (x)');
      const ours = new DatabaseSync(`${name}.db`);
      ours.exec('PRAGMA journal_mode = wal; INSERT INTO t VALUES (1)');
      expect(await codeOf(theirs.sql('INSERT INTO t VALUES (2)'))).toBe(SQLITE_CANTOPEN);
      expect(await codeOf(theirs.sql('SELECT * FROM t'))).toBe(SQLITE_CANTOPEN);
      expect(ours.prepare('SELECT x FROM t').all()).toEqual([{ x: 1 }]);
      ours.close();
      await theirs.close();
    });
  });
});

test('files are instances of nothing in particular', () => {
  expect(new MemoryVFS().open('x', VFS.SQLITE_OPEN_MAIN_DB | VFS.SQLITE_OPEN_CREATE | 2)).toBeInstanceOf(
    FacadeFile,
  );
});
