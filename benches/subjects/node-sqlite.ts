/** Node's own SQLite, where there is one: native code, so not a peer of the wasm ones but a mark to look at. */
import { likeNode, type NodeDatabase } from './node-api.js';
import type { SqlSubject } from './sql.js';

interface NodeSqlite {
  DatabaseSync: new (path: string) => NodeDatabase;
}

export function nodeSqlite(): SqlSubject | undefined {
  // Neither Node 20 nor a browser has the module: asked for at run time, it is there or not.
  const host = (globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } }).process;
  const module = host?.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined;
  if (!module) return undefined;
  return {
    name: 'node:sqlite',
    how: likeNode.how,
    open: () => likeNode.adapt(new module.DatabaseSync(':memory:')),
  };
}
