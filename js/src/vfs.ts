/** The files of a registered VFS, as bytes. */

import type { Context } from './context.js';
import { DatabaseSync } from './database.js';
import { faultOf, HEADER_SIZE, leaveWalMode, pageSizeOf } from './database-file.js';
import { invalidArgType, sqliteError } from './errors.js';
import { engine } from './init.js';
import { nameArgument } from './options.js';
import { lines, TracedVFS } from './traced-vfs.js';

export type FileInfo = {
  name: string;
  /** In bytes. */
  size: number;
};

const SQLITE_NOTADB = 26;

/** Bytes in each chunk of a stream: a whole chunk of MemoryVFS, and enough that the calls cost nothing. */
const STREAM_CHUNK = 1024 * 1024;

/** A VFS and the files it keeps. */
export class RegisteredVFS extends TracedVFS {
  readonly #context: Context;

  /** @internal */
  constructor(context: Context, name: string) {
    super(context, name);
    this.#context = context;
  }

  /** All files, sorted by name; journals and write-ahead logs among them. */
  list(): FileInfo[] {
    this.ask([], (store) => this.#context.exports.kit_files_list(store));
    return lines(this.#context).map((line) => {
      const space = line.indexOf(' ');
      return { name: line.slice(space + 1), size: Number(line.slice(0, space)) };
    });
  }

  /**
   * A database as the bytes of one file: what its journal or write-ahead log holds is in it, and it opens anywhere. Of a
   * file that is no database, the bytes.
   */
  export(name: string): Uint8Array<ArrayBuffer> {
    const file = nameArgument(name, 'name');
    const bytes = this.#isWhole(file) ? this.#readWhole(file) : this.#serialize(file);
    leaveWalMode(bytes);
    return bytes;
  }

  /**
   * As `export`, in chunks, for files that are too large to be had twice in memory. What comes out is the database's state now:
   * until the stream was read to its end or cancelled, nobody can write it.
   */
  exportStream(name: string): ReadableStream<Uint8Array<ArrayBuffer>> {
    const file = nameArgument(name, 'name');
    if (!this.#isWhole(file)) {
      // The bytes are in more than one file, and SQLite puts them together.
      const whole = this.export(file);
      return chunked((offset) => whole.subarray(offset, offset + STREAM_CHUNK));
    }
    const reader = this.#reader(file);
    const size = this.#size(file);
    return chunked(
      (offset) => {
        const chunk = this.readAt(file, offset, Math.min(STREAM_CHUNK, size - offset));
        if (offset === 0) leaveWalMode(chunk);
        return chunk;
      },
      () => reader?.close(),
    );
  }

  /**
   * Puts a database in, in the place of one that is there already.
   *
   * Refused, with nothing changed: bytes that are no database, and a name that a connection has open.
   */
  import(name: string, bytes: Uint8Array): void {
    const file = nameArgument(name, 'name');
    if (!(bytes instanceof Uint8Array)) throw invalidArgType('The "bytes" argument must be a Uint8Array.');
    const incoming = this.#incoming(file);
    incoming.add(bytes);
    incoming.finish();
  }

  /** As `import`, from a stream. What is replaced stays until the last chunk has come and all is well. */
  async importStream(
    name: string,
    stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<void> {
    const incoming = this.#incoming(nameArgument(name, 'name'));
    try {
      for await (const chunk of chunksOf(stream)) {
        if (!(chunk instanceof Uint8Array)) throw invalidArgType('A chunk of the stream is no Uint8Array.');
        incoming.add(chunk);
      }
      incoming.finish();
    } finally {
      incoming.discard();
    }
  }

  /** Deletes a file, and answers whether there was one. A file that a connection has open stays, with an error. */
  delete(name: string): boolean {
    const file = nameArgument(name, 'name');
    this.ask([file], (store, name) => this.#context.exports.kit_files_delete(store, name as number));
    return this.#context.code === 1;
  }

  /** All of the database is in its main file. */
  #isWhole(file: string): boolean {
    const files = this.list();
    return !['-wal', '-journal'].some((suffix) => files.some((f) => f.name === file + suffix && f.size > 0));
  }

  #size(file: string): number {
    // Of a file that is not there nothing can be read, and the attempt says so.
    return this.list().find(({ name }) => name === file)?.size ?? 0;
  }

  /**
   * Bytes of a file, fewer at its end.
   *
   * @internal
   */
  readAt(file: string, offset: number, length: number): Uint8Array<ArrayBuffer> {
    this.ask([file], (store, name) =>
      this.#context.exports.kit_files_read(store, name as number, offset, length),
    );
    const bytes = this.#context.bytes();
    // What was lent may be large; the answer to another question takes its place.
    if (length > STREAM_CHUNK) this.list();
    return bytes;
  }

  #readWhole(file: string): Uint8Array<ArrayBuffer> {
    const reader = this.#reader(file);
    try {
      return this.readAt(file, 0, this.#size(file));
    } finally {
      reader?.close();
    }
  }

  /**
   * Writes into a file, whatever it is; it is made if there is none.
   *
   * @internal
   */
  writeAt(file: string, bytes: Uint8Array, offset: number): void {
    const write = (store: number, name?: number, data?: number) =>
      this.#context.exports.kit_files_write(store, name as number, data as number, bytes.length, offset);
    this.ask([file], write, bytes);
  }

  #serialize(file: string): Uint8Array<ArrayBuffer> {
    const db = new DatabaseSync(file, { vfs: this.name });
    try {
      return db.serialize();
    } finally {
      db.close();
    }
  }

  /**
   * A connection that keeps others from writing the file as long as it is open; undefined for a file that is no database. If
   * somebody is writing it, that is an error: with their journal in memory, or none, the file is between two states.
   */
  #reader(file: string): DatabaseSync | undefined {
    const size = this.#size(file);
    if (size === 0 || faultOf(this.readAt(file, 0, HEADER_SIZE), size) !== undefined) return undefined;
    const db = new DatabaseSync(file, { vfs: this.name, readOnly: true });
    try {
      // A read transaction: without a log, it keeps writers from the file; with one, checkpoints.
      db.exec('BEGIN; PRAGMA schema_version');
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /**
   * Gives a database the name of another, in the place of that one.
   *
   * @internal
   */
  adopt(from: string, to: string): void {
    this.ask([from, to], (store, from, to) =>
      this.#context.exports.kit_files_rename(store, from as number, to as number),
    );
    // The old file's journal and log would be taken for the new one's.
    for (const suffix of ['-journal', '-wal']) this.delete(to + suffix);
  }

  /** A file on its way in, beside the one it is to replace. */
  #incoming(file: string) {
    const beside = `${file}.incoming-${Math.random().toString(36).slice(2, 8)}`;
    let start: Uint8Array = new Uint8Array();
    let size = 0;
    let pending = true;
    const discard = () => {
      if (pending) this.delete(beside);
      pending = false;
    };
    return {
      add: (bytes: Uint8Array) => {
        try {
          if (start.length < HEADER_SIZE)
            start = concat(start, bytes.subarray(0, HEADER_SIZE - start.length));
          // A stranger's file is refused at once, not after all of it has come.
          if (start.length === HEADER_SIZE) {
            const pageSize = pageSizeOf(start);
            if (typeof pageSize === 'string') refuse(pageSize);
          }
          this.writeAt(beside, bytes, size);
          size += bytes.length;
        } catch (error) {
          discard();
          throw error;
        }
      },
      finish: () => {
        try {
          refuse(faultOf(start, size));
          if (size === 0) this.writeAt(beside, start, 0);
          this.adopt(beside, file);
          pending = false;
        } finally {
          discard();
        }
      },
      discard,
    };
  }
}

function refuse(fault: string | undefined): void {
  if (fault) throw sqliteError(`not a database: ${fault}`, SQLITE_NOTADB, 'file is not a database');
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** A stream of what `read` answers for each offset, until it answers no bytes. */
function chunked(
  read: (offset: number) => Uint8Array<ArrayBuffer>,
  close?: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let offset = 0;
  return new ReadableStream(
    {
      pull(controller) {
        try {
          const chunk = read(offset);
          offset += chunk.length;
          if (chunk.length > 0) return controller.enqueue(chunk);
          controller.close();
          close?.();
        } catch (error) {
          close?.();
          throw error;
        }
      },
      cancel: () => close?.(),
    },
    // One chunk at a time: the point is to have few of them.
    { highWaterMark: 0 },
  );
}

/**
 * The chunks of a stream. Not every browser lets a ReadableStream be iterated.
 *
 * @internal
 */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (!('getReader' in stream)) {
    yield* stream;
    return;
  }
  const reader = stream.getReader();
  let done = false;
  try {
    for (;;) {
      const next = await reader.read();
      done = next.done;
      if (next.done) return;
      yield next.value;
    }
  } finally {
    if (!done) await reader.cancel();
  }
}

/**
 * A registered VFS by name; by default the one that `DatabaseSync` uses. Throws if there is none. One that is written in JavaScript
 * keeps its files to itself: here it has statistics alone.
 */
export function getVFS(name = 'memory'): RegisteredVFS {
  return new RegisteredVFS(engine().main, nameArgument(name, 'name'));
}
