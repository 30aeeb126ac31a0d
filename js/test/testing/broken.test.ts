/** Each case can fail: VFSes with one fault each, and the cases that find it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, VFS, VFSError, WalIndex } from '../../src/index.js';
import { type ConformanceCase, conformance } from '../../src/testing.js';
import { MapFile, type MapNode, MapVFS, mapSubject } from './map-vfs.js';

beforeAll(() => init());

type FileClass = typeof MapFile;
type VFSClass = new (nodes?: Map<string, MapNode>) => MapVFS;

/** A MapVFS with other files. */
function withFiles(File: FileClass, options = {}): VFSClass {
  return class extends MapVFS {
    constructor(nodes?: Map<string, MapNode>) {
      super(nodes, options);
    }
    override file(...args: [MapNode, string | null, number]) {
      return new File(this, ...args);
    }
  };
}

interface Broken {
  readonly vfs: VFSClass;
  /** The cases that find it: these and no others. */
  readonly found?: readonly string[];
  /** Where nearly everything does: these are among them. */
  readonly among?: readonly string[];
}

const url = (path: string) => decodeURIComponent(new URL(path, 'file:///').pathname);

const broken: Record<string, Broken> = {
  'truncating leaves old bytes': {
    vfs: withFiles(
      class extends MapFile {
        override truncate(size: number) {
          this.node.size = size;
        }
      },
    ),
    found: [
      'write/at-random',
      'truncate/leaves-no-old-bytes',
      'truncate/around-512',
      'truncate/around-4096',
      'truncate/around-65536',
      'truncate/then-goes-on',
      'large/truncates',
    ],
  },
  'truncating to a larger size does nothing': {
    vfs: withFiles(
      class extends MapFile {
        override truncate(size: number) {
          if (size < this.node.size) super.truncate(size);
        }
      },
    ),
    found: [
      'write/at-random',
      'truncate/longer',
      'truncate/leaves-no-old-bytes',
      'truncate/around-512',
      'truncate/around-4096',
      'truncate/around-65536',
      'large/truncates',
    ],
  },
  'truncating does nothing': {
    vfs: withFiles(
      class extends MapFile {
        override truncate() {}
      },
    ),
    among: [
      'truncate/shorter',
      'truncate/longer',
      'open/twice-is-one-file',
      'sync/full',
      'persistence/of-changes',
    ],
  },
  'opening makes a file without CREATE': {
    vfs: class extends MapVFS {
      override open(path: string | null, flags: number, details: never) {
        return super.open(path, flags | VFS.SQLITE_OPEN_CREATE, details);
      }
    },
    found: [
      'open/missing-is-refused',
      'open/missing-is-refused-to-readers',
      'open/goes-on-after-a-refusal',
      'delete/at-leisure',
      'delete/durably',
    ],
  },
  'a refused open leaves a file behind': {
    vfs: class extends MapVFS {
      override open(path: string | null, flags: number, details: never) {
        const there = path !== null && this.exists(path);
        const file = super.open(path, flags | VFS.SQLITE_OPEN_CREATE, details);
        if (there || flags & VFS.SQLITE_OPEN_CREATE) return file;
        throw new VFSError('SQLITE_CANTOPEN');
      }
    },
    found: ['open/missing-is-refused', 'open/missing-is-refused-to-readers', 'open/goes-on-after-a-refusal'],
  },
  'a refused open says busy': {
    vfs: class extends MapVFS {
      override open(path: string | null, flags: number, details: never) {
        try {
          return super.open(path, flags, details);
        } catch {
          throw new VFSError('SQLITE_BUSY');
        }
      }
    },
    found: [
      'open/missing-is-refused',
      'open/missing-is-refused-to-readers',
      'open/goes-on-after-a-refusal',
      'open/exclusive-refuses-what-is-there',
    ],
  },
  'opening with CREATE empties the file': {
    vfs: class extends MapVFS {
      override open(path: string | null, flags: number, details: never) {
        const file = super.open(path, flags, details);
        if (flags & VFS.SQLITE_OPEN_CREATE) file.node.truncate(0);
        return file;
      }
    },
    found: [
      'open/keeps-what-is-there',
      'open/as-main-db',
      'open/as-main-journal',
      'open/as-super-journal',
      'open/as-wal',
      'size/around-512',
      'size/around-4096',
      'size/around-65536',
      'persistence/of-changes',
    ],
  },
  'EXCLUSIVE is ignored': {
    vfs: class extends MapVFS {
      override open(path: string | null, flags: number, details: never) {
        return super.open(path, flags & ~VFS.SQLITE_OPEN_EXCLUSIVE, details);
      }
    },
    found: ['open/exclusive-refuses-what-is-there'],
  },
  'each open has a file of its own': {
    vfs: class extends MapVFS {
      override file(node: MapNode, path: string | null, flags: number) {
        const file = super.file(node.copy(), path, flags);
        const close = file.close.bind(file);
        return Object.assign(file, {
          close: () => {
            close();
            if (path !== null && this.exists(path)) this.nodes.set(path, file.node);
          },
        });
      }
    },
    found: [
      'open/twice-is-one-file',
      'lock/exclusive-beside-none',
      'lock/reserved-beside-shared',
      'lock/exclusive-beside-shared',
      'lock/shared-beside-reserved',
      'lock/reserved-beside-reserved',
      'lock/exclusive-beside-reserved',
      'lock/shared-beside-exclusive',
      'lock/a-writer-gets-its-turn',
      'lock/goes-from-shared-to-exclusive',
      'lock/is-lowered-to-shared',
    ],
  },
  'the buffer of a write is kept': {
    vfs: withFiles(
      class extends MapFile {
        override write(buffer: Uint8Array, offset: number) {
          super.write(buffer, offset);
          if (offset % 65536 === 0 && buffer.length === 65536) this.node.blocks.set(offset / 65536, buffer);
        }
      },
    ),
    found: [
      'write/around-65536',
      'write/does-not-keep-the-buffer',
      'truncate/around-65536',
      'temporary/grow',
    ],
  },
  'a write takes all of the memory of its buffer': {
    vfs: withFiles(
      class extends MapFile {
        override write(buffer: Uint8Array, offset: number) {
          super.write(new Uint8Array(buffer.buffer), offset);
        }
      },
    ),
    found: ['write/takes-no-more-than-its-buffer'],
  },
  'a write changes its buffer': {
    vfs: withFiles(
      class extends MapFile {
        override write(buffer: Uint8Array, offset: number) {
          super.write(buffer, offset);
          buffer.reverse();
        }
      },
    ),
    among: ['write/at-the-start', 'temporary/grow', 'names/hash'],
  },
  'a read fills all of the memory of its buffer': {
    vfs: withFiles(
      class extends MapFile {
        override read(buffer: Uint8Array, offset: number) {
          return Math.min(buffer.length, super.read(new Uint8Array(buffer.buffer), offset));
        }
      },
    ),
    found: ['read/stays-within-its-buffer'],
  },
  'a read answers the whole count': {
    vfs: withFiles(
      class extends MapFile {
        override read(buffer: Uint8Array, offset: number) {
          super.read(buffer, offset);
          return buffer.length;
        }
      },
    ),
    found: [
      'read/short-at-end',
      'read/nothing-past-end',
      'read/nothing-of-an-empty-file',
      'read/at-random',
      'size/around-512',
      'size/around-4096',
      'size/around-65536',
      'large/around-2-gib',
      'large/around-4-gib',
      'large/truncates',
    ],
  },
  'a read answers one too few at the end': {
    vfs: withFiles(
      class extends MapFile {
        override read(buffer: Uint8Array, offset: number) {
          const count = super.read(buffer, offset);
          return offset + count === this.size() ? Math.max(0, count - 1) : count;
        }
      },
    ),
    among: ['read/whole', 'read/short-at-end', 'names/hash'],
  },
  'holes are not zeros': {
    vfs: withFiles(
      class extends MapFile {
        override write(buffer: Uint8Array, offset: number) {
          const gap = offset - this.size();
          if (gap > 0 && gap < 1e6) super.write(new Uint8Array(gap).fill(1), this.size());
          super.write(buffer, offset);
        }
      },
    ),
    among: ['write/leaves-zeros-before-it', 'truncate/leaves-no-old-bytes', 'delete/leaves-no-old-bytes'],
  },
  'offsets are cut to 32 bits': {
    vfs: withFiles(
      class extends MapFile {
        override read(buffer: Uint8Array, offset: number) {
          return super.read(buffer, offset >>> 0);
        }
        override write(buffer: Uint8Array, offset: number) {
          super.write(buffer, offset >>> 0);
        }
      },
    ),
    found: [
      'read/nothing-past-end',
      'large/around-4-gib',
      'large/offsets-are-not-cut-to-32-bits',
      'large/truncates',
    ],
  },
  'lengths are cut to 31 bits': {
    vfs: withFiles(
      class extends MapFile {
        override truncate(size: number) {
          super.truncate(size & 0x7fffffff);
        }
      },
    ),
    found: ['large/truncates'],
  },
  'the size is one too large': {
    vfs: withFiles(
      class extends MapFile {
        override size() {
          return super.size() + 1;
        }
      },
    ),
    among: ['open/creates', 'size/around-512', 'truncate/shorter'],
  },
  'the size is of whole blocks': {
    vfs: withFiles(
      class extends MapFile {
        override size() {
          return Math.ceil(super.size() / 512) * 512;
        }
      },
    ),
    among: ['size/around-512', 'size/is-not-changed-by-reading', 'truncate/shorter'],
  },
  'a write over a border loses what is behind it': {
    vfs: withFiles(
      class extends MapFile {
        override write(buffer: Uint8Array, offset: number) {
          const room = 65536 - (offset % 65536);
          super.write(buffer.subarray(0, room), offset);
          this.node.size = Math.max(this.node.size, offset + buffer.length);
        }
      },
    ),
    found: [
      'read/at-random',
      'write/around-65536',
      'write/a-mebibyte-at-once',
      'write/at-random',
      'truncate/around-65536',
      'truncate/then-goes-on',
      'large/around-2-gib',
      'large/around-4-gib',
      'persistence/bytes',
    ],
  },
  'a write at the end of a sector is lost': {
    vfs: withFiles(
      class extends MapFile {
        override write(buffer: Uint8Array, offset: number) {
          super.write(buffer, offset);
          if ((offset + buffer.length) % 512 === 1)
            this.node.write(new Uint8Array(1), offset + buffer.length - 1);
        }
      },
    ),
    found: [
      'write/byte-by-byte',
      'write/around-512',
      'write/around-4096',
      'write/around-65536',
      'write/does-not-keep-the-buffer',
      'truncate/around-512',
      'truncate/around-4096',
      'truncate/around-65536',
    ],
  },
  'deleting does nothing': {
    vfs: class extends MapVFS {
      override delete() {}
    },
    among: [
      'delete/at-leisure',
      'delete/durably',
      'delete/on-close',
      'delete/leaves-no-old-bytes',
      'persistence/of-deletions',
    ],
  },
  'deleting what is not there fails': {
    vfs: class extends MapVFS {
      override delete(path: string) {
        if (!this.exists(path)) throw new VFSError('SQLITE_IOERR_DELETE');
        super.delete(path);
      }
    },
    found: ['delete/what-is-not-there'],
  },
  'deleting takes the journal along': {
    vfs: class extends MapVFS {
      override delete(path: string) {
        super.delete(path);
        super.delete(`${path}-journal`);
      }
    },
    found: ['delete/nothing-else'],
  },
  'a file to be deleted on close stays': {
    vfs: class extends MapVFS {
      override open(path: string | null, flags: number, details: never) {
        return super.open(path, flags & ~VFS.SQLITE_OPEN_DELETEONCLOSE, details);
      }
    },
    found: ['delete/on-close'],
  },
  'temporary files are one': {
    vfs: class extends MapVFS {
      node: MapNode | undefined;
      override open(path: string | null, flags: number, details: never) {
        if (path !== null) return super.open(path, flags, details);
        this.node ??= super.open(null, flags, details).node;
        return this.file(this.node, null, flags);
      }
    },
    found: ['temporary/are-files-of-their-own', 'temporary/are-gone-when-closed'],
  },
  'there are no temporary files': {
    vfs: class extends MapVFS {
      override open(path: string | null, flags: number, details: never) {
        if (path === null) throw new VFSError('SQLITE_CANTOPEN');
        return super.open(path, flags, details);
      }
    },
    found: [
      'temporary/temp-db',
      'temporary/transient-db',
      'temporary/temp-journal',
      'temporary/subjournal',
      'temporary/are-files-of-their-own',
      'temporary/are-gone-when-closed',
      'temporary/grow',
    ],
  },
  'names are taken for URLs': {
    vfs: class extends MapVFS {
      override open(path: string | null, flags: number, details: never) {
        return super.open(path === null ? null : url(path), flags, details);
      }
      override delete(path: string) {
        super.delete(url(path));
      }
      override exists(path: string) {
        return super.exists(url(path));
      }
    },
    found: [
      'names/hash',
      'names/question-mark',
      'names/percent',
      'names/url',
      'names/similar-are-different',
      'persistence/of-names',
    ],
  },
  'names are cut to 64': {
    vfs: class extends MapVFS {
      override open(path: string | null, flags: number, details: never) {
        return super.open(path?.slice(0, 64) ?? null, flags, details);
      }
      override delete(path: string) {
        super.delete(path.slice(0, 64));
      }
      override exists(path: string) {
        return super.exists(path.slice(0, 64));
      }
    },
    found: ['names/longest-ascii', 'names/longest-of-two-bytes', 'names/longest-of-four-bytes'],
  },
  'full names grow': {
    vfs: class extends MapVFS {
      override fullPathname = (name: string) => `/${name}`;
    } as VFSClass,
    found: ['names/full-stay-full'],
  },
  'exists answers a number': {
    vfs: class extends MapVFS {
      override exists(path: string) {
        return Number(super.exists(path)) as unknown as boolean;
      }
    },
    among: ['open/creates', 'delete/at-leisure'],
  },
  'a promise is answered without a word': {
    vfs: withFiles(
      class extends MapFile {
        override sync() {
          return Promise.resolve() as unknown as undefined;
        }
      },
    ),
    among: ['sync/normal', 'answers/at-once'],
  },
  'a second writer is let in': {
    vfs: withFiles(
      class extends MapFile {
        override lock(level: number) {
          if (level !== VFS.SQLITE_LOCK_RESERVED) return super.lock(level);
          this.level = level;
        }
      },
    ),
    found: ['lock/reserved-beside-shared', 'lock/shared-beside-reserved', 'lock/reserved-beside-reserved'],
  },
  'readers are let in beside a writer': {
    vfs: withFiles(
      class extends MapFile {
        override lock(level: number) {
          if (level === VFS.SQLITE_LOCK_SHARED && this.level === 0) {
            this.node.readers++;
            this.level = level;
          } else super.lock(level);
        }
      },
    ),
    found: [
      'lock/shared-beside-exclusive',
      'lock/a-writer-gets-its-turn',
      'lock/goes-from-shared-to-exclusive',
    ],
  },
  'a lock that stands in the way is no SQLITE_BUSY': {
    vfs: withFiles(
      class extends MapFile {
        override lock(level: number) {
          try {
            super.lock(level);
          } catch {
            throw new Error('no');
          }
        }
      },
    ),
    found: [
      'lock/exclusive-beside-shared',
      'lock/reserved-beside-reserved',
      'lock/exclusive-beside-reserved',
      'lock/shared-beside-exclusive',
      'lock/a-writer-gets-its-turn',
      'lock/goes-from-shared-to-exclusive',
      'lock/is-lowered-to-shared',
    ],
  },
  'closing keeps the lock': {
    vfs: withFiles(
      class extends MapFile {
        override close() {}
      },
    ),
    found: ['delete/on-close', 'lock/is-given-back-by-close'],
  },
  'nobody ever has RESERVED': {
    vfs: withFiles(
      class extends MapFile {
        override hasReservedLock() {
          return false;
        }
      },
    ),
    found: [
      'lock/exclusive-beside-none',
      'lock/reserved-beside-shared',
      'lock/exclusive-beside-shared',
      'lock/shared-beside-reserved',
      'lock/reserved-beside-reserved',
      'lock/exclusive-beside-reserved',
      'lock/shared-beside-exclusive',
      'lock/is-of-one-file',
    ],
  },
  'unlocking to SHARED gives up all': {
    vfs: withFiles(
      class extends MapFile {
        override unlock() {
          super.unlock(VFS.SQLITE_LOCK_NONE);
        }
      },
    ),
    found: ['lock/is-lowered-to-shared'],
  },
  'a batch that is rolled back stays': {
    vfs: withFiles(
      class extends MapFile {
        override fileControl(op: number) {
          return op === VFS.SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE || super.fileControl(op);
        }
      },
      { batchAtomic: true },
    ),
    found: ['batch/rollback', 'batch/one-after-another'],
  },
  'batches are promised and not there': {
    vfs: withFiles(
      class extends MapFile {
        override fileControl() {
          return false;
        }
      },
      { batchAtomic: true },
    ),
    found: ['batch/commit', 'batch/rollback', 'batch/one-after-another'],
  },
  'the sector size is none': {
    vfs: withFiles(
      class extends MapFile {
        override sectorSize() {
          return 1000;
        }
      },
    ),
    found: ['device/sector-size'],
  },
  'a file locks itself by half': {
    vfs: withFiles(
      class extends MapFile {
        override unlock = undefined as never;
      } as FileClass,
    ),
    among: ['device/locks-itself-wholly-or-not'],
  },
};

/** Those that only SQLite finds, and some of the cases by which it does. */
const brokenForSQLite: Record<string, Broken> = {
  'a second writer is let in': {
    vfs: (broken['a second writer is let in'] as Broken).vfs,
    found: [
      'connections/second-writer-is-busy-in-delete',
      'connections/second-writer-is-busy-in-truncate',
      'connections/second-writer-is-busy-in-persist',
      'connections/second-writer-is-busy-in-memory',
      'connections/two-readers-that-want-to-write-in-delete',
      'connections/two-readers-that-want-to-write-in-truncate',
      'connections/two-readers-that-want-to-write-in-persist',
      'connections/two-readers-that-want-to-write-in-memory',
    ],
  },
  'readers are let in beside a writer': {
    vfs: (broken['readers are let in beside a writer'] as Broken).vfs,
    found: [
      'connections/commit-waits-for-readers',
      'connections/exclusive-shuts-readers-out',
      'connections/exclusive-locking-mode',
    ],
  },
  'names are taken for URLs': {
    vfs: (broken['names are taken for URLs'] as Broken).vfs,
    found: ['sql-names/hash', 'sql-names/question-mark', 'sql-names/percent', 'sql-names/url'],
  },
  'deleting does nothing': {
    vfs: (broken['deleting does nothing'] as Broken).vfs,
    among: ['sql-open/keeps-what-is-committed', 'journal/delete-full'],
  },
  'there are no temporary files': {
    vfs: (broken['there are no temporary files'] as Broken).vfs,
    found: ['sql-temporary/sorts', 'sql-temporary/index', 'sql-temporary/tables'],
  },
  'a batch that is rolled back stays': {
    vfs: (broken['a batch that is rolled back stays'] as Broken).vfs,
    found: ['sql-batch/fails-as-a-whole'],
  },
  'the WAL index has no locks': {
    vfs: withFiles(
      class extends MapFile {
        constructor(...args: ConstructorParameters<typeof MapFile>) {
          super(...args);
          if (this.walIndex) Object.assign(this.walIndex, { lock() {} });
        }
      },
    ),
    found: [
      'connections/second-writer-is-busy-in-wal',
      'connections/two-readers-that-want-to-write-in-wal',
      'wal/checkpoint-beside-a-reader',
    ],
  },
  'each connection has a WAL index of its own': {
    vfs: withFiles(
      class extends MapFile {
        constructor(...args: ConstructorParameters<typeof MapFile>) {
          super(...args);
          if (this.walIndex) Object.assign(this, { walIndex: new WalIndex(`alone ${++indexes}`) });
        }
      },
    ),
    found: [
      'connections/second-writer-is-busy-in-wal',
      'connections/interleaved-in-wal',
      'connections/two-readers-that-want-to-write-in-wal',
      'wal/takes-effect',
      'wal/readers-keep-their-snapshot',
      'wal/what-is-not-committed-is-not-seen',
      'wal/old-snapshots-are-not-written',
      'wal/many-readers',
      'wal/checkpoint-beside-a-reader',
      'wal/readers-that-only-read',
    ],
  },
  'a journal that is there is not found': {
    vfs: class extends MapVFS {
      override exists(path: string) {
        return !path.endsWith('-journal') && super.exists(path);
      }
    },
    among: [
      'transaction/is-undone-after-a-reload',
      'crash/kept-in-delete',
      'crash/kept-in-persist',
      'crash/attached',
    ],
  },
  'writes to the journal are lost': {
    vfs: withFiles(
      class extends MapFile {
        override write(buffer: Uint8Array, offset: number) {
          if (this.flags & VFS.SQLITE_OPEN_MAIN_JOURNAL && offset > 10_000) return;
          super.write(buffer, offset);
        }
      },
    ),
    among: ['journal/delete-full', 'transaction/is-undone-after-a-reload'],
  },
};

let indexes = 0;

async function failuresOf(name: string, Broken: VFSClass, only: (one: ConformanceCase) => boolean) {
  const report = await conformance(
    mapSubject(name, (nodes) => new Broken(nodes)),
    { only },
  );
  return report.outcomes.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);
}

function compare(failed: string[], { found, among = [] }: Broken): void {
  if (found) expect(failed).toEqual(found);
  expect(failed).toEqual(expect.arrayContaining([...among]));
}

describe('cases that call the VFS find that', () => {
  test.each(Object.entries(broken))('%s', async (name, one) => {
    compare(await failuresOf(name, one.vfs, ({ layer }) => layer === 'file'), one);
  });
});

describe('cases that go through SQLite find that', () => {
  test.each(Object.entries(brokenForSQLite))('%s', async (name, one) => {
    // Groups that have nothing to say of it are left out, since they take their time.
    const groups = new Set([...(one.found ?? []), ...(one.among ?? [])].map((name) => name.split('/')[0]));
    compare(await failuresOf(name, one.vfs, ({ layer, group }) => layer === 'sql' && groups.has(group)), one);
  });
});
