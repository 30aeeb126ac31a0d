// The strategies: each reads and writes what it is told to, so that they differ in nothing but how fast they do.

import { beforeAll, describe, expect, test } from 'vitest';
import { type BufferSubject, kitBuffers } from '../subjects/kit-buffers.js';
import { CHUNK } from './chunks.js';
import { calls, linearMemory, ownPage } from './imports.js';

let subjects: readonly BufferSubject[];

beforeAll(async () => {
  subjects = await kitBuffers();
});

describe.each(['Proxy', 'class', 'lambda', 'subarray', 'view (ours)'])('%s', (name) => {
  const subject = () => subjects.find((subject) => subject.name === name) as BufferSubject;

  test('reads and writes over the end of a chunk, and after memory has grown', () => {
    const { number, bytes, page, close } = subject().openFile();
    const place = () => linearMemory().subarray(page, page + 4096);
    for (const offset of [0, CHUNK - 1000, 3 * CHUNK]) {
      ownPage();
      place().set(Array.from({ length: 4096 }, (_, i) => (i * 7 + offset) % 251));
      const written = place().slice();
      expect(calls.write(number, page, 4096, offset)).toBe(0);
      place().fill(0);
      expect(calls.read(number, page, 4096, offset)).toBe(4096);
      expect(place()).toEqual(written);
    }
    expect(bytes.size).toBe(3 * CHUNK + 4096);
    // What was never written is zero.
    expect(calls.read(number, page, 4096, 2 * CHUNK)).toBe(4096);
    expect(place()).toEqual(new Uint8Array(4096));
    close();
  });

  test('reads as far as the file goes', () => {
    const { number, page, close } = subject().openFile();
    expect(calls.read(number, page, 4096, 0)).toBe(0);
    calls.write(number, page, 512, 0);
    expect(calls.read(number, page, 4096, 0)).toBe(512);
    expect(calls.read(number, page, 4096, 512)).toBe(0);
    close();
  });

  test('answers a failure with a negative number', () => {
    const { number, bytes, page, close } = subject().openFile();
    calls.write(number, page, 4096, 0);
    Object.assign(bytes, {
      at() {
        throw new Error('no such chunk');
      },
    });
    expect(calls.read(number, page, 4096, 0)).toBeLessThan(0);
    expect(calls.write(number, page, 4096, 0)).toBeLessThan(0);
    close();
  });

  test('serves SQLite, through files that grow and shrink', () => {
    const database = subject().open();
    database.exec('CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)');
    for (let i = 0; i < 50; i++) database.exec('INSERT INTO t (b) VALUES (randomblob(5000))');
    database.exec('DELETE FROM t WHERE a > 10; VACUUM');
    expect(database.arrays('SELECT count(*), total(length(b)) FROM t')).toEqual([[10, 50_000]]);
    expect(database.arrays('PRAGMA integrity_check')).toEqual([['ok']]);
    database.close();
  });
});
