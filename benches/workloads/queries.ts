/**
 * What an app for keeping track of issues asks of its database in a long day: 250,000 statements with bindings, each prepared
 * once. About eight of ten read: by key, lists of a screen with their joins and counts, searches. The others write, most of
 * them in transactions of 2 to 200 statements. Like people, it mostly looks at what is new.
 */
import type { AwaitedDatabase, AwaitedStatement, AwaitedSubject, Value } from '../subjects/sql.js';
import { type Case, scaled } from '../suite.js';
import { Checksum, digestOf, sumOf } from './checksum.js';
import { Random } from './random.js';

const count = 250_000;

const schema = `
  CREATE TABLE user (id INTEGER PRIMARY KEY, handle TEXT NOT NULL UNIQUE, name TEXT, seen INTEGER);
  CREATE TABLE issue (id INTEGER PRIMARY KEY, project INTEGER NOT NULL, author INTEGER NOT NULL, state TEXT NOT NULL,
    title TEXT NOT NULL, body TEXT, priority REAL, updated INTEGER NOT NULL);
  CREATE INDEX issue_by_project ON issue (project, updated);
  CREATE INDEX issue_by_state ON issue (project, state);
  CREATE INDEX issue_by_author ON issue (author);
  CREATE TABLE comment (id INTEGER PRIMARY KEY, issue INTEGER NOT NULL, author INTEGER NOT NULL, body TEXT NOT NULL,
    picture BLOB, created INTEGER NOT NULL);
  CREATE INDEX comment_by_issue ON comment (issue, created);
  CREATE TABLE tag (issue INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (issue, name)) WITHOUT ROWID;
  CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT);
`;

const digests = [
  digestOf('user', ['handle', 'name', 'seen']),
  digestOf('issue', ['project', 'state', 'title', 'body', 'priority', 'updated']),
  digestOf('comment', ['issue', 'author', 'body', 'picture', 'created']),
  digestOf('tag', ['issue', 'name']),
  digestOf('setting', ['key', 'value']),
];

/** How many there are at the start. */
const start = { users: 500, issues: 12_000, comments: 36_000 };
const projects = 40;

const inserts = {
  user: 'INSERT INTO user VALUES (?, ?, ?, ?)',
  issue: 'INSERT INTO issue VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  comment: 'INSERT INTO comment VALUES (?, ?, ?, ?, ?, ?)',
  tag: 'INSERT OR IGNORE INTO tag VALUES (?, ?)',
};

/** How a statement is used: for what it does, for its first row, or for all its rows. */
type Use = 'run' | 'get' | 'all';

const statements = {
  issue: ['get', 'SELECT * FROM issue WHERE id = ?'],
  user: ['get', 'SELECT id, handle, name, seen FROM user WHERE id = ?'],
  userByHandle: ['get', 'SELECT id, name, seen FROM user WHERE handle = ?'],
  openIssues: ['get', "SELECT count(*) AS open FROM issue WHERE project = ? AND state = 'open'"],
  setting: ['get', 'SELECT value FROM setting WHERE key = ?'],
  comments: [
    'all',
    `SELECT c.id, u.handle, u.name, c.body, c.picture, c.created FROM comment c JOIN user u ON u.id = c.author
      WHERE c.issue = ? ORDER BY c.created LIMIT 30`,
  ],
  tags: ['all', 'SELECT name FROM tag WHERE issue = ?'],
  recent: [
    'all',
    `SELECT i.id, i.title, i.state, i.priority, i.updated, u.handle,
        (SELECT count(*) FROM comment c WHERE c.issue = i.id) AS comments
      FROM issue i JOIN user u ON u.id = i.author WHERE i.project = ? ORDER BY i.updated DESC LIMIT ?`,
  ],
  search: [
    'all',
    'SELECT id, title, state FROM issue WHERE project = ? AND title LIKE ? ORDER BY updated DESC LIMIT 20',
  ],
  board: [
    'all',
    'SELECT state, count(*) AS n, max(updated) AS latest FROM issue WHERE project = ? GROUP BY state',
  ],
  range: ['all', 'SELECT id, title, state, updated FROM issue WHERE id BETWEEN ? AND ?'],
  ofAuthor: ['all', 'SELECT id, title, state FROM issue WHERE author = ? ORDER BY id DESC LIMIT 20'],
  addIssue: ['run', inserts.issue],
  addComment: ['run', inserts.comment],
  addTag: ['run', inserts.tag],
  setState: ['run', 'UPDATE issue SET state = ?, priority = ?, updated = ? WHERE id = ?'],
  setBody: ['run', 'UPDATE issue SET body = ?, updated = ? WHERE id = ?'],
  touch: ['run', 'UPDATE issue SET updated = ? WHERE id = ?'],
  seen: ['run', 'UPDATE user SET seen = ? WHERE id = ?'],
  set: ['run', 'INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value'],
  removeTag: ['run', 'DELETE FROM tag WHERE issue = ? AND name = ?'],
  removeComment: ['run', 'DELETE FROM comment WHERE id = ?'],
} as const satisfies Record<string, readonly [Use, string]>;

type Name = keyof typeof statements;

/** A statement with its bindings; or one without, that bounds a transaction. */
type Query = { name: Name; values: Value[] } | 'BEGIN' | 'COMMIT';

const names = ['bug', 'docs', 'easy', 'feature', 'help wanted', 'later', 'performance', 'question', 'urgent'];
const states = ['open', 'open', 'open', 'waiting', 'closed'];
const keys = ['theme', 'sort', 'page size', 'last project', 'draft', 'filter', 'language', 'width'];

/** The app: it knows what there is, does what its users do, and notes what it asks of the database. */
class App {
  readonly queries: Query[] = [];
  bindings = 0;
  reads = 0;
  readonly #random: Random;
  readonly #users: number;
  #issues = 0;
  #comments = 0;
  #now = 1_700_000_000;

  constructor(random: Random, users: number) {
    this.#random = random;
    this.#users = users;
  }

  // --- What is in the database ---

  user(id: number): Value[] {
    return [id, `user${id * 7919}`, this.#random.words(2), this.#now];
  }

  newIssue(): Value[] {
    const random = this.#random;
    return [
      ++this.#issues,
      this.#project(),
      this.#person(),
      random.pick(states),
      random.words(random.integer(3, 10)),
      random.words(random.integer(20, 160)),
      random.next() * 10,
      this.#tick(),
    ];
  }

  newComment(issue: number): Value[] {
    const random = this.#random;
    const picture = random.chance(0.05) ? random.bytes(random.integer(200, 900)) : null;
    const body = random.words(random.integer(5, 60));
    return [++this.#comments, issue, this.#person(), body, picture, this.#tick()];
  }

  /** One that people look at: rather a new one. */
  issue(): number {
    return this.#issues - Math.floor(this.#issues * this.#random.next() ** 3);
  }

  // --- What its users do ---

  readonly #actions: readonly (readonly [weight: number, act: () => void])[] = [
    [30, () => this.#open(this.issue())],
    [22, () => this.#list()],
    [6, () => this.#browse()],
    [6, () => this.#profile()],
    [3, () => this.#ask('search', [this.#project(), `%${this.#random.words(1)}%`])],
    [3, () => this.#ask('board', [this.#project()])],
    [8, () => this.#ask('setting', [this.#random.pick(keys)])],
    [7, () => this.#comment(this.issue())],
    [2, () => this.#create()],
    [1.5, () => this.#triage()],
    [0.2, () => this.#synchronize()],
    [2, () => this.#edit(this.issue())],
    [1, () => this.#ask('removeComment', [this.#random.integer(1, this.#comments)])],
    [2, () => this.#ask('set', [this.#random.pick(keys), this.#random.words(3)])],
  ];

  act(): void {
    this.#random.weighted(this.#actions)();
  }

  #open(issue: number): void {
    this.#ask('issue', [issue]);
    this.#ask('user', [this.#person()]);
    this.#ask('comments', [issue]);
    this.#ask('tags', [issue]);
  }

  #list(): void {
    const project = this.#project();
    this.#ask('openIssues', [project]);
    this.#ask('recent', [project, this.#random.integer(10, 30)]);
    if (this.#random.chance(0.3)) this.#ask('setting', ['sort']);
  }

  #browse(): void {
    const from = this.issue();
    this.#ask('range', [from, from + this.#random.integer(5, 25)]);
  }

  #profile(): void {
    const person = this.#person();
    this.#ask('userByHandle', [`user${person * 7919}`]);
    this.#ask('ofAuthor', [person]);
  }

  #comment(issue: number): void {
    this.#transaction(() => {
      this.#ask('issue', [issue]);
      this.#ask('addComment', this.newComment(issue));
      this.#ask('touch', [this.#now, issue]);
      this.#ask('seen', [this.#now, this.#person()]);
    });
    this.#ask('comments', [issue]);
  }

  #create(): void {
    this.#transaction(() => {
      const values = this.newIssue();
      this.#ask('addIssue', values);
      for (let i = this.#random.integer(0, 4); i > 0; i--) {
        this.#ask('addTag', [this.#issues, this.#random.pick(names)]);
      }
      this.#ask('openIssues', [values[1] as number]);
    });
  }

  /** Goes through some issues, changes their state and tags. */
  #triage(): void {
    this.#transaction(() => {
      for (let i = this.#random.integer(1, 15); i > 0; i--) {
        const issue = this.issue();
        this.#ask('tags', [issue]);
        this.#ask('setState', [this.#random.pick(states), this.#random.next() * 10, this.#tick(), issue]);
        this.#ask(this.#random.chance(0.6) ? 'addTag' : 'removeTag', [issue, this.#random.pick(names)]);
      }
    });
  }

  /** Takes in what other devices have written. */
  #synchronize(): void {
    this.#transaction(() => {
      for (let i = this.#random.integer(10, 100); i > 0; i--) {
        const issue = this.issue();
        this.#ask('addComment', this.newComment(issue));
        this.#ask('touch', [this.#now, issue]);
      }
    });
  }

  /** One statement, and so its own transaction; then the page is drawn anew. */
  #edit(issue: number): void {
    this.#ask('setBody', [this.#random.words(this.#random.integer(20, 160)), this.#tick(), issue]);
    this.#open(issue);
  }

  #transaction(work: () => void): void {
    this.queries.push('BEGIN');
    work();
    this.queries.push('COMMIT');
  }

  #ask(name: Name, values: Value[]): void {
    this.queries.push({ name, values });
    this.bindings++;
    if (statements[name][0] !== 'run') this.reads++;
  }

  #project(): number {
    return 1 + Math.floor(projects * this.#random.next() ** 2);
  }

  #person(): number {
    return 1 + Math.floor(this.#users * this.#random.next() ** 2);
  }

  #tick(): number {
    this.#now += this.#random.integer(1, 90);
    return this.#now;
  }
}

interface Day {
  users: Value[][];
  issues: Value[][];
  comments: Value[][];
  tags: Value[][];
  queries: Query[];
}

/** Made once: subjects share it. */
let made: { scale: number; day: Day } | undefined;

/** What is there in the morning, and what is asked until the evening. */
function dayOf(scale: number): Day {
  if (made?.scale === scale) return made.day;
  const random = new Random(250);
  const users = scaled(start.users, scale);
  const app = new App(random, users);
  const issues = Array.from({ length: scaled(start.issues, scale) }, () => app.newIssue());
  const day: Day = {
    users: Array.from({ length: users }, (_, i) => app.user(i + 1)),
    issues,
    comments: Array.from({ length: scaled(start.comments, scale) }, () => app.newComment(app.issue())),
    tags: issues.flatMap(([id]) => (random.chance(0.6) ? [[id as number, random.pick(names)]] : [])),
    queries: app.queries,
  };
  const wanted = scaled(count, scale);
  while (app.bindings < wanted) app.act();
  made = { scale, day };
  return day;
}

export const queries: Case<AwaitedSubject> = {
  name: 'queries',
  about: 'a day of an app that keeps track of issues: prepared statements that read and write',
  uses: ['get', 'all', 'run'],
  async start(subject, scale) {
    const day = dayOf(scale);
    let database = await subject.open();
    let prepared: Record<Name, AwaitedStatement>;
    // The first run, which is not timed, looks at every row it gets; the others count them.
    let verified: string | undefined;
    return {
      async before() {
        await database.close();
        database = await filled(subject, day);
        prepared = await prepareAll(database);
      },
      async run() {
        if (verified !== undefined) return playBack(day.queries, database, prepared);
        const sum = new Checksum();
        const rows = await playBack(day.queries, database, prepared, (row) => sum.add(row));
        verified = sum.toString();
        return rows;
      },
      async after(rows: number) {
        return `${rows} rows, at first ${verified}, at last ${await sumOf(database, digests)}`;
      },
      end: () => database.close(),
    };
  },
};

async function filled(subject: AwaitedSubject, day: Day): Promise<AwaitedDatabase> {
  const database = await subject.open();
  await database.exec(schema);
  await database.bulk(inserts.user, day.users);
  await database.bulk(inserts.issue, day.issues);
  await database.bulk(inserts.comment, day.comments);
  await database.bulk(inserts.tag, day.tags);
  return database;
}

async function prepareAll(database: AwaitedDatabase): Promise<Record<Name, AwaitedStatement>> {
  const entries = Object.entries(statements).map(
    async ([name, [, sql]]) => [name, await database.prepare(sql)] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as Record<Name, AwaitedStatement>;
}

/** Answers how many rows there were. */
async function playBack(
  queries: readonly Query[],
  database: AwaitedDatabase,
  prepared: Record<Name, AwaitedStatement>,
  look: (row: object) => void = () => {},
): Promise<number> {
  let rows = 0;
  for (const query of queries) {
    if (typeof query === 'string') {
      const done = database.exec(query);
      if (done instanceof Promise) await done;
      continue;
    }
    const { name, values } = query;
    const statement = prepared[name];
    switch (statements[name][0]) {
      case 'run': {
        const done = statement.run(values);
        if (done instanceof Promise) await done;
        break;
      }
      case 'get': {
        const answer = statement.get(values);
        const row = answer instanceof Promise ? await answer : answer;
        if (row === undefined) break;
        rows++;
        look(row);
        break;
      }
      case 'all': {
        const answer = statement.all(values);
        for (const row of answer instanceof Promise ? await answer : answer) {
          rows++;
          look(row);
        }
      }
    }
  }
  return rows;
}
