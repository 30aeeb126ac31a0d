/** A static host: it serves the files of a folder, not from the root of the host. */
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

export interface Site {
  url: string;
  close(): void;
}

const PATH = '/some/where/';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
};

/** @param headers Go with every answer, in the place of its own. */
export async function serve(
  folder: string,
  headers: (extension: string) => Record<string, string> = () => ({}),
): Promise<Site> {
  const server = createServer(({ url = '' }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://host').pathname));
    const name = path.startsWith(PATH) ? path.slice(PATH.length) || 'index.html' : '';
    const file = join(folder, name);
    if (name === '' || !existsSync(file)) return response.writeHead(404).end();
    const extension = extname(file);
    response.writeHead(200, { 'content-type': TYPES[extension], ...headers(extension) });
    return createReadStream(file).pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${PATH}`, close: () => server.close().closeAllConnections() };
}
