/** The pool of wa-sqlite's AccessHandlePoolVFS. Its digest is cyrb53 (https://github.com/bryc/code), both halves of it. */
import type { PoolLayout } from './pool.js';

export const accessHandlePool: PoolLayout = {
  kind: 'AccessHandlePool',
  what: 'an AccessHandlePool pool',
  digest(corpus) {
    let first = 0xdeadbeef;
    let second = 0x41c6ce57;
    for (const byte of corpus) {
      first = Math.imul(first ^ byte, 2654435761);
      second = Math.imul(second ^ byte, 1597334677);
    }
    const mix = (a: number, b: number) =>
      Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
    first = mix(first, second);
    second = mix(second, first);
    return [first >>> 0, second >>> 0];
  },
};
