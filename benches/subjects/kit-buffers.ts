/** This package with a VFS written in JavaScript, over the ways there are to hand it the buffer of a call. */
import { DatabaseSync } from 'sqlite-vfs-kit';
import type { Chunks } from '../buffers/chunks.js';
import { loadKit, ownPage, registerWith } from '../buffers/imports.js';
import { lambda } from '../buffers/lambda.js';
import { lookAlike } from '../buffers/look-alike.js';
import { ours } from '../buffers/ours.js';
import { proxy } from '../buffers/proxy.js';
import type { Strategy } from '../buffers/strategy.js';
import { subarray } from '../buffers/subarray.js';
import { likeNode, type NodeDatabase } from './node-api.js';
import type { Kind, SqlSubject } from './sql.js';

export interface BufferSubject extends SqlSubject {
  readonly how: Readonly<Record<Kind | 'buffer', string>>;
  /** The part of a million pages that it is measured with. */
  readonly share: number;
  /** A file that is open, and SQLite leaves alone; and a place in linear memory to read it to. */
  openFile(): OpenFile;
}

export interface OpenFile {
  readonly number: number;
  readonly bytes: Chunks;
  readonly page: number;
  close(): void;
}

let subjects: BufferSubject[] | undefined;

export async function kitBuffers(): Promise<readonly BufferSubject[]> {
  await loadKit();
  if (!subjects) {
    const page = ownPage();
    subjects = [proxy, lookAlike, lambda, subarray, ours].map((strategy) =>
      subject(strategy as Strategy<unknown>, page),
    );
  }
  return subjects;
}

function subject(strategy: Strategy<unknown>, page: number): BufferSubject {
  const path = 'benchmark.db';
  const vfs = registerWith(`buffers: ${strategy.name}`, strategy);
  const open = () => new DatabaseSync(path, { vfs: vfs.name });
  return {
    name: strategy.name,
    how: { ...likeNode.how, buffer: strategy.how },
    share: strategy.share,
    open: () => likeNode.adapt(open() as unknown as NodeDatabase, () => vfs.delete(path)),
    openFile() {
      const database = open();
      const bytes = vfs.files.get(path) as Chunks;
      return {
        number: vfs.last,
        bytes,
        page,
        close() {
          database.close();
          vfs.delete(path);
        },
      };
    },
  };
}
