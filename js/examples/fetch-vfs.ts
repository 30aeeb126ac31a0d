/** A database on a web server, read in parts: range requests for the pages that queries need. */
import { FacadeFile, FacadeVFS, VFS, VFSError } from 'sqlite-vfs-kit/jspi';

/** Bytes that are asked for at once. */
const BLOCK = 64 * 1024;

/** Blocks that are kept. */
const KEPT = 64;

/**
 * The name of a database is its URL. It may not change on the server while it is open.
 *
 * Servers say how long a file is in several ways, not all of them true: `Content-Length` of an answer that was compressed is the
 * compressed length. Here the end of `Content-Range` counts, and an answer is held to it. A server of another origin has to let
 * scripts see that: `Access-Control-Expose-Headers: Content-Range, Content-Encoding, ETag`.
 */
export class FetchVFS extends FacadeVFS {
  override readonly name: string = 'fetch';
  override readonly async = true;

  override async open(path: string | null, flags: number): Promise<FacadeFile> {
    if (path === null || !(flags & VFS.SQLITE_OPEN_MAIN_DB)) {
      throw new VFSError('SQLITE_CANTOPEN', 'only databases are read from servers');
    }
    return FetchFile.open(path);
  }

  override async delete(path: string): Promise<void> {
    throw new VFSError('SQLITE_READONLY', `${path} is on a server`);
  }

  /** SQLite does not ask: it takes for granted that immutable databases have no journals. */
  override async exists(path: string): Promise<boolean> {
    const { ok, status } = await fetch(path, { method: 'HEAD' });
    if (!ok && status !== 404) throw new Error(`${path}: the server answered ${status}`);
    return ok;
  }
}

/** One answer to a range request. */
interface Part {
  bytes: Uint8Array;
  /** Length of the whole file. */
  size: number;
  /** What the server calls this version of the file. */
  version: string;
}

class FetchFile extends FacadeFile {
  override readonly readOnly = true;
  /** The last blocks, by their number; the one used last comes last. */
  readonly #blocks = new Map<number, Promise<Part>>();

  private constructor(
    readonly url: string,
    readonly length: number,
    readonly version: string,
  ) {
    super();
  }

  static async open(url: string): Promise<FetchFile> {
    const { size, version } = await fetchPart(url, 0, 100);
    return new FetchFile(url, size, version);
  }

  override async read(buffer: Uint8Array, offset: number): Promise<number> {
    const end = Math.min(offset + buffer.length, this.length);
    let at = offset;
    while (at < end) {
      const { bytes } = await this.#block(Math.floor(at / BLOCK));
      const part = bytes.subarray(at % BLOCK, (at % BLOCK) + end - at);
      buffer.set(part, at - offset);
      at += part.length;
    }
    return Math.max(at - offset, 0);
  }

  #block(number: number): Promise<Part> {
    const block = this.#blocks.get(number) ?? this.#fetch(number);
    this.#blocks.delete(number);
    this.#blocks.set(number, block);
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > KEPT) this.#blocks.delete(oldest as number);
    // A failure is not kept: the next read asks again.
    block.catch(() => this.#blocks.delete(number));
    return block;
  }

  async #fetch(number: number): Promise<Part> {
    const start = number * BLOCK;
    const part = await fetchPart(this.url, start, Math.min(start + BLOCK, this.length));
    if (part.size !== this.length || part.version !== this.version) {
      throw new VFSError('SQLITE_IOERR_READ', `${this.url} has changed on the server: open it anew`);
    }
    return part;
  }

  /** SQLite then asks neither for locks nor for journals, and opens a file that was left in WAL mode. */
  override deviceCharacteristics(): number {
    return VFS.SQLITE_IOCAP_IMMUTABLE;
  }

  override async size(): Promise<number> {
    return this.length;
  }

  override async write(): Promise<void> {
    throw new VFSError('SQLITE_READONLY', `${this.url} is on a server`);
  }

  override async truncate(): Promise<void> {
    throw new VFSError('SQLITE_READONLY', `${this.url} is on a server`);
  }

  override async sync(): Promise<void> {}

  override async close(): Promise<void> {
    this.#blocks.clear();
  }
}

/** The bytes from `start` up to `end`, or fewer at the end of the file. */
async function fetchPart(url: string, start: number, end: number): Promise<Part> {
  // No VFSError: it gets the code of the method that it ends, of `open` or of `read`.
  const refuse = (words: string, cause?: unknown): never => {
    throw new Error(`${url}: ${words}`, { cause });
  };
  const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}` } }).catch((cause) =>
    refuse('the server could not be reached', cause),
  );
  if (response.status !== 206) {
    // The rest would be the whole file, which nobody asked for.
    await response.body?.cancel();
    refuse(
      response.status === 200
        ? 'the server does not answer range requests: it sent the whole file'
        : `the server answered ${response.status}`,
    );
  }
  const encoding = response.headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    await response.body?.cancel();
    refuse(`the server compresses (${encoding}), so that parts of its answer are no parts of the file`);
  }
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
  const [, first, last, size] = (
    range ?? refuse('the server does not say which part it sent: Content-Range is missing, or not exposed')
  ).map(Number);
  const bytes = new Uint8Array(
    await response.arrayBuffer().catch((cause) => refuse('the answer was cut off', cause)),
  );
  const expected = Math.min(end, size as number) - start;
  if (first !== start || (last as number) + 1 - start !== expected || bytes.length !== expected) {
    refuse(
      `${expected} bytes from ${start} on were asked for, and the server sent ${bytes.length} from ${first} on`,
    );
  }
  const version = response.headers.get('etag') ?? response.headers.get('last-modified') ?? '';
  return { bytes, size: size as number, version };
}
