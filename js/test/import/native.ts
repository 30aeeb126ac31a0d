/** Files as a native SQLite leaves them: Node's own. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'sqlite-vfs-kit';

// Loaded at run time: the bundler of the tests does not know it yet.
const { DatabaseSync: Native } = createRequire(import.meta.url)('node:sqlite') as {
  DatabaseSync: new (path: string) => DatabaseSync;
};

export interface NativeFiles {
  database: Uint8Array<ArrayBuffer>;
  wal?: Uint8Array<ArrayBuffer>;
  journal?: Uint8Array<ArrayBuffer>;
}

/** What lies on the disk at a moment of a program, which is what is left if the machine stops there. */
export function nativeFiles(program: (db: DatabaseSync) => void): NativeFiles {
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  const path = join(folder, 'songs.db');
  const read = (suffix: string) => {
    try {
      return new Uint8Array(readFileSync(path + suffix));
    } catch {
      return undefined;
    }
  };
  const db = new Native(path);
  try {
    program(db);
    const [database, wal, journal] = ['', '-wal', '-journal'].map(read);
    if (!database) throw new Error('the program made no database');
    return { database, ...(wal ? { wal } : {}), ...(journal ? { journal } : {}) };
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}

export const SONGS = `CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, year INTEGER);
  CREATE INDEX by_year ON song (year);
  INSERT INTO song (title, year) VALUES ('Gymnopédie No. 1', 1888), ('Clair de lune', 1905)`;

/** Many pages of it. */
export const MANY = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
  INSERT INTO song (title, year) SELECT 'song ' || i || hex(zeroblob(100)), 1900 + i % 100 FROM n`;

/** A database in WAL mode whose log has what was written last. */
export const walFiles = () =>
  nativeFiles((db) => {
    db.exec(`PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; ${SONGS}`);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.exec(MANY);
  });

/** A database in the middle of a transaction that has written to it already. */
export const hotFiles = () =>
  nativeFiles((db) => {
    db.exec(`${SONGS}; ${MANY}; PRAGMA cache_size = 2; PRAGMA cache_spill = 1`);
    db.exec("BEGIN; UPDATE song SET title = 'gone', year = year + 1");
  });
