/** All of linear memory as bytes, derived anew when growth has taken the last view away. */
export class Heap {
  readonly memory: WebAssembly.Memory;
  #u8: Uint8Array<ArrayBuffer>;

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.#u8 = new Uint8Array(memory.buffer as ArrayBuffer);
  }

  get u8(): Uint8Array<ArrayBuffer> {
    if (this.#u8.length === 0) this.#u8 = new Uint8Array(this.memory.buffer as ArrayBuffer);
    return this.#u8;
  }
}
