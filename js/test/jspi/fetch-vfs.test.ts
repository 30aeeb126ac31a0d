// A database on a server, through the example over `fetch`: servers that are honest, and others.

import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { FetchVFS } from '../../examples/fetch-vfs.js';
import { DatabaseSync, init as initSync } from '../../src/index.js';
import { AsyncDatabase, init, registerVFS } from '../../src/jspi.js';
import { cases } from '../../src/testing.js';
import { jspiEngine } from './engine.js';

let file: Buffer;

beforeAll(async () => {
  await Promise.all([init(), initSync()]);
  registerVFS(new FetchVFS());
  const db = new DatabaseSync(':memory:');
  db.exec(`
    CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, notes BLOB);
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO song SELECT i, 'song ' || i, zeroblob(1000) FROM n;
  `);
  file = Buffer.from(db.serialize());
  db.close();
});

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Answers with parts of these bytes, as it should. */
const honestWith =
  (bytes: Buffer): RequestListener =>
  (request, response) => {
    const [first, last] = rangeOf(request.headers.range, bytes);
    response.writeHead(206, { 'content-range': `bytes ${first}-${last}/${bytes.length}`, etag: '"two"' });
    response.end(bytes.subarray(first, last + 1));
  };

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/songs.db`;
}

/** Which of the bytes a request is for. */
function rangeOf(header: string | undefined, bytes = file): [number, number] {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(header ?? '') ?? [];
  return [Number(first), Math.min(Number(last), bytes.length - 1)];
}

const asked: number[] = [];

const honest: RequestListener = (request, response) => {
  const [first, last] = rangeOf(request.headers.range);
  asked.push(last + 1 - first);
  response.writeHead(206, {
    'content-range': `bytes ${first}-${last}/${file.length}`,
    'content-length': last + 1 - first,
    etag: '"one"',
  });
  response.end(file.subarray(first, last + 1));
};

const open = (url: string) => AsyncDatabase.open(url, { vfs: 'fetch', readOnly: true });

async function titleOf(db: AsyncDatabase, id: number): Promise<unknown> {
  return (await (await db.prepare('SELECT title FROM song WHERE id = ?')).get(id))?.title;
}

test('few bytes are fetched for a look-up in a large file', async () => {
  expect(file.length).toBeGreaterThan(5_000_000);
  asked.length = 0;
  const db = await open(await serve(honest));
  expect(await titleOf(db, 3999)).toBe('song 3999');
  expect(asked.length).toBeLessThan(8);
  expect(asked.reduce((a, b) => a + b)).toBeLessThan(file.length / 8);
  const before = asked.length;
  expect(await titleOf(db, 3999)).toBe('song 3999');
  expect(asked.length).toBe(before);
  const count = await (await db.prepare('SELECT count(*) AS n, sum(length(notes)) AS bytes FROM song')).get();
  expect(count).toEqual({ n: 5000, bytes: 5_000_000 });
  await expect(db.exec('DELETE FROM song')).rejects.toMatchObject({ errcode: 8 });
  await db.close();
});

test('a database that was left in WAL mode is read', async () => {
  const bytes = Buffer.from(file);
  // The file format of readers and writers: 2 is WAL.
  bytes.set([2, 2], 18);
  const db = await open(await serve(honestWith(bytes)));
  expect(await titleOf(db, 3999)).toBe('song 3999');
  await db.close();
});

test('bytes that are no database are one that says so', async () => {
  const db = await open(await serve(honestWith(Buffer.from(file).fill('<p>', 0, 4096))));
  await expect(titleOf(db, 1)).rejects.toMatchObject({ errcode: 26 });
  await db.close();
});

test('answers are asked for as they are, not compressed', async () => {
  const encodings = new Set<unknown>();
  const db = await open(
    await serve((request, response) => {
      encodings.add(request.headers['accept-encoding']);
      honest(request, response);
    }),
  );
  expect(await titleOf(db, 1)).toBe('song 1');
  expect([...encodings]).toEqual(['identity']);
  await db.close();
});

test('blocks that were not used for long are fetched anew', async () => {
  const db = await open(await serve(honest));
  const scan = await db.prepare('SELECT sum(length(notes)) AS bytes FROM song');
  await db.exec('PRAGMA cache_size = 10');
  await scan.get();
  asked.length = 0;
  expect(await scan.get()).toEqual({ bytes: 5_000_000 });
  // The file has more blocks than are kept.
  expect(asked.length).toBeGreaterThan(60);
  await db.close();
});

test.each<[string, RequestListener, string]>([
  ['that knows no ranges', (_, response) => response.end(file), 'does not answer range requests'],
  [
    'that knows none, and compresses',
    (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(file)),
    'does not answer range requests',
  ],
  ['that does not have it', (_, response) => response.writeHead(404).end('no'), 'the server answered 404'],
  [
    'that compresses, and lies about lengths',
    (request, response) => {
      const [first, last] = rangeOf(request.headers.range);
      const bytes = gzipSync(file.subarray(first, last + 1));
      response.writeHead(206, {
        'content-encoding': 'gzip',
        'content-range': `bytes ${first}-${last}/${file.length}`,
        'content-length': bytes.length,
      });
      response.end(bytes);
    },
    'the server compresses (gzip)',
  ],
  [
    'that sends another part',
    (_, response) => {
      response.writeHead(206, { 'content-range': `bytes 5-104/${file.length}` });
      response.end(file.subarray(5, 105));
    },
    '100 bytes from 0 on were asked for, and the server sent 100 from 5 on',
  ],
  [
    'that sends less than it says',
    (_, response) => {
      response.writeHead(206, { 'content-range': `bytes 0-99/${file.length}` });
      response.end(file.subarray(0, 50));
    },
    '100 bytes from 0 on were asked for, and the server sent 50 from 0 on',
  ],
  [
    'that does not say how long the file is',
    (_, response) => response.writeHead(206, { 'content-range': 'bytes 0-99/*' }).end(file.subarray(0, 100)),
    'does not say which part it sent',
  ],
  [
    'that does not say which part',
    (_, response) => response.writeHead(206).end(file.subarray(0, 100)),
    'does not say which part it sent',
  ],
])('a server %s is refused', async (_, listener, words) => {
  const error: Error = await open(await serve(listener)).then(
    () => new Error('it was opened'),
    (error) => error,
  );
  expect(error).toMatchObject({ code: 'ERR_SQLITE_ERROR', errcode: 14 });
  expect(error.message).toContain(words);
});

test('an answer that is cut off is an error, and asked for again', async () => {
  let cut = false;
  const url = await serve((request, response) => {
    if (!cut) return honest(request, response);
    const [first, last] = rangeOf(request.headers.range);
    response.writeHead(206, {
      'content-range': `bytes ${first}-${last}/${file.length}`,
      'content-length': last + 1 - first,
      etag: '"one"',
    });
    response.write(file.subarray(first, first + 10), () => response.destroy());
  });
  const db = await open(url);
  expect(await titleOf(db, 1)).toBe('song 1');
  cut = true;
  // Not as if it could not be opened: it is open.
  await expect(titleOf(db, 3000)).rejects.toMatchObject({
    errcode: 266,
    message: expect.stringContaining('the answer was cut off'),
  });
  cut = false;
  expect(await titleOf(db, 3000)).toBe('song 3000');
  await db.close();
});

test.each(['etag', 'last-modified'])(
  'a file that changes on the server is no mixture: %s',
  async (header) => {
    let tag = '"one"';
    const url = await serve((request, response) => {
      const writeHead = response.writeHead.bind(response) as (status: number, headers: object) => unknown;
      Object.assign(response, {
        writeHead: (status: number, { etag, ...headers }: OutgoingHttpHeaders) =>
          writeHead(status, { ...headers, [header]: etag && tag }),
      });
      honest(request, response);
    });
    const db = await open(url);
    expect(await titleOf(db, 1)).toBe('song 1');
    tag = '"two"';
    await expect(titleOf(db, 3000)).rejects.toThrow('has changed on the server');
    await db.close();
  },
);

test('a server that cannot be reached says so, with the cause', async () => {
  const url = await serve(honest);
  servers.splice(0)[0]?.close();
  const error: Error = await open(url).then(
    () => new Error('it was opened'),
    (error) => error,
  );
  expect(error.message).toContain('could not be reached');
  expect((error.cause as Error).cause).toBeInstanceOf(Error);
});

describe('the conformance kit, with files that a server has', () => {
  /** The kit's names are paths of the server. */
  class ServerVFS extends FetchVFS {
    override readonly name = 'server';

    constructor(readonly server: string) {
      super();
    }

    #url = (path: string) => `${this.server}${encodeURIComponent(path)}`;

    override open = (path: string | null, flags: number) => super.open(path && this.#url(path), flags);

    override exists = (path: string) => super.exists(this.#url(path));
  }

  const subject = {
    name: 'fetch',
    create: async (files: ReadonlyMap<string, Uint8Array> = new Map()) =>
      new ServerVFS(
        (
          await serve((request, response) => {
            const bytes = files.get(decodeURIComponent(request.url?.slice(1) ?? ''));
            if (bytes) honestWith(Buffer.from(bytes))(request, response);
            else response.writeHead(404).end();
          })
        ).replace('songs.db', ''),
      ),
    promises: { readOnly: true, temporaryFiles: false },
  };

  const readOnly = cases.filter(({ needs }) => needs.includes('read only'));

  test.each(readOnly.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    expect((await one.run(subject, { engine: jspiEngine })).outcome).toBe('passed');
  });
});
