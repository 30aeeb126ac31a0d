// The built page in real browsers, under its own content security policy.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseSync, getVFS, init } from 'sqlite-vfs-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tables } from '../../js/demo/datasets.js';
import { accessibilityFaults } from './accessibility.js';
import { kinds, start, type TestBrowser } from './browsers.js';
import { Playground } from './playground.js';
import { buildAndServe, type Site } from './site.js';
import { eventually, openPage, type WatchedPage } from './watched-page.js';

let site: Site;
let songs: { path: string; bytes: Uint8Array };

beforeAll(async () => {
  site = await buildAndServe(fileURLToPath(new URL('../vite.config.ts', import.meta.url)));
  await init();
  songs = makeSongs();
});

afterAll(async () => {
  await site.close();
  rmSync(dirname(songs.path), { recursive: true });
});

describe.each(kinds)('$name', (kind) => {
  let running: TestBrowser;
  let watched: WatchedPage;
  let playground: Playground;

  beforeAll(async () => {
    running = await start(kind);
  });

  afterAll(() => running?.close());

  beforeEach(async () => {
    watched = await openPage(running.browser, site.url);
    playground = new Playground(watched.page, running.downloads);
    await playground.ready();
  });

  afterEach(async () => {
    const complaints = await watched.complaints();
    await watched.page.close();
    expect(complaints).toEqual([]);
  });

  test('shows the sample tables with their rows counted', async () => {
    const expected = Object.fromEntries(
      tables.map(({ name, file, rows }) => [name, count(rows(dataFile(file)).length)]),
    );
    expect(await playground.tables()).toEqual(expected);
    expect(await playground.text('#facts')).toMatch(/^SQLite 3\.\d+\.\d+, store: memory$/);
    expect(await playground.text('#file-name')).toMatch(/^sample\.sqlite · [\d.]+ MiB$/);
  });

  test('needs neither isolation nor evaluation of text', async () => {
    expect(await watched.page.evaluate(() => crossOriginIsolated)).toBe(false);
    const refused = await watched.page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.head.append(script);
      return !('ran' in window);
    });
    expect(refused).toBe(true);
    // That violation was asked for; the driver may have seen it as a message of the console too.
    expect((await watched.complaints()).length).toBeGreaterThan(0);
    await watched.page.close();
    watched = await openPage(running.browser, site.url);
  });

  test('runs typed SQL and shows its rows', async () => {
    const status = await playground.type(
      "SELECT NULL AS n, 9007199254740993 AS i, 1.0 AS r, 'é 世' AS t, '' AS e, x'00ff' AS b, 2 AS n",
    );
    expect(status).toMatch(/^1 row · .*ms$/);
    expect(await playground.columns()).toEqual(['n', 'i', 'r', 't', 'e', 'b', 'n']);
    expect(await playground.rows()).toEqual([
      ['NULL', '9007199254740993', '1.0', 'é 世', '', "x'00ff'2 B", '2'],
    ]);
    const looks = await watched.page.$$eval('#result td', (cells) => cells.map(({ className }) => className));
    expect(looks).toEqual(['ordinal', 'null', 'number', 'number', '', '', 'blob', 'number']);
  });

  test('shows what SQL sends back as text, never as markup', async () => {
    await playground.type('SELECT \'<img src=x onerror="document.title = 1">\' AS "<b>bold</b>"');
    expect(await playground.columns()).toEqual(['<b>bold</b>']);
    expect(await playground.rows()).toEqual([['<img src=x onerror="document.title = 1">']]);
  });

  test('runs each of several statements once, and shows the last rows', async () => {
    const status = await playground.type(`
      CREATE TABLE log (what TEXT);
      CREATE TRIGGER logged AFTER INSERT ON log WHEN new.what = 'a' BEGIN
        INSERT INTO log VALUES ('b;'); -- not an end; of anything
        INSERT INTO log VALUES ('c');
      END;
      INSERT INTO log VALUES ('a') RETURNING what;
      SELECT what FROM log; /* nothing ; more */ ;
    `);
    expect(status).toMatch(/^3 rows, 3 rows changed, 4 statements/);
    expect(await playground.rows()).toEqual([['a'], ['b;'], ['c']]);
    expect((await playground.tables()).log).toBe('3');
  });

  test('says where a script stopped and keeps what ran before', async () => {
    const said = await playground.type(
      'CREATE TABLE one (a);\nSELECT nonsense FROM flights;\nDROP TABLE one',
    );
    expect(said).toContain('Statement 2 failed; the one before it ran');
    expect(said).toContain('no such column: nonsense');
    expect(said).toContain('ERR_SQLITE_ERROR · 1: SQL logic error');
    expect((await playground.tables()).one).toBe('0');
    // The next statement takes the message away.
    await playground.type('SELECT 1');
    expect(await playground.text('#problem')).toBe('');
  });

  test('shows a long result in parts', async () => {
    const status = await playground.type('SELECT id FROM flights ORDER BY id');
    expect(status).toMatch(/^20,000 rows/);
    expect(await playground.edges()).toEqual([500, '1', '500']);
    expect(await playground.text('.shown')).toBe('Rows 1 to 500 of 20,000');
    await playground.press('Show more');
    expect(await playground.edges()).toEqual([1000, '1', '1000']);
  });

  test.each(['chosen', 'dropped'])('opens a %s file and saves it again', async (way) => {
    const said =
      way === 'chosen'
        ? await playground.choose(songs.path)
        : await playground.drop('songs.sqlite', songs.bytes);
    expect(said).toBe('songs.sqlite is open');
    expect(await playground.tables()).toEqual({ song: '3' });
    expect(Buffer.from(await playground.save('songs.sqlite')).equals(songs.bytes)).toBe(true);

    await playground.type("INSERT INTO song VALUES (4, 'Unwritten')");
    const titles = readTitles(await playground.save('songs.sqlite'));
    expect(titles).toEqual(['Für Elise', 'Gymnopédie', 'Träumerei', 'Unwritten']);
  });

  test('refuses a file that is no database, and keeps the open one', async () => {
    await playground.choose(songs.path);
    const said = await playground.drop('notes.txt', new TextEncoder().encode('Not a database. '.repeat(100)));
    expect(said).toContain('notes.txt was not opened');
    expect(said).toMatch(/not a database/i);
    expect(await playground.text('#file-name')).toMatch(/^songs\.sqlite/);
    await playground.type('SELECT count(*) FROM song');
    expect(await playground.rows()).toEqual([['3']]);
  });

  test('asks before it closes a file with unsaved changes', async () => {
    const answers = [false, true];
    const questions: string[] = [];
    watched.page.on('dialog', async (dialog) => {
      questions.push(dialog.message());
      await (answers.shift() ? dialog.accept() : dialog.dismiss());
    });
    await playground.choose(songs.path);
    await playground.type('DELETE FROM song');
    await playground.press('Sample data');
    await eventually(
      async () => questions.length,
      (asked) => expect(asked).toBe(1),
    );
    expect(await playground.text('#file-name')).toMatch(/^songs\.sqlite/);
    await playground.click('Sample data');
    expect(await playground.text('#file-name')).toMatch(/^sample\.sqlite/);
    expect(questions).toHaveLength(2);
  });

  test('counts what the store was asked for', async () => {
    const before = await playground.operation('write');
    await playground.type('UPDATE weather SET rain = rain + 1');
    const after = await playground.operation('write');
    expect(after.last).toBeGreaterThan(0);
    expect(after.total).toBe(before.total + after.last);
    expect(after.bytes).toBeGreaterThan(before.bytes);
    expect((await playground.operation('sync')).last).toBeGreaterThan(0);
    await playground.type('SELECT 1');
    expect((await playground.operation('write')).last).toBe(0);
  });

  test('has nothing to hinder a keyboard or a screen reader', async () => {
    const { page } = watched;
    // Only Chromium can be told what its user prefers.
    for (const scheme of kind.name === 'chromium' ? ['light', 'dark'] : [null]) {
      if (scheme) await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      for (const sql of ["SELECT NULL, 1, x'00', 'text'", 'SELECT * FROM flights', 'SELECT 1; nonsense']) {
        await playground.type(sql);
        expect(await accessibilityFaults(page), `${scheme}: ${sql}`).toEqual([]);
      }
    }
  });

  test('fits a narrow screen', async () => {
    await watched.page.setViewport({ width: 360, height: 740 }).catch((error: Error) => {
      // Firefox's long-term release, 140, has the size but no orientation to go with it.
      if (!error.message.includes('setScreenOrientationOverride')) throw error;
    });
    await eventually(
      () => watched.page.evaluate(() => innerWidth),
      (width) => expect(width).toBe(360),
    );
    for (const example of ['Nearest quakes', 'Kinds of value', 'Query plan']) {
      await playground.click(example);
      const [content, screen] = await watched.page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      expect(content, example).toBe(screen);
    }
  });
});

function makeSongs() {
  const db = new DatabaseSync('songs.sqlite');
  db.exec(`CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT);
    INSERT INTO song VALUES (1, 'Für Elise'), (2, 'Gymnopédie'), (3, 'Träumerei')`);
  const bytes = getVFS().export('songs.sqlite');
  db.close();
  const path = join(mkdtempSync(join(tmpdir(), 'playground-files-')), 'songs.sqlite');
  writeFileSync(path, bytes);
  return { path, bytes };
}

function readTitles(file: Uint8Array): unknown[] {
  getVFS().import('saved.sqlite', file);
  const db = new DatabaseSync('saved.sqlite');
  try {
    return db
      .prepare('SELECT title FROM song ORDER BY id')
      .all()
      .map((row) => (row as { title: string }).title);
  } finally {
    db.close();
    getVFS().delete('saved.sqlite');
  }
}

function dataFile(name: string): string {
  return readFileSync(new URL(`../../node_modules/vega-datasets/data/${name}`, import.meta.url), 'utf8');
}

const count = (value: number): string => value.toLocaleString('en');
