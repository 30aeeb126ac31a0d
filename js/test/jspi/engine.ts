import { AsyncDatabase, init, registerVFS, unregisterVFS } from '../../src/jspi.js';
import type { SqlEngine } from '../../src/testing.js';

/** SQLite that waits for promises, for the conformance kit. */
export const jspiEngine: SqlEngine = {
  init,
  register: registerVFS,
  unregister: unregisterVFS,
  open: (path, options) => AsyncDatabase.open(path, options),
};
