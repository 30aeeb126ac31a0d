// The methods by themselves, over a memory that the test looks into: what no build happens to show.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MapVFS } from '../../examples/map-vfs.js';
import { Adapter } from '../../src/adapters/adapter.js';
import { init, VFS, VFSError } from '../../src/index.js';
import { Memory } from '../../src/memory.js';

const FILE = 64;
const BUFFER = 4096;
const RESULT = 128;
const NAME = 1024;
const SHORT_READ = 522;

let wasm: WebAssembly.Memory;
let memory: Memory;
let vfs: MapVFS;
let adapter: Adapter;

beforeAll(() => init());

beforeEach(() => {
  wasm = new WebAssembly.Memory({ initial: 4 });
  memory = new Memory(wasm);
  vfs = new MapVFS();
  adapter = new Adapter(vfs, 'kit', { memory, malloc: () => BUFFER, free() {} });
  memory.u8.set(new TextEncoder().encode('x.db\0\0'), NAME);
});

const DATABASE = VFS.SQLITE_OPEN_MAIN_DB | VFS.SQLITE_OPEN_READWRITE | VFS.SQLITE_OPEN_CREATE;
const open = (flags = DATABASE) => adapter.open(NAME, FILE, flags, RESULT);

test('what a short read did not bring is zero', () => {
  expect(open()).toBe(0);
  memory.u8.fill(7, BUFFER, BUFFER + 4);
  expect(adapter.write(FILE, BUFFER, 4, 0)).toBe(0);
  memory.u8.fill(0xff, BUFFER, BUFFER + 20);
  expect(adapter.read(FILE, BUFFER, 16, 0)).toBe(SHORT_READ);
  expect([...memory.view(BUFFER, 20)]).toEqual([
    ...Array(4).fill(7),
    ...Array(12).fill(0),
    ...Array(4).fill(0xff),
  ]);
  expect(adapter.read(FILE, BUFFER, 16, 2 ** 40)).toBe(SHORT_READ);
  expect([...memory.view(BUFFER, 16)]).toEqual(Array(16).fill(0));
});

test('a method that makes memory grow, and does not notice that its buffer is gone, is asked once more', () => {
  const seen: number[] = [];
  let shouldGrow = false;
  const growing = (buffer: Uint8Array) => {
    if (shouldGrow) wasm.grow(1);
    shouldGrow = false;
    seen.push(buffer.length);
  };
  const read = (buffer: Uint8Array) => {
    growing(buffer);
    // Into a buffer that is gone this goes nowhere, without a word.
    for (let i = 0; i < 8; i++) buffer[i] = 9;
    return 8;
  };
  let written: unknown;
  const write = (buffer: Uint8Array) => {
    growing(buffer);
    written = Array.from({ length: buffer.length }, (_, i) => buffer[i]);
  };
  vfs.open = () => Object.assign(MapVFS.prototype.open.call(vfs, null, 0), { read, write });
  open(VFS.SQLITE_OPEN_TEMP_DB);
  shouldGrow = true;
  expect(adapter.read(FILE, BUFFER, 8, 0)).toBe(0);
  expect([...memory.view(BUFFER, 8)]).toEqual(Array(8).fill(9));
  shouldGrow = true;
  expect(adapter.write(FILE, BUFFER, 8, 0)).toBe(0);
  expect(written).toEqual(Array(8).fill(9));
  expect(seen).toEqual([0, 8, 0, 8]);
});

test('the flags that were granted', () => {
  open();
  expect(memory.i32[RESULT >>> 2]).toBe(DATABASE);
  open(VFS.SQLITE_OPEN_MAIN_DB | VFS.SQLITE_OPEN_READONLY);
  expect(memory.i32[RESULT >>> 2]).toBe(VFS.SQLITE_OPEN_MAIN_DB | VFS.SQLITE_OPEN_READONLY);
  // Not every caller wants to know.
  expect(adapter.open(NAME, FILE, DATABASE, 0)).toBe(0);
  expect(memory.i32[0]).toBe(0);
});

test('sizes beyond 4 GiB', () => {
  const size = 5 * 2 ** 32 + 6;
  vfs.open = () => Object.assign(MapVFS.prototype.open.call(vfs, null, 0), { size: () => size });
  open();
  expect(adapter.size(FILE, RESULT)).toBe(0);
  expect(memory.i64[RESULT >>> 3]).toBe(BigInt(size));
});

test('numbers of file controls, of either length, in both directions', () => {
  const asked: unknown[] = [];
  let answer: number | boolean = -3;
  const fileControl = (...args: unknown[]) => {
    asked.push(args);
    return answer;
  };
  vfs.open = () => Object.assign(MapVFS.prototype.open.call(vfs, null, 0), { fileControl });
  open();
  const at = RESULT >>> 3;
  memory.i64[at] = -1n;
  expect(adapter.fileControl(FILE, VFS.SQLITE_FCNTL_MMAP_SIZE, RESULT)).toBe(0);
  expect(memory.i64[at]).toBe(-3n);
  memory.i64[at] = 5n * 2n ** 32n + 6n;
  expect(adapter.fileControl(FILE, VFS.SQLITE_FCNTL_SIZE_HINT, RESULT)).toBe(0);
  expect(memory.i64[at], 'nothing goes back').toBe(5n * 2n ** 32n + 6n);
  memory.i32[RESULT >>> 2] = -1;
  answer = 1;
  expect(adapter.fileControl(FILE, VFS.SQLITE_FCNTL_PERSIST_WAL, RESULT)).toBe(0);
  expect(memory.i32[RESULT >>> 2]).toBe(1);
  answer = false;
  expect(adapter.fileControl(FILE, VFS.SQLITE_FCNTL_SYNC, 0)).toBe(12);
  expect(adapter.fileControl(FILE, 4711, RESULT), 'of a meaning that only the code tells').toBe(12);
  expect(asked).toEqual([
    [VFS.SQLITE_FCNTL_MMAP_SIZE, -1],
    [VFS.SQLITE_FCNTL_SIZE_HINT, 5 * 2 ** 32 + 6],
    [VFS.SQLITE_FCNTL_PERSIST_WAL, -1],
    [VFS.SQLITE_FCNTL_SYNC, 0],
  ]);
  expect(adapter.fileControl(FILE, 12, RESULT)).toBe(0);
  expect(new TextDecoder().decode(memory.view(BUFFER, 4))).toBe('kit\0');
});

describe('what SQLite itself never asks', () => {
  test('the words of the last error', () => {
    expect(adapter.lastError(16, BUFFER)).toBe(0);
    vfs.open = () => {
      throw new VFSError('SQLITE_FULL', 'no room at all');
    };
    expect(open()).toBe(13);
    memory.u8.fill(0xff, BUFFER, BUFFER + 32);
    expect(adapter.lastError(8, BUFFER)).toBe(13);
    expect(new TextDecoder().decode(memory.view(BUFFER, 8))).toBe('no room\0');
    expect(memory.u8[BUFFER + 8]).toBe(0xff);
    expect(adapter.lastError(0, 0)).toBe(13);
  });

  test('why no library was loaded', () => {
    adapter.noLibraries(11, BUFFER);
    expect(new TextDecoder().decode(memory.view(BUFFER, 11))).toBe('extensions\0');
  });

  test('to close what is not open, and to use it', () => {
    expect(adapter.close(FILE)).toBe(0);
    expect(adapter.read(FILE, BUFFER, 16, 0)).toBe(21);
    expect(adapter.write(FILE, BUFFER, 16, 0)).toBe(21);
    expect(adapter.sync(FILE, 2)).toBe(21);
    expect([adapter.sectorSize(FILE), adapter.deviceCharacteristics(FILE)]).toEqual([4096, 0]);
  });
});

test('a name that is not UTF-8', () => {
  memory.u8[NAME] = 0xff;
  expect(open()).toBe(14);
  expect(String(adapter.error)).toMatch("the file's name is not UTF-8");
});
