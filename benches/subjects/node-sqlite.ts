/** Node's own SQLite, where there is one: native code, so not a peer of the wasm ones but a mark to look at. */
import { LeftOut } from '../suite.js';
import { builtin } from './from-node.js';
import { likeNode, type NodeDatabase } from './node-api.js';
import type { SqlSubject } from './sql.js';

interface NodeSqlite {
  DatabaseSync: new (path: string) => NodeDatabase;
}

export function nodeSqlite(): SqlSubject {
  // Neither Node 20 nor a browser has the module: asked for at run time, it is there or not.
  const module = builtin<NodeSqlite>('node:sqlite');
  if (!module) throw new LeftOut('a part of Node, since version 22');
  return {
    name: 'node:sqlite',
    how: likeNode.how,
    open: () => likeNode.adapt(new module.DatabaseSync(':memory:')),
  };
}
