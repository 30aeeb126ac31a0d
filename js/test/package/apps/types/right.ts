// What a user writes. It is compiled, and not run.
import {
  Database,
  type DatabaseOptions,
  DatabaseSync,
  type FileInfo,
  getVFS,
  type InitOptions,
  init,
  type LimitName,
  type Limits,
  type NamedParameters,
  type OperationStats,
  type RegisteredVFS,
  type Row,
  registerVFS,
  type SQLInputValue,
  type SQLOutputValue,
  type SqliteError,
  Statement,
  type StatementColumn,
  type StatementCounter,
  type StatementOptions,
  type StatementResult,
  StatementSync,
  sqliteVersion,
} from 'sqlite-vfs-kit';
import { type Registration, register as registerThere } from 'sqlite-vfs-kit/adapters/sqlite-wasm';
import { register as registerInWa } from 'sqlite-vfs-kit/adapters/wa-sqlite';
import { fromWaSqlite, type WaSqliteVFS, waSqliteModule } from 'sqlite-vfs-kit/compat/wa-sqlite';
import { type ImportReport, type ImportSource, importFrom } from 'sqlite-vfs-kit/import';
import sqlite, {
  backup,
  constants,
  type DatabaseSyncOptions,
  type PrepareOptions,
  Session,
  type StatementColumnMetadata,
  type StatementResultingChanges,
} from 'sqlite-vfs-kit/node-compat';
import { initStores, MemoryVFS } from 'sqlite-vfs-kit/stores';

// --- Loading ---

await init();
const sources: InitOptions[] = [
  {},
  { wasm: '/sqlite.wasm' },
  { wasm: new URL('sqlite.wasm', import.meta.url) },
  { wasm: fetch('/sqlite.wasm') },
  { wasm: await fetch('/sqlite.wasm') },
  { wasm: new ArrayBuffer(8) },
  { wasm: new Uint8Array(8) },
  { wasm: await WebAssembly.compile(new Uint8Array(8)) },
];
for (const source of sources) await init(source);
const version: string = sqliteVersion();

// --- Databases ---

const options: DatabaseOptions = {
  open: false,
  readOnly: false,
  enableForeignKeyConstraints: true,
  enableDoubleQuotedStringLiterals: false,
  timeout: 100,
  defensive: true,
  limits: { length: 1_000_000 },
  readBigInts: true,
  returnArrays: false,
  allowBareNamedParameters: true,
  allowUnknownNamedParameters: false,
  vfs: 'memory',
};
using db = new DatabaseSync('songs.db', options);
const others: DatabaseSync[] = [
  new Database(':memory:'),
  new DatabaseSync(new URL('file:songs.db')),
  new DatabaseSync(new Uint8Array([0x61])),
];
db.open();
db.exec('CREATE TABLE song (title TEXT)');
const place: string | null = db.location('main');
const state: boolean = db.isOpen && db.isTransaction;
const store: string = db.store;
const limits: Limits = db.limits;
const limit: LimitName = 'sqlLength';
limits[limit] = Number.POSITIVE_INFINITY;
db.enableDefensive(false);
const bytes: Uint8Array<ArrayBuffer> = db.serialize();
others[0]?.deserialize(bytes, { dbName: 'main' });

// --- Statements ---

const settings: StatementOptions = { returnArrays: true };
using statement = db.prepare('SELECT * FROM song WHERE title = $title', settings);
const values: SQLInputValue[] = [null, undefined, 1, 2n, true, 'text', bytes, bytes.buffer];
const named: NamedParameters = { title: 'Clair de lune', $year: 1905n };
const result: StatementResult = statement.run(...values);
const changes: number | bigint = result.changes;
const row: Row | undefined = statement.get(named, ...values);
const value: SQLOutputValue | undefined = row?.title;
if (typeof value === 'string') value.toUpperCase();
else if (value instanceof Uint8Array) value.subarray(1);
const rows: Row[] = statement.all('Clair de lune');
for (const { title } of statement.iterate({ title: 'Clair de lune' })) String(title);
const songs: { title: string; year: number }[] = db
  .prepare<{ title: string; year: number }>('SELECT title, year FROM song')
  .all();
for (const [year] of db.prepare<[number]>('SELECT year FROM song', settings).iterate()) year.toFixed();
const addAll = db.transaction((titles: string[], year: number) => titles.length + year);
const added: number = addAll.immediate(
  songs.map(({ title }) => title),
  1905,
);
const userVersion: SQLOutputValue | undefined = db.pragma('user_version', { simple: true });
const [info]: Row[] = db.pragma('table_info(song)');
const columns: StatementColumn[] = statement.columns();
const counter: StatementCounter = 'fullscanStep';
const steps: number = statement.stat(counter);
statement.resetStats();
statement.setReadBigInts(true);
statement.setReturnArrays(true);
statement.setAllowBareNamedParameters(true);
statement.setAllowUnknownNamedParameters(true);
const sql: string = statement.sourceSQL + statement.expandedSQL;
const isStatement: boolean = statement instanceof StatementSync && statement instanceof Statement;
statement.close();

try {
  db.exec('SELECT FROM song');
} catch (error) {
  const { code, errcode, errstr, message } = error as SqliteError;
  const kind: 'ERR_SQLITE_ERROR' = code;
  String([kind, errcode, errstr, message]);
}

// --- Files ---

const memory: RegisteredVFS = getVFS('memory');
const files: FileInfo[] = memory.list();
const copy: Uint8Array<ArrayBuffer> = memory.export('songs.db');
memory.import('copy.db', copy);
const download: ReadableStream<Uint8Array> = memory.exportStream('songs.db');
await new Response(download.pipeThrough(new CompressionStream('gzip') as never)).blob();
await memory.importStream('copy.db', new Blob([copy]).stream());
await memory.importStream('copy.db', [copy]);
const deleted: boolean = memory.delete('copy.db');
const reads: OperationStats = memory.stats().read;
memory.resetStats();

// --- As node:sqlite ---

const compatOptions: DatabaseSyncOptions = { readOnly: true };
const prepareOptions: PrepareOptions = { readBigInts: true };
const other: DatabaseSync = new sqlite.DatabaseSync(':memory:', compatOptions);
const resulting: StatementResultingChanges = other.prepare('SELECT 1', prepareOptions).run();
const metadata: StatementColumnMetadata[] = other.prepare('SELECT 1').columns();
const deny: 1 = constants.SQLITE_DENY;
const isSession: boolean = (other as unknown) instanceof Session;
const copied: number = await backup(other, 'copy.db');

export const all = [
  ...[
    added,
    userVersion,
    info,
    version,
    place,
    state,
    store,
    changes,
    rows,
    columns,
    steps,
    sql,
    isStatement,
    files,
    deleted,
    reads,
  ],
  ...[resulting, metadata, deny, isSession, copied],
];

const origins: ImportSource[] = [
  new Uint8Array(),
  { database: new Blob(), wal: new ArrayBuffer(0), name: 'songs.db' },
  { 'opfs-sahpool': await navigator.storage.getDirectory() },
  { indexedDB: 'songs' },
];
const moved: ImportReport = await importFrom(origins[0] as ImportSource, {
  vfs: 'memory',
  path: (name) => (name === '/songs.db' ? 'songs.db' : undefined),
  replace: true,
});
for (const { name, path, size, recovered } of moved.databases) {
  if (recovered?.from === 'wal') console.log(name, path, size, recovered.frames);
}

// --- In builds of others ---

declare const sqlite3: { capi: { sqlite3_open(): number }; wasm: { memory: WebAssembly.Memory } };
await initStores({ wasm: '/stores.wasm' });
const theirs: WaSqliteVFS = { name: 'theirs' };
registerVFS(fromWaSqlite(theirs, { async: false, module: waSqliteModule() }));
const lent: Registration = registerThere(sqlite3, new MemoryVFS({ maxBytes: 1e6 }), {
  name: 'kit',
  default: true,
});
registerInWa({ HEAPU8: new Uint8Array() }, getVFS('memory'));
const reason: unknown = lent.lastError;
lent.unregister();
await lent.abandon();
console.log(reason);
