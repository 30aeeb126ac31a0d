import { describe, expect, test } from 'vitest';
import { DatabaseSync } from './subject.js';

// Virtual tables keep statements of their own on the connection, which are theirs to finalise.
const kinds = [
  {
    kind: 'fts5(a)',
    insert: "insert into v values('hello world')",
    find: "select a from v where v match 'hello'",
  },
  {
    kind: 'rtree(i, x0, x1)',
    insert: 'insert into v values(1, 2, 3)',
    find: 'select i from v where x0 < 2.5',
  },
  {
    kind: 'geopoly(a)',
    insert: "insert into v(_shape) values('[[0,0],[1,0],[0,1],[0,0]]')",
    find: "select rowid from v where geopoly_within(_shape, '[[-1,-1],[2,-1],[2,2],[-1,2],[-1,-1]]')",
  },
];

describe.each(kinds)('a database with a table that uses $kind', ({ kind, insert, find }) => {
  const open = () => {
    const db = new DatabaseSync(':memory:');
    db.exec(`create virtual table v using ${kind}`);
    return db;
  };

  test('is closed as it is made', () => {
    open().close();
  });

  test('is closed after use, with statements in every state', () => {
    for (let round = 0; round < 5; round++) {
      const db = open();
      db.exec(insert);
      const statement = db.prepare(find);
      expect(statement.all().length).toBe(1);
      db.prepare(insert);
      db.prepare(find).iterate().next();
      db.close();
      expect(() => statement.all()).toThrowError('statement has been finalized');
    }
    // What a double free would have left behind shows in what comes after.
    const db = open();
    db.exec(insert);
    expect(db.prepare(find).all().length).toBe(1);
  });

  test('goes on when another database of the connection is replaced', () => {
    const source = new DatabaseSync(':memory:');
    source.exec('create table q(z)');
    const db = open();
    db.exec("attach ':memory:' as aux");
    db.exec(insert);
    db.deserialize(source.serialize(), { dbName: 'aux' });
    db.exec(insert.replace('values(1,', 'values(2,'));
    expect(db.prepare(find).all().length).toBe(2);
    expect(db.prepare('select count(*) n from aux.q').get()).toEqual({ n: 0 });
    db.close();
  });
});
