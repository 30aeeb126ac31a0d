/** Builds of SQLite made by others, each driven by its own documentation, behind one shape: in Node and in browsers. */
import { Factory, SQLITE_ROW } from '@journeyapps/wa-sqlite';
import * as official from '../../src/adapters/sqlite-wasm.js';
import * as waSqlite from '../../src/adapters/wa-sqlite.js';
import { DatabaseSync, type FacadeVFS, type RegisteredVFS } from '../../src/index.js';

export type Row = unknown[];

export interface OpenDatabase {
  /** All rows of all statements. Rejects with an error that has SQLite's code. */
  sql(text: string): Promise<Row[]>;
  close(): Promise<void>;
}

export interface Build {
  readonly name: string;
  register(vfs: FacadeVFS | RegisteredVFS, options?: official.RegisterOptions): official.Registration;
  /** Opens a database for reading and writing; made if it is not there, unless `mustExist`. */
  open(file: string, vfs?: string, options?: { mustExist?: boolean }): Promise<OpenDatabase>;
  /** What its adapter calls the module. */
  readonly module: object;
  readonly suspends: boolean;
}

const SQLITE_OPEN_READWRITE = 2;
const SQLITE_OPEN_CREATE = 4;
const SQLITE_OPEN_URI = 0x40;

/** wa-sqlite's builds: the one that does not wait has no name. */
export type Variant = '' | '-async' | '-jspi';

type Sqlite3 = Awaited<ReturnType<typeof import('@sqlite.org/sqlite-wasm')['default']>>;

export function officialBuildOf(sqlite3: Sqlite3): Build {
  return {
    name: 'official',
    module: sqlite3,
    suspends: false,
    register: (vfs, options) => official.register(sqlite3, vfs, options),
    async open(file, vfs, { mustExist = false } = {}) {
      const db = new sqlite3.oo1.DB({ filename: file, flags: mustExist ? 'w' : 'c', ...(vfs && { vfs }) });
      return {
        sql: async (text) => db.exec({ sql: text, rowMode: 'array', returnValue: 'resultRows' }) as Row[],
        close: async () => db.close(),
      };
    },
  };
}

export function waBuildOf(module: object, variant: Variant): Build {
  const sqlite3 = Factory(module);
  return {
    name: `wa-sqlite${variant}`,
    module,
    suspends: variant !== '',
    register: (vfs, options) => waSqlite.register(module, vfs, options),
    async open(file, vfs, { mustExist = false } = {}) {
      const flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | (mustExist ? 0 : SQLITE_OPEN_CREATE);
      const db = await sqlite3.open_v2(file, flags, vfs);
      return {
        async sql(text) {
          const rows: Row[] = [];
          for await (const statement of sqlite3.statements(db, text)) {
            while ((await sqlite3.step(statement)) === SQLITE_ROW) rows.push(sqlite3.row(statement));
          }
          return rows;
        },
        close: async () => void (await sqlite3.close(db)),
      };
    },
  };
}

/** This package's own engine in the same shape. What it opens it knows already, or is registered by the test. */
export const ours: Pick<Build, 'name' | 'open'> = {
  name: 'sqlite-vfs-kit',
  async open(file, vfs) {
    const db = new DatabaseSync(file, vfs === undefined ? {} : { vfs });
    return {
      async sql(text) {
        const statement = db.prepare(text);
        statement.setReturnArrays(true);
        return statement.all() as unknown as Row[];
      },
      close: async () => db.close(),
    };
  },
};

/** How they say it differs; all have SQLite's primary code. */
export async function codeOf(promise: Promise<unknown>): Promise<number> {
  try {
    await promise;
  } catch (error) {
    const { code, resultCode, errcode } = error as Record<string, unknown>;
    const found = errcode ?? resultCode ?? code;
    if (typeof found === 'number') return found & 0xff;
    throw error;
  }
  return 0;
}
