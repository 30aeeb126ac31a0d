import { DatabaseSync, init } from 'sqlite-vfs-kit';

export async function oldest(options) {
  await init(options);
  const db = new DatabaseSync('songs.db');
  db.exec('CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, year INTEGER)');
  const insert = db.prepare('INSERT INTO song (title, year) VALUES (?, ?)');
  insert.run('Gymnopédie No. 1', 1888);
  insert.run('Clair de lune', 1905);
  const { title } = db.prepare('SELECT title FROM song WHERE year < $year').get({ year: 1900 });
  return `${title} (${db.store})`;
}
