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

/** Bytes that grow and shrink as a file does: what a file is compared with. Growing costs what is written. */
export class ModelFile {
  #room: Bytes;
  #size: number;

  constructor(content: Uint8Array = new Uint8Array()) {
    this.#room = new Uint8Array(content);
    this.#size = content.length;
  }

  get size(): number {
    return this.#size;
  }

  /** What it holds: a view, until it is changed. */
  get bytes(): Bytes {
    return this.#room.subarray(0, this.#size);
  }

  write(bytes: Uint8Array, offset: number): void {
    if (bytes.length === 0) return;
    if (offset + bytes.length > this.#size) this.truncate(offset + bytes.length);
    this.#room.set(bytes, offset);
  }

  truncate(size: number): void {
    if (size > this.#room.length) {
      const room = new Uint8Array(Math.max(size, 2 * this.#room.length));
      room.set(this.bytes);
      this.#room = room;
    }
    // What is cut off must not come back.
    if (size < this.#size) this.#room.fill(0, size, this.#size);
    this.#size = size;
  }
}
