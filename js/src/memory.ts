/**
 * The only maker of views of linear memory.
 *
 * When a WebAssembly memory grows, its old `ArrayBuffer` is detached and every view of it has length 0. A view that is kept
 * therefore goes stale at any call into wasm. So nobody keeps one: whoever wants bytes asks here, uses them before the next
 * call into wasm, and lets go of them.
 *
 * What is kept here is one view of the whole memory for each element type, derived anew only after growth: asking
 * `memory.buffer` each time would cost a call of a getter on every access.
 */
export class Memory {
  readonly #memory: { readonly buffer: ArrayBufferLike };
  #u8!: Uint8Array<ArrayBuffer>;
  #u32!: Uint32Array;
  #i32!: Int32Array;
  #f64!: Float64Array;
  #i64!: BigInt64Array;
  #derivations = 0;

  /** @param memory A `WebAssembly.Memory`, or what has the buffer of one that is out of reach. */
  constructor(memory: { readonly buffer: ArrayBufferLike }) {
    this.#memory = memory;
    this.#derive();
  }

  #derive(): void {
    const buffer = this.#memory.buffer as ArrayBuffer;
    this.#u8 = new Uint8Array(buffer);
    this.#u32 = new Uint32Array(buffer);
    this.#i32 = new Int32Array(buffer);
    this.#f64 = new Float64Array(buffer);
    this.#i64 = new BigInt64Array(buffer);
    this.#derivations++;
  }

  /** How often the whole-memory views were derived: once, and once more for each growth that was noticed. */
  get derivations(): number {
    return this.#derivations;
  }

  /** All of memory as bytes. Good until the next call into wasm. */
  get u8(): Uint8Array<ArrayBuffer> {
    if (this.#u8.length === 0) this.#derive();
    return this.#u8;
  }

  /** All of memory as unsigned 32-bit words: divide a pointer by 4. */
  get u32(): Uint32Array {
    if (this.#u32.length === 0) this.#derive();
    return this.#u32;
  }

  /** All of memory as signed 32-bit words. */
  get i32(): Int32Array {
    if (this.#i32.length === 0) this.#derive();
    return this.#i32;
  }

  /** All of memory as 64-bit floats: divide a pointer by 8. */
  get f64(): Float64Array {
    if (this.#f64.length === 0) this.#derive();
    return this.#f64;
  }

  /** All of memory as signed 64-bit integers. */
  get i64(): BigInt64Array {
    if (this.#i64.length === 0) this.#derive();
    return this.#i64;
  }

  /** A real `Uint8Array` over `length` bytes of memory. Good until the next call into wasm. */
  view(pointer: number, length: number): Uint8Array<ArrayBuffer> {
    return this.u8.subarray(pointer, pointer + length);
  }

  /** A copy of `length` bytes of memory, which is the caller's own. */
  copy(pointer: number, length: number): Uint8Array<ArrayBuffer> {
    return this.u8.slice(pointer, pointer + length);
  }
}
