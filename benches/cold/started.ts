/** What is started, and how: apart from `starts.ts`, which is for the worker alone, as all that is imported there. */
const kit = (path: string) => `await init(), new DatabaseSync('${path}'), db.exec(sql), stmt.all()`;

export const started = {
  'kit :memory:': kit(':memory:'),
  'kit memory': kit('first.db'),
  'official :memory:':
    "await sqlite3InitModule(), new oo1.DB(':memory:'), db.exec(sql), db.selectArrays(sql)",
  'sql.js': 'await initSqlJs(), new Database(), db.run(sql), db.exec(sql)',
  'wa-sqlite :memory:':
    "await SQLiteESMFactory(), Factory(module), await open_v2(':memory:'), await exec(db, sql)",
};

export type Started = keyof typeof started;
