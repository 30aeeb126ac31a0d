/** SQLite's result codes that are looked at here (https://sqlite.org/rescode.html). */
export const SQLITE_OK = 0;
export const SQLITE_ABORT = 4;
export const SQLITE_NOMEM = 7;
export const SQLITE_MISUSE = 21;
export const SQLITE_ROW = 100;
export const SQLITE_DONE = 101;
