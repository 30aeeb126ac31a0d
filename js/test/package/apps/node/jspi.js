import { AsyncDatabase, init, registerVFS, supportsJSPI, VFSError } from 'sqlite-vfs-kit/jspi';

if (supportsJSPI()) {
  await init();
  const files = new Map();
  const file = (bytes) => ({
    async read(buffer, offset) {
      const found = bytes.data.subarray(offset, offset + buffer.length);
      buffer.set(found);
      return found.length;
    },
    async write(buffer, offset) {
      if (offset + buffer.length > bytes.data.length) await this.truncate(offset + buffer.length);
      bytes.data.set(buffer, offset);
    },
    async truncate(size) {
      const data = new Uint8Array(size);
      data.set(bytes.data.subarray(0, size));
      bytes.data = data;
    },
    async sync() {},
    size: async () => bytes.data.length,
    async close() {},
  });
  registerVFS({
    name: 'slow',
    async: true,
    async open(path) {
      if (!files.has(path)) files.set(path, { data: new Uint8Array() });
      return file(files.get(path));
    },
    async delete(path) {
      files.delete(path);
    },
    exists: async (path) => files.has(path),
  });
  const db = new AsyncDatabase('songs.db', { vfs: 'slow' });
  await db.exec("CREATE TABLE song (title TEXT); INSERT INTO song VALUES ('Gymnopédie No. 1')");
  const song = await (await db.prepare('SELECT title FROM song')).get();
  console.log(song.title, db.store, new VFSError('SQLITE_FULL').errcode);
  await db.close();
} else {
  await init().catch((error) => console.log(error.code, error.message));
}
