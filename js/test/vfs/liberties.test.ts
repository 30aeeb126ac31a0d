// Objects of every shape may be a VFS and its files. What SQL sees is the same.

import { afterEach, beforeAll, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { DatabaseSync, type FacadeVFS, init, registerVFS, unregisterVFS, VFS } from '../../src/index.js';

beforeAll(() => init());
afterEach(() => unregisterVFS('free'));

type File = ReturnType<MapVFS['open']>;
type Shape = (file: File, path: string | null) => object;

/** Hands out what `shape` makes of each file. */
class Shaped extends MapVFS {
  constructor(readonly shape: Shape) {
    super('free');
  }

  override open(path: string | null, flags: number) {
    return this.shape(super.open(path, flags), path) as File;
  }
}

const METHODS = ['read', 'write', 'truncate', 'sync', 'size', 'close'] as const;

const bound = (file: File): Record<string, () => unknown> =>
  Object.fromEntries(METHODS.map((name) => [name, (file[name] as () => unknown).bind(file)]));

const getters = (file: File): PropertyDescriptorMap =>
  Object.fromEntries(METHODS.map((name) => [name, { get: () => bound(file)[name] }]));

/** Answers something where nothing is expected. */
const talkative =
  (answer: unknown): Shape =>
  (file) => {
    const methods = Object.entries(bound(file)).filter(([name]) => name !== 'read' && name !== 'size');
    const answering = methods.map(([name, method]: [string, (...args: unknown[]) => unknown]) => [
      name,
      (...args: unknown[]) => {
        method(...args);
        return answer;
      },
    ]);
    return Object.assign(file, Object.fromEntries(answering));
  };

class Hidden {
  readonly #file: File;

  constructor(file: File) {
    this.#file = file;
  }

  read = (buffer: Uint8Array, offset: number) => this.#file.read(buffer, offset);

  write(buffer: Uint8Array, offset: number) {
    this.#file.write(buffer, offset);
  }

  truncate(size: number) {
    this.#file.truncate(size);
  }

  sync() {}

  size() {
    return this.#file.size();
  }

  close() {
    this.#file.close();
  }
}

/** One object for all who have a file open. */
function shared(): Shape {
  const files = new Map<object, File>();
  return (file) => {
    const there = files.get(file.bytes) ?? file;
    files.set(file.bytes, there);
    return there;
  };
}

const ANSWERS = [0, 1, -1, 'words', false, true, 10n, {}, [], Symbol('s'), () => 1];

const nothings = { lock: null, unlock: null, hasReservedLock: null, walIndex: null, pragma: null };

const shapes: [name: string, shape: Shape][] = [
  ['plain objects of bound methods', bound],
  ['frozen ones', (file) => Object.freeze(bound(file))],
  ['objects that inherit from nothing', (file) => Object.assign(Object.create(null), bound(file))],
  ['objects that inherit everything', (file) => Object.create(Object.create(bound(file)))],
  ['objects whose methods are getters', (file) => Object.defineProperties({}, getters(file))],
  ['instances of a class with private fields', (file) => new Hidden(file)],
  ['proxies', (file) => new Proxy(file, {})],
  ['one object for all who open a name', shared()],
  ['objects with null for what they do not have', (file) => Object.assign(file, nothings)],
  ...ANSWERS.map((answer): [string, Shape] => [
    `objects that answer ${typeof answer} where nothing is expected`,
    talkative(answer),
  ]),
];

function work(): unknown[] {
  const open = (path: string) => new DatabaseSync(path, { vfs: 'free' });
  const db = open('x.db');
  db.exec(`PRAGMA temp_store = file; PRAGMA cache_size = 5; CREATE TABLE t (n INTEGER PRIMARY KEY, a);
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO t SELECT i, hex(zeroblob(i)) FROM n;
    BEGIN; DELETE FROM t WHERE n % 2; ROLLBACK; SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s;
    DELETE FROM t WHERE n % 3 = 0; ATTACH 'y.db' AS y; CREATE TABLE y.u AS SELECT * FROM t ORDER BY a DESC;
    BEGIN; DELETE FROM t WHERE n < 9; DELETE FROM y.u WHERE n < 9; COMMIT; VACUUM`);
  const other = open('x.db');
  const seen = [
    other.prepare('SELECT count(*), sum(length(a)) FROM t', { returnArrays: true }).get(),
    other.prepare('PRAGMA integrity_check', { returnArrays: true }).get(),
    db.prepare('SELECT count(*), sum(length(a)) FROM y.u', { returnArrays: true }).get(),
  ];
  other.close();
  db.close();
  return seen;
}

const left = Array.from({ length: 300 }, (_, i) => i + 1).filter((n) => n % 3 !== 0 && n >= 9);
const sums = [left.length, left.reduce((sum, n) => sum + 2 * n, 0)];
const expected = [sums, ['ok'], sums];

test.each(shapes)('files may be %s', (_, shape) => {
  const vfs = new Shaped(shape);
  registerVFS(vfs);
  expect(work()).toEqual(expected);
  expect([...vfs.files.keys()].sort()).toEqual(['x.db', 'y.db']);
});

/** An object that has what it must and extends nothing. */
const bare = (vfs: MapVFS) => ({
  name: 'free',
  open: vfs.open.bind(vfs),
  delete: vfs.delete.bind(vfs),
  exists: vfs.exists.bind(vfs),
});

test.each<[string, (vfs: MapVFS) => object]>([
  ['an object that extends nothing', bare],
  ['a frozen one', (vfs) => Object.freeze(bare(vfs))],
  ['a proxy', (vfs) => new Proxy(bare(vfs), {})],
])('a VFS may be %s', (_, make) => {
  registerVFS(make(new MapVFS('free')) as FacadeVFS);
  expect(work()).toEqual(expected);
});

const promises = Object.entries(VFS).filter(
  ([name]) => name.startsWith('SQLITE_IOCAP_') && !/IMMUTABLE|BATCH_ATOMIC/.test(name),
);

const media = [['NOTHING', 0] as const, ...promises].flatMap(([name, flags]) =>
  [1, 512, 65536].map((size) => [name, size, flags] as const),
);

// Memory keeps each of them. With each SQLite does other things, or leaves some out.
test.each(media)('a medium may promise %s, in sectors of %i bytes', (_, size, flags) => {
  const medium = { deviceCharacteristics: () => flags, sectorSize: () => size };
  registerVFS(new Shaped((file) => Object.assign(file, medium)));
  expect(work()).toEqual(expected);
});
