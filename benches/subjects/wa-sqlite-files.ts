/** The wasm files of wa-sqlite. */
import { builtin } from './from-node.js';

export const href = (url: URL): string => url.href;

/** Of a file that the build would fetch by itself in a page, but not in Node. */
export async function bytesOf(file: string, url: () => string): Promise<ArrayBufferView | ArrayBuffer> {
  const module = builtin<typeof import('node:module')>('node:module');
  const files = builtin<typeof import('node:fs/promises')>('node:fs/promises');
  if (!module || !files) return (await fetch(url())).arrayBuffer();
  return files.readFile(module.createRequire(import.meta.url).resolve(`@journeyapps/wa-sqlite/dist/${file}`));
}
