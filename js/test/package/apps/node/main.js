import { DatabaseSync, init } from 'sqlite-vfs-kit';

await init();
const db = new DatabaseSync('songs.db');
db.exec('CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, year INTEGER)');
const insert = db.prepare('INSERT INTO song (title, year) VALUES (?, ?)');
insert.run('Gymnopédie No. 1', 1888);
insert.run('Clair de lune', 1905);
console.log(db.prepare('SELECT title, year FROM song WHERE year < $year').get({ year: 1900 }).title);
console.log(db.store, import.meta.resolve('sqlite-vfs-kit/wasm').endsWith('.wasm'));
