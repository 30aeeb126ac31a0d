/** Bytes and chance for cases: the same with every run. */

/** The one kind of byte array that crosses: not shared, not a Node `Buffer`. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Where stores keep blocks, sectors and pages end: faults are one byte to either side. */
export const BORDERS = [512, 4096, 65536] as const;

/** Bytes in which every place is told from its neighbours, and every seed from every other; none is zero. */
export function pattern(length: number, seed = 1): Bytes {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = 1 + ((i * 7 + (i >>> 8) * 13 + seed * 31) % 251);
  return bytes;
}

/** A generator of numbers (mulberry32): every seed will do. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** 0 to 2^32 - 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** 0 to `limit - 1`. */
  below(limit: number): number {
    return this.next() % Math.max(1, limit);
  }

  bytes(length: number): Bytes {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i++) bytes[i] = this.next();
    return bytes;
  }
}

/** What a file is supposed to hold: the reference that a file is compared with. */
export class ModelFile {
  bytes: Bytes = new Uint8Array();

  write(bytes: Uint8Array, offset: number): void {
    if (offset + bytes.length > this.bytes.length) this.truncate(offset + bytes.length);
    this.bytes.set(bytes, offset);
  }

  truncate(size: number): void {
    const bytes = new Uint8Array(size);
    bytes.set(this.bytes.subarray(0, size));
    this.bytes = bytes;
  }
}
