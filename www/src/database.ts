// The database the page has open: a file on the page's store, and the name it had where it came from.

import { DatabaseSync, getVFS } from 'sqlite-vfs-kit';
import { fill } from '../../js/demo/datasets.js';

export class OpenDatabase {
  readonly connection: DatabaseSync;
  /** The name it is shown and saved under. */
  readonly title: string;
  /** It has changes that closing it would lose. Those to the sample data are play. */
  unsaved = false;
  readonly #path: string;
  readonly #sample: boolean;

  private constructor(title: string, path: string, sample = false) {
    this.title = title;
    this.#sample = sample;
    this.#path = path;
    this.connection = new DatabaseSync(path);
  }

  /** A new database with the sample tables. */
  static sample(texts: ReadonlyMap<string, string>): OpenDatabase {
    const database = new OpenDatabase('sample.sqlite', unusedPath('sample.sqlite'), true);
    fill(database.connection, (table) => texts.get(table.name) ?? '');
    return database;
  }

  /** A database from a file's bytes. Throws, and leaves nothing behind, when they are no database. */
  static fromBytes(title: string, bytes: Uint8Array): OpenDatabase {
    const path = unusedPath(title);
    store().import(path, bytes);
    let database: OpenDatabase | null = null;
    try {
      database = new OpenDatabase(title, path);
      // Opening reads nothing yet: only the first query finds a damaged schema.
      database.connection.prepare('SELECT count(*) FROM sqlite_schema').get();
      return database;
    } catch (error) {
      database?.connection.close();
      store().delete(path);
      throw error;
    }
  }

  noteChange(): void {
    this.unsaved = !this.#sample;
  }

  get size(): number {
    return (
      store()
        .list()
        .find(({ name }) => name === this.#path)?.size ?? 0
    );
  }

  /** The whole database as the bytes of a file. */
  toBytes(): Uint8Array {
    if (this.connection.isTransaction) {
      throw new Error('A transaction is open: COMMIT or ROLLBACK it, then save.');
    }
    return store().export(this.#path);
  }

  /** Closes the connection and gives its memory back. */
  discard(): void {
    this.connection.close();
    store().delete(this.#path);
  }
}

export const store = () => getVFS();

/** The open database may have the same name as the one to be opened, and stays open until that has worked. */
function unusedPath(title: string): string {
  const taken = new Set(
    store()
      .list()
      .map(({ name }) => name),
  );
  let path = title;
  for (let number = 2; taken.has(path); number += 1) path = `${number}-${title}`;
  return path;
}
