// A program written for Node: it knows of no other SQLite.
import { constants, DatabaseSync, StatementSync } from 'node:sqlite';

const print = (...values) => console.log(values.map((value) => JSON.stringify(value, plain)).join(' '));
const plain = (_, value) => {
  if (typeof value === 'bigint') return `${value}n`;
  return value instanceof Uint8Array ? [...value] : value;
};

const failure = (body) => {
  try {
    return body();
  } catch ({ name, code, message, errcode, errstr }) {
    return { name, code, message, errcode, errstr };
  }
};

const db = new DatabaseSync(':memory:');
db.exec(`
  CREATE TABLE composer (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE song (
    title TEXT, year INTEGER, length REAL, score BLOB, composer INTEGER NOT NULL REFERENCES composer
  );
`);

const composer = db.prepare('INSERT INTO composer (name) VALUES (?) RETURNING id, name');
const satie = composer.get('Satie');
print(satie, composer.all('Debussy'));

const song = db.prepare('INSERT INTO song VALUES (:title, $year, @length, ?, :composer)');
db.exec('BEGIN');
print(
  song.run(
    { title: 'Gymnopédie No. 1', year: 1888, length: 3.25, composer: satie.id },
    new Uint8Array([1, 2]),
  ),
);
print(song.run({ title: '🎹 Clair de lune', $year: 1905n, length: null, composer: 2 }, new Uint8Array()));
print(db.isTransaction);
db.exec('COMMIT');

print(failure(() => composer.run('Satie')));
print(failure(() => song.run({ title: 'Nobody', composer: 3 })));
print(failure(() => db.prepare('SELECT FROM song')));
print(failure(() => db.prepare('SELECT :a').get({ b: 1 })));
print(failure(() => new StatementSync()));

const all = db.prepare(
  'SELECT title, year, length, score, name FROM song JOIN composer ON composer.id = composer',
);
print(all.all());
print(all.columns());
all.setReturnArrays(true);
all.setReadBigInts(true);
for (const row of all.iterate()) print(row);

const copy = new DatabaseSync(':memory:');
copy.deserialize(db.serialize());
print(copy.prepare('SELECT count(*) AS songs FROM song').get(), copy.location());

print(constants.SQLITE_DENY, Object.keys(constants).length);
all.close();
db.close();
print(
  failure(() => all.all()),
  failure(() => db.close()),
);
console.log('end');
