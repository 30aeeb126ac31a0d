// Builds a folder of pages and serves the build, the way a static host would.

import { createServer } from 'node:net';
import { build, preview } from 'vite';

export interface Site {
  url: string;
  close(): Promise<void>;
}

/** Not the root of a host: the build must work from any path. */
const path = '/some/where/';

export async function buildAndServe(configFile: string): Promise<Site> {
  await build({ configFile, logLevel: 'warn' });
  const port = await freePort();
  const server = await preview({
    configFile,
    base: path,
    logLevel: 'warn',
    preview: { host: '127.0.0.1', port, strictPort: true },
  });
  return { url: `http://127.0.0.1:${port}${path}`, close: () => server.close() };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('no free port'));
      });
    });
  });
}
