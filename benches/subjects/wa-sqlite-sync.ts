/**
 * wa-sqlite's build that does not wait, with its example VFS in memory or with MemoryVFS lent to it. Its API answers promises all the
 * same.
 */
import { Factory, SQLITE_ROW } from '@journeyapps/wa-sqlite';
import build from '@journeyapps/wa-sqlite/dist/wa-sqlite.mjs';
import { MemoryVFS } from '@journeyapps/wa-sqlite/src/examples/MemoryVFS.js';
import { register } from 'sqlite-vfs-kit/adapters/wa-sqlite';
import { fileName, storesInMemory } from './kit-stores.js';
import type { AwaitedDatabase, AwaitedStatement, AwaitedSubject, Value } from './sql.js';
import { bytesOf, href } from './wa-sqlite-files.js';

export async function waSqliteMemory(): Promise<AwaitedSubject> {
  const { module, sqlite } = await load();
  const vfs = await (MemoryVFS as unknown as Example).create('memory', module);
  sqlite.vfs_register(vfs as never, false);
  return subject('wa-sqlite memory', sqlite, 'memory', () => vfs.mapNameToFile.clear());
}

/** SQLite's own in-memory database, with no VFS in it. */
export async function waSqliteWithoutVfs(): Promise<AwaitedSubject> {
  const { sqlite } = await load();
  return subject('wa-sqlite :memory:', sqlite, undefined, () => {});
}

export async function kitInWaSqlite(): Promise<AwaitedSubject> {
  const { module, sqlite } = await load();
  const vfs = await storesInMemory();
  register(module, vfs, { name: 'kit' });
  return subject('kit memory in wa-sqlite', sqlite, 'kit', () => vfs.delete(fileName, false));
}

/** The example as it is; its types are those of an older one. */
interface Example {
  create(name: string, module: object): Promise<{ readonly mapNameToFile: Map<string, unknown> }>;
}

type Api = ReturnType<typeof Factory>;

async function load(): Promise<{ module: object; sqlite: Api }> {
  const wasmBinary = await bytesOf('wa-sqlite.wasm', () =>
    href(new URL('../../node_modules/@journeyapps/wa-sqlite/dist/wa-sqlite.wasm', import.meta.url)),
  );
  const module = (await build({ wasmBinary })) as object;
  return { module, sqlite: Factory(module) };
}

function subject(name: string, sqlite: Api, vfs: string | undefined, removed: () => void): AwaitedSubject {
  return {
    name,
    how: {
      exec: 'await sqlite3.exec(db, sql)',
      run: 'bind_collection(stmt, values), await step(stmt), await reset(stmt)',
      get: 'bind_collection(stmt, values), await step(stmt), row(stmt), await reset(stmt)',
      all: 'bind_collection(stmt, values), await step(stmt) and row(stmt) for each, await reset(stmt)',
      arrays: 'await step(stmt) and row(stmt) for each',
      objects: 'await step(stmt) and row(stmt) for each',
      each: 'await step(stmt) and row(stmt) for each',
      bulk: 'BEGIN, bind_collection(stmt, row), await step(stmt), await reset(stmt) for each, COMMIT',
    },
    async open() {
      const db = await sqlite.open_v2(vfs === undefined ? ':memory:' : fileName, undefined, vfs);
      const prepared = new Set<number>();
      return adapt(sqlite, db, prepared, async () => {
        for (const statement of prepared) await sqlite.finalize(statement);
        await sqlite.close(db);
        removed();
      });
    },
  };
}

function adapt(sqlite: Api, db: number, prepared: Set<number>, close: () => Promise<void>): AwaitedDatabase {
  const exec = async (sql: string) => void (await sqlite.exec(db, sql));
  const newStatement = async (sql: string): Promise<number> => {
    for await (const statement of sqlite.statements(db, sql, { unscoped: true })) {
      prepared.add(statement);
      return statement;
    }
    throw new Error(`no statement: ${sql}`);
  };
  /** `exec` with a callback is the other way, and waits twice for each row. */
  const stepThrough = async (sql: string, look: (statement: number) => void) => {
    for await (const statement of sqlite.statements(db, sql)) {
      while ((await sqlite.step(statement)) === SQLITE_ROW) look(statement);
    }
  };
  return {
    exec,
    close,
    async prepare(sql) {
      const statement = await newStatement(sql);
      return adaptStatement(sqlite, statement, async () => {
        prepared.delete(statement);
        await sqlite.finalize(statement);
      });
    },
    async arrays(sql) {
      const rows: unknown[][] = [];
      await stepThrough(sql, (statement) => rows.push(sqlite.row(statement)));
      return rows;
    },
    async objects(sql) {
      const rows: object[] = [];
      let row: ReturnType<typeof objectsOf>;
      await stepThrough(sql, (statement) => {
        row ??= objectsOf(sqlite, statement);
        rows.push(row());
      });
      return rows;
    },
    async each(sql, look) {
      let row: ReturnType<typeof objectsOf>;
      await stepThrough(sql, (statement) => {
        row ??= objectsOf(sqlite, statement);
        look(row());
      });
    },
    async bulk(sql, rows) {
      await exec('BEGIN');
      const statement = await newStatement(sql);
      for (const row of rows) {
        sqlite.bind_collection(statement, row as never);
        await sqlite.step(statement);
        await sqlite.reset(statement);
      }
      await exec('COMMIT');
    },
  };
}

function adaptStatement(sqlite: Api, statement: number, finalize: () => Promise<void>): AwaitedStatement {
  const bind = (values: Value[]) => void sqlite.bind_collection(statement, values as never);
  const row = objectsOf(sqlite, statement);
  return {
    finalize,
    async run(values) {
      bind(values);
      await sqlite.step(statement);
      await sqlite.reset(statement);
    },
    async get(values) {
      bind(values);
      const found = (await sqlite.step(statement)) === SQLITE_ROW ? row() : undefined;
      await sqlite.reset(statement);
      return found;
    },
    async all(values) {
      bind(values);
      const rows: object[] = [];
      while ((await sqlite.step(statement)) === SQLITE_ROW) rows.push(row());
      await sqlite.reset(statement);
      return rows;
    },
  };
}

/** Makes an object of a statement's row. */
function objectsOf(sqlite: Api, statement: number): () => object {
  const names = sqlite.column_names(statement);
  return () => {
    const values = sqlite.row(statement);
    const object: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) object[names[i] as string] = values[i];
    return object;
  };
}
