/** How each library is started, from its JavaScript being there to the first row. */
import { builtin } from '../subjects/from-node.js';
import { bytesOf, href } from '../subjects/wa-sqlite-files.js';
import type { Started } from './started.js';

type First = () => Promise<unknown[][]>;

const setUp = 'CREATE TABLE first (answer INTEGER); INSERT INTO first VALUES (42);';
const ask = 'SELECT answer FROM first';

/** Loads the JavaScript. What it answers does the rest. */
type Load = () => Promise<First>;

const kit =
  (path: string): Load =>
  async () => {
    const { DatabaseSync, init } = await import('sqlite-vfs-kit');
    return async () => {
      await init();
      const database = new DatabaseSync(path);
      database.exec(setUp);
      return database.prepare(ask).all().map(Object.values);
    };
  };

export const starts: Readonly<Record<Started, Load>> = {
  'kit :memory:': kit(':memory:'),
  'kit memory': kit('first.db'),
  async 'official :memory:'() {
    // It says on the console what it has not got without special HTTP headers.
    Object.assign(globalThis, { sqlite3ApiConfig: { warn: () => {} } });
    const { default: start } = await import('@sqlite.org/sqlite-wasm');
    return async () => {
      const { oo1 } = await start();
      const database = new oo1.DB(':memory:');
      database.exec(setUp);
      return database.selectArrays(ask);
    };
  },
  async 'sql.js'() {
    const { default: start } = await import('sql.js');
    return async () => {
      const { Database } = await start(
        inNode
          ? {}
          : {
              locateFile: () =>
                href(new URL('../../node_modules/sql.js/dist/sql-wasm-browser.wasm', import.meta.url)),
            },
      );
      const database = new Database();
      database.run(setUp);
      return database.exec(ask)[0]?.values ?? [];
    };
  },
  async 'wa-sqlite :memory:'() {
    const { Factory } = await import('@journeyapps/wa-sqlite');
    const { default: start } = await import('@journeyapps/wa-sqlite/dist/wa-sqlite.mjs');
    const file = () =>
      href(new URL('../../node_modules/@journeyapps/wa-sqlite/dist/wa-sqlite.wasm', import.meta.url));
    return async () => {
      const sqlite = Factory(
        await start(inNode ? { wasmBinary: await bytesOf('wa-sqlite.wasm', file) } : { locateFile: file }),
      );
      const db = await sqlite.open_v2(':memory:');
      await sqlite.exec(db, setUp);
      const rows: unknown[][] = [];
      await sqlite.exec(db, ask, (row) => void rows.push(row));
      return rows;
    };
  },
};

const inNode = builtin('node:fs') !== undefined;
