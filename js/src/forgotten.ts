/** Frees what was forgotten: a database, or a statement, that nobody can reach any more. */

/** What is registered frees a thing and keeps nobody from forgetting it. */
export const forgotten = new FinalizationRegistry<() => unknown>((free) => {
  try {
    free();
  } catch {
    // A commit that failed, or that a hook refused: nobody is there to be told.
  }
});

const databases = new WeakMap<object, object>();

/** Keeps a statement's database from being closed as forgotten. */
export function keepDatabase(statement: object, database: object): void {
  databases.set(statement, database);
}
