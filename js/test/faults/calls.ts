/** Every call of this package that SQLite or a store is behind, to be made while something is wrong. */
import { MapVFS } from '../../examples/map-vfs.js';
import { backup, DatabaseSync, getVFS, registerVFS, unregisterVFS } from '../../src/index.js';

/** The numbers from 1 on, as a table of one column. */
const upTo = (last: number) =>
  `(WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT ${last}) SELECT value FROM n)`;

/** What a call has to work with. */
export class Place {
  /** On MemoryVFS. */
  readonly db = new DatabaseSync('place.db');
  /** Bytes of a database that is none of these. */
  readonly other: Uint8Array<ArrayBuffer>;
  readonly changeset: Uint8Array;
  /** To be undone. */
  readonly opened: { close(): unknown }[] = [];

  constructor() {
    const { db } = this;
    // What fails is then what is asked for, and not some page that was in the cache by chance.
    db.exec(`PRAGMA cache_size = -400;
      CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c BLOB);
      CREATE INDEX i ON t (b);
      INSERT INTO t SELECT value, 'text ' || value, randomblob(100) FROM ${upTo(50)};
      CREATE VIRTUAL TABLE f USING fts5 (words);
      INSERT INTO f SELECT 'the quick brown fox ' || value FROM ${upTo(20)};
      CREATE VIRTUAL TABLE r USING rtree (id, x0, x1);
      INSERT INTO r VALUES (1, 0, 1), (2, 1, 2)`);
    const session = db.createSession();
    db.exec(
      "INSERT INTO t VALUES (100, 'é', x'01'); DELETE FROM t WHERE a = 1; UPDATE t SET b = 2 WHERE a = 2",
    );
    this.changeset = session.changeset();
    session.close();
    db.exec("DELETE FROM t WHERE a = 100; INSERT INTO t VALUES (1, 'text 1', x'01')");
    const other = new DatabaseSync(':memory:');
    other.exec('CREATE TABLE o (a); INSERT INTO o VALUES (1)');
    this.other = other.serialize();
    other.close();
  }

  /** Has something closed at the end. */
  keep<T extends { close(): unknown }>(thing: T): T {
    this.opened.push(thing);
    return thing;
  }

  /** Leaves nothing behind. */
  end(): void {
    for (const thing of this.opened.reverse()) quietly(() => thing.close());
    this.db.close();
    for (const { name } of getVFS('memory').list()) getVFS('memory').delete(name);
  }
}

export function quietly(call: () => unknown): void {
  try {
    call();
  } catch {
    // It is closed already, or cannot be.
  }
}

/** What it answers is the same whenever it answers. */
type Call = (place: Place) => unknown;

/** Rows that are sorted, with values of each kind. */
const ROWS =
  "SELECT a, b, CAST(a AS BLOB) AS c, a / 2.0 AS d, NULL AS e FROM t WHERE a < 40 ORDER BY b || 'x', a";

const bytesOf = async (stream: ReadableStream<Uint8Array>): Promise<number> => {
  let sum = 0;
  for await (const chunk of stream) sum += chunk.length;
  return sum;
};

export const calls: Record<string, Call> = {
  'new DatabaseSync of a file': (place) => place.keep(new DatabaseSync('new.db')).isOpen,
  'new DatabaseSync in memory': (place) => place.keep(new DatabaseSync(':memory:')).isOpen,
  'new DatabaseSync of a file that is not there': (place) => {
    try {
      place.keep(new DatabaseSync('file:missing.db?mode=rw&a=b&c=d'));
      return 'opened';
    } catch (error) {
      if ((error as { errcode?: number }).errcode === 14) return 'not there';
      throw error;
    }
  },
  close: () => {
    const db = new DatabaseSync('closed.db');
    db.exec('CREATE TABLE IF NOT EXISTS t (a)');
    db.prepare('SELECT * FROM t').all();
    db.close();
    return db.isOpen;
  },
  exec: ({ db }) =>
    db.exec("INSERT INTO t (b) VALUES ('x'), ('y'); UPDATE t SET b = b || 1 WHERE a > 10; SELECT 1"),
  'exec of what is wrong': ({ db }) => {
    try {
      db.exec(`SELECT ${'no_such_column'.repeat(300)}`);
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== 1) throw error;
      return (error as Error).message.length;
    }
    return 0;
  },
  'exec of a schema': ({ db }) =>
    db.exec('CREATE TABLE new (a PRIMARY KEY, b UNIQUE) WITHOUT ROWID; DROP TABLE new; REINDEX; ANALYZE'),
  'exec of a transaction': ({ db }) => {
    db.exec('BEGIN');
    db.exec(
      "SAVEPOINT s; INSERT INTO t (b) VALUES ('x'); ROLLBACK TO s; DELETE FROM t WHERE a > 30; RELEASE s",
    );
    db.exec('COMMIT');
  },
  'a vacuum': ({ db }) => db.exec('DELETE FROM t WHERE a > 10; VACUUM'),
  'a vacuum into a file': ({ db }) => db.exec("VACUUM INTO 'vacuumed.db'"),
  'attach and detach': ({ db }) => {
    db.exec("ATTACH 'attached.db' AS attached");
    db.exec(
      'CREATE TABLE attached.t (a); BEGIN; INSERT INTO attached.t VALUES (1); INSERT INTO t (b) VALUES (1); COMMIT',
    );
    db.exec('DETACH attached');
  },
  'journal_mode=wal': ({ db }) => {
    db.exec(
      "PRAGMA journal_mode = wal; INSERT INTO t (b) VALUES ('x'); PRAGMA wal_checkpoint; UPDATE t SET b = b || 1",
    );
    const result = db.checkpoint({ mode: 'truncate' });
    db.exec('PRAGMA journal_mode = delete');
    return result;
  },
  'temporary files': ({ db }) =>
    db.exec(`PRAGMA temp_store = FILE; PRAGMA cache_size = -20; CREATE TEMP TABLE temporary AS SELECT hex(randomblob(500)) FROM t, t;
      SELECT count(*) FROM (SELECT DISTINCT b || a FROM t ORDER BY c); DROP TABLE temporary; PRAGMA temp_store = DEFAULT`),
  'prepare, and run': ({ db }) =>
    db.prepare('INSERT INTO t (b, c) VALUES (?, ?)').run('é'.repeat(100), new Uint8Array(1000)),
  'get with parameters': ({ db }) =>
    db
      .prepare('SELECT $a AS a, $b AS b, $c AS c')
      .get({ a: 'x'.repeat(2000), b: 5n, c: new Uint8Array(100) }),
  get: ({ db }) => db.prepare(ROWS).get(),
  'get of what is large': ({ db }) =>
    db.prepare("SELECT zeroblob(30000) AS z, hex(zeroblob(20000)) AS h, printf('%500d', 1) AS p").get(),
  all: ({ db }) => db.prepare(ROWS).all(),
  'all as arrays, of BigInts': ({ db }) => db.prepare(ROWS, { returnArrays: true, readBigInts: true }).all(),
  iterate: ({ db }) => [...db.prepare(ROWS).iterate()],
  'a text that is UTF-16 within': (place) => {
    const db = place.keep(new DatabaseSync(':memory:'));
    db.exec("PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a); INSERT INTO t VALUES ('grün'), ('x')");
    return db.prepare('SELECT a, a || a AS b FROM t').all();
  },
  'what is known of a statement': ({ db }) => {
    const statement = db.prepare('SELECT a, b AS long_name FROM t WHERE a = $a');
    statement.get({ a: 'x'.repeat(3000) });
    const { sourceSQL, expandedSQL } = statement;
    return [statement.columns(), sourceSQL, expandedSQL, statement.stat('run')];
  },
  'statements of a tag store': ({ db }) => {
    const sql = db.createTagStore(4);
    return [
      sql.all`SELECT a FROM t WHERE a < ${10}`,
      sql.get`SELECT ${'x'} AS x`,
      sql.run`DELETE FROM t WHERE a = ${5}`,
    ];
  },
  transaction: ({ db }) => db.transaction(() => db.prepare('DELETE FROM t WHERE a > 20').run())(),
  pragma: ({ db }) => [db.pragma('table_info(t)'), db.pragma('page_size', { simple: true })],
  'location, store, status and limits': ({ db }) => [
    db.location(),
    db.store,
    db.isTransaction,
    typeof db.status().cacheUsed,
    db.limits.length,
  ],
  serialize: ({ db }) => db.serialize().length,
  deserialize: (place) => {
    const db = place.keep(new DatabaseSync(':memory:'));
    db.deserialize(place.other);
    return db.prepare('SELECT * FROM o').all();
  },
  backup: async ({ db }) => backup(db, 'backup.db', { rate: 3 }),
  'a session': ({ db }) => {
    const session = db.createSession();
    db.exec(
      "INSERT INTO t VALUES (200, 'é', x'01'); UPDATE t SET b = 'new' WHERE a < 20; DELETE FROM t WHERE a > 30",
    );
    const lengths = [session.changeset().length, session.patchset().length];
    session.close();
    return lengths;
  },
  applyChangeset: ({ db, changeset }) =>
    db.applyChangeset(changeset, { onConflict: () => 0, filter: () => true }),
  'a function': ({ db }) => {
    db.function('twice', (x) => String(x).repeat(60));
    db.function('many', { varargs: true }, (...values) => values.length);
    return db
      .prepare('SELECT twice(b) AS t, many(1, 2, 3, 4, 5, 6, 7, 8, 9, b) AS m FROM t WHERE a < 5')
      .all();
  },
  'an aggregate, and a window': ({ db }) => {
    db.aggregate('total_length', {
      start: 0,
      step: (sum, text) => (sum as number) + String(text).length,
      inverse: (sum, text) => (sum as number) - String(text).length,
    });
    return db
      .prepare(
        'SELECT a, total_length(b) OVER (ORDER BY a ROWS 3 PRECEDING) AS n FROM t WHERE a > 1 AND a < 10',
      )
      .all()
      .concat(db.prepare('SELECT total_length(b) AS n FROM t WHERE a > 1 GROUP BY a % 3').all());
  },
  'a collation': ({ db }) => {
    db.collation('backwards', (a, b) => (a < b ? 1 : a > b ? -1 : 0));
    return db.prepare('SELECT b FROM t WHERE a > 1 ORDER BY b COLLATE backwards LIMIT 5').all();
  },
  hooks: ({ db }) => {
    const seen: unknown[] = [];
    db.setPreupdateHook(({ operation, old }) => seen.push(operation, old?.values.length));
    db.setUpdateHook(({ rowid }) => seen.push(rowid));
    db.setCommitHook(() => false);
    db.setProgressHandler(() => false, { steps: 20 });
    db.setAuthorizer(() => 0);
    try {
      db.exec(
        "INSERT INTO t VALUES (300, 'x', 'y'); UPDATE t SET b = 'z' WHERE a = 300; DELETE FROM t WHERE a = 300",
      );
    } finally {
      db.setPreupdateHook(null);
      db.setUpdateHook(null);
      db.setCommitHook(null);
      db.setProgressHandler(null);
      db.setAuthorizer(null);
    }
    return seen;
  },
  'a blob': ({ db }) => {
    const blob = db.openBlob('t', 'c', 10, { readOnly: false });
    try {
      blob.write(new Uint8Array([1, 2, 3]), 10);
      const read = blob.read(9, 4).length;
      blob.reopen(11);
      return [read, blob.length];
    } finally {
      blob.close();
    }
  },
  'streams of a blob': async ({ db }) => {
    const length = await bytesOf(db.openBlob('t', 'c', 12).readable({ chunkSize: 30 }));
    const writer = db.openBlob('t', 'c', 12, { readOnly: false }).writable().getWriter();
    await writer.write(new Uint8Array(50));
    await writer.close();
    return length;
  },
  'full text': ({ db }) => {
    db.exec("INSERT INTO f VALUES ('a lazy dog'); INSERT INTO f (f) VALUES ('optimize')");
    return db
      .prepare("SELECT rowid, highlight(f, 0, '<', '>') AS h FROM f WHERE f MATCH 'fox AND 1*' ORDER BY rank")
      .all();
  },
  'other tables that are virtual': ({ db }) => {
    db.exec('INSERT INTO r VALUES (3, 5, 6)');
    return [
      db.prepare('SELECT id FROM r WHERE x0 < 2').all(),
      db.prepare("SELECT key, value FROM json_each(json_object('a', json_array(1, 2), 'b', 'x'))").all(),
      db.prepare('SELECT name FROM pragma_table_info(?)').all('t'),
    ];
  },
  export: () => getVFS('memory').export('place.db').length,
  exportStream: () => bytesOf(getVFS('memory').exportStream('place.db')),
  import: ({ other }) => getVFS('memory').import('imported.db', other),
  importStream: ({ other }) =>
    getVFS('memory').importStream('imported.db', [other.subarray(0, 5000), other.subarray(5000)]),
  'list and delete': ({ other }) => {
    const memory = getVFS('memory');
    memory.import('deleted.db', other);
    return [memory.list().length, memory.delete('deleted.db')];
  },
  'stats and the log': ({ db }) => {
    const memory = getVFS('memory');
    memory.trace({ log: 100 });
    try {
      db.exec('UPDATE t SET b = b || 1');
      return [
        memory.stats().read.errors,
        memory.tracedFiles().includes('place.db'),
        memory.log().length <= 100,
      ];
    } finally {
      memory.trace({ log: 0 });
    }
  },
  'a VFS of its own': (place) => {
    const vfs = new MapVFS('map');
    registerVFS(vfs);
    try {
      const db = new DatabaseSync('file:mapped.db?x=y', { vfs: 'map' });
      try {
        db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(10000)); UPDATE t SET a = 1');
        return db.prepare('SELECT * FROM t').all();
      } finally {
        place.keep(db).close();
      }
    } finally {
      unregisterVFS('map');
    }
  },
  'exec of what is long': ({ db }) => db.exec(`/* ${'x'.repeat(70_000)} */`),
  interrupt: ({ db }) => db.interrupt(),
  'an iterator that is left': ({ db }) => {
    for (const { a } of db.prepare('SELECT a FROM t, (SELECT 1 UNION SELECT 2)').iterate()) return a;
    return 0;
  },
  resetStats: () => getVFS('memory').resetStats(),
};
