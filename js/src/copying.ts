/** Copies a database while it is in use: what `backup` of both builds does. */
import { type Answer, atOnce, type Mode } from './answer.js';
import type { BackupSettings } from './backup-arguments.js';
import { Connection } from './connection.js';
import type { Context } from './context.js';
import { invalidState } from './errors.js';
import { SQLITE_DONE, SQLITE_OK } from './result-codes.js';
import { settingsOf } from './settings.js';

/** What a copy needs of the database that is copied. */
export interface Source<M extends Mode> {
  readonly connection: Connection<M>;
  /** A context for the copy's connection. */
  newContext(): Context<M>;
  /** Has something done when no other call of the database is under way. */
  turn<T>(call: () => T | Promise<T>): Promise<T>;
}

/** Answers how many pages were copied. */
export async function copyDatabase<M extends Mode>(
  { connection, newContext, turn }: Source<M>,
  settings: BackupSettings,
): Promise<number> {
  // Not in the middle of what calls it, which may be a function that SQLite calls.
  await undefined;
  const { path, vfs, source, target, rate, progress } = settings;
  const to = settingsOf([path, vfs === undefined ? {} : { vfs }]);
  const context = newContext();
  let copy: Connection<M>;
  try {
    copy = await Connection.open(context, to);
  } catch (error) {
    context.free();
    throw error;
  }
  let backup = 0;
  const finish = (): Answer<M, number> => {
    const unfinished = backup;
    backup = 0;
    connection.dependents.delete(finish);
    return unfinished === 0 ? atOnce(SQLITE_OK) : context.exports.kit_backup_finish(unfinished);
  };
  try {
    await turn(async () => {
      backup = await beginCopy(copy, target, connection, source);
      // SQLite does not close a database that is being copied.
      connection.dependents.add(finish);
    });
    for (;;) {
      const { code, pages, remaining } = await turn(async () => {
        if (backup === 0) throw invalidState('database is not open');
        const code = await context.exports.kit_backup_step(backup, copy.pointer, rate);
        return {
          code,
          pages: Number(context.changes(true)),
          remaining: Number(context.lastInsertRowid(true)),
        };
      });
      if (code === SQLITE_DONE) return pages;
      if (code !== SQLITE_OK) throw copy.error();
      progress?.call(null, { totalPages: pages, remainingPages: remaining });
      await others();
    }
  } finally {
    await turn(finish);
    await copy.close();
  }
}

async function beginCopy<M extends Mode>(
  copy: Connection<M>,
  target: string,
  connection: Connection<M>,
  source: string,
): Promise<number> {
  const { context } = copy;
  const call = (target?: number, source?: number) =>
    context.exports.kit_backup_new(copy.pointer, target as number, connection.pointer, source as number);
  const backup = await context.withText([target, source], call);
  if (backup === 0) throw copy.error();
  return backup;
}

/** Lets others run. A timer would be slowed down to 4 ms in a browser. */
function others(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
