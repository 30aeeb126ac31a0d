// Each of these lines must be refused.

import * as kit from 'sqlite-vfs-kit';
import { DatabaseSync, getVFS, init, type SqliteError, StatementSync } from 'sqlite-vfs-kit';
import { constants, Session } from 'sqlite-vfs-kit/node-compat';

// @ts-expect-error there is no such option
await init({ url: '/sqlite.wasm' });
// @ts-expect-error a path is needed
new DatabaseSync();
// @ts-expect-error a path is no number
new DatabaseSync(1);
// @ts-expect-error there is no such option
new DatabaseSync(':memory:', { readonly: true });
// @ts-expect-error a number of milliseconds
new DatabaseSync(':memory:', { timeout: '100' });
// @ts-expect-error there is no such limit
new DatabaseSync(':memory:', { limits: { size: 1 } });
// @ts-expect-error only prepare makes them
new StatementSync();
// @ts-expect-error nobody makes them
new Session();

const db = new DatabaseSync(':memory:');
// @ts-expect-error to be read only
db.isOpen = false;
// @ts-expect-error no promises here
await db.exec('SELECT 1').then();
const statement = db.prepare('SELECT 1');
// @ts-expect-error a Date is no value
statement.run(new Date());
// @ts-expect-error a function is no value
statement.get({ title: () => 'text' });
// @ts-expect-error there may be no row
statement.get().title;
// @ts-expect-error a value may be null
statement.all()[0].title.length;
// @ts-expect-error there is no such counter
statement.stat('steps');
// @ts-expect-error a boolean
statement.setReadBigInts('yes');
// @ts-expect-error its rows have no such column
db.prepare<{ title: string }>('SELECT title FROM song').get()?.year;
// @ts-expect-error the function takes a number
db.transaction((count: number) => count)('text');

// @ts-expect-error bytes are needed
getVFS('memory').import('copy.db', 'text');
// @ts-expect-error a promise of nothing
const count: number = await getVFS().importStream('copy.db', []);
// @ts-expect-error there is no such operation
getVFS().stats().peek;
// @ts-expect-error one code only
const code: SqliteError['code'] = 'ERR_INVALID_STATE';
// @ts-expect-error constants are constant
constants.SQLITE_DENY = 2;
// @ts-expect-error internal
kit.engine();

export { code, count };
