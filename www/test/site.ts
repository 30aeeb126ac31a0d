// Builds a folder of pages and serves the build, the way a static host would.

import { createServer } from 'node:net';
import { build, type InlineConfig, preview } from 'vite';

export interface Site {
  url: string;
  close(): Promise<void>;
}

/** Not the root of a host: the build must work from any path. */
const path = '/some/where/';

/** @param config A configuration, or the file that has it. */
export async function buildAndServe(config: string | InlineConfig): Promise<Site> {
  const given =
    typeof config === 'string' ? { configFile: config } : { ...config, configFile: false as const };
  await build({ ...given, logLevel: 'warn' });
  const port = await freePort();
  const server = await preview({
    ...given,
    base: path,
    logLevel: 'warn',
    preview: {
      ...(typeof config === 'string' ? {} : config.preview),
      host: '127.0.0.1',
      port,
      strictPort: true,
    },
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
