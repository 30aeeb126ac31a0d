// The page: wires its parts together around one open database.

import '@fontsource-variable/ibm-plex-sans/wght.css';
import '@fontsource/ibm-plex-mono/latin-400.css';
import '@fontsource/ibm-plex-mono/latin-500.css';
import './style.css';

import { init, sqliteVersion } from 'sqlite-vfs-kit';
import { examples } from '../../js/demo/datasets.js';
import { fetchSampleData } from './data.js';
import { OpenDatabase, store } from './database.js';
import { button, byId } from './dom.js';
import { Editor, runKeys } from './editor.js';
import { acceptChosenFile, acceptDroppedFile } from './file-drop.js';
import { bytes, count, duration, plural } from './format.js';
import { difference, IoPanel, type Stats } from './io-panel.js';
import { problem } from './problem.js';
import { resultTable } from './result-table.js';
import { type Outcome, runScript } from './run-script.js';
import { saveFile } from './save-file.js';
import { readSchema } from './schema.js';
import { SchemaPanel } from './schema-panel.js';

const runButton = byId('run', HTMLButtonElement);
const openButton = byId('open', HTMLButtonElement);
const saveButton = byId('save', HTMLButtonElement);
const sampleButton = byId('sample', HTMLButtonElement);
const fileName = byId('file-name', HTMLElement);
const status = byId('status', HTMLElement);
const problemArea = byId('problem', HTMLElement);
const resultArea = byId('result', HTMLElement);

const editor = new Editor(byId('sql', HTMLTextAreaElement), run);
const schemaPanel = new SchemaPanel(byId('schema', HTMLElement), runText);
const ioPanel = new IoPanel(byId('io', HTMLElement));

let texts: ReadonlyMap<string, string> = new Map();
let database: OpenDatabase | null = null;
let lastRun: Stats | null = null;

byId('run-hint', HTMLElement).textContent = runKeys;
byId('examples', HTMLElement).append(
  ...examples.map(({ title, sql }) => button(title, { class: 'chip' }, () => runText(sql))),
);
runButton.addEventListener('click', run);
saveButton.addEventListener('click', save);
sampleButton.addEventListener('click', openSample);
byId('io-reset', HTMLButtonElement).addEventListener('click', () => {
  store().resetStats();
  lastRun = null;
  ioPanel.show(lastRun, store().stats());
});
acceptChosenFile(openButton, byId('file-input', HTMLInputElement), openFile);
acceptDroppedFile(openFile);
addEventListener('beforeunload', (event) => {
  if (database?.unsaved) event.preventDefault();
});

await start();

async function start(): Promise<void> {
  try {
    const [loaded] = await Promise.all([fetchSampleData(), init()]);
    texts = loaded;
  } catch (error) {
    fileName.textContent = 'Nothing is open';
    fail('The page could not start', error);
    return;
  }
  for (const control of [runButton, openButton, saveButton, sampleButton]) control.disabled = false;
  openSample();
  byId('facts', HTMLElement).textContent = `SQLite ${sqliteVersion()}, store: ${store().name}`;
  const first = examples[0];
  // Text typed while the page loaded is left alone.
  if (first !== undefined && editor.sql === '') runText(first.sql);
}

function run(): void {
  if (database === null) return;
  const before = store().stats();
  const outcome = runScript(database.connection, editor.sql);
  lastRun = difference(store().stats(), before);
  const { error, result } = outcome;
  status.textContent = summary(outcome);
  problemArea.replaceChildren(
    ...(error === null ? [] : [problem(errorTitle(outcome), error.cause, error.sql)]),
  );
  resultArea.replaceChildren(...(result === null ? [] : resultTable(result)));
  if (outcome.wrote || outcome.changes > 0n) {
    database.noteChange();
    showDatabase();
  }
  ioPanel.show(lastRun, store().stats());
}

function runText(sql: string): void {
  editor.sql = sql;
  run();
}

function summary({ statements, result, changes, milliseconds, error }: Outcome): string {
  const parts: string[] = [];
  if (result !== null)
    parts.push(result.cut ? `first ${plural(result.rows.length, 'row')}` : plural(result.rows.length, 'row'));
  if (changes > 0n) parts.push(`${plural(changes, 'row')} changed`);
  if (statements > 1) parts.push(plural(statements, 'statement'));
  if (error !== null) parts.push('stopped by an error');
  else if (parts.length === 0) parts.push(statements === 0 ? 'nothing to run' : 'done');
  if (database?.connection.isTransaction) parts.push('transaction open');
  return `${parts.join(', ')} · ${duration(milliseconds)}`;
}

function errorTitle({ statements }: Outcome): string {
  if (statements === 0) return 'SQLite refused this statement';
  return `Statement ${count(statements + 1)} failed; the ${statements === 1 ? 'one' : count(statements)} before it ran`;
}

function openSample(): void {
  replaceDatabase('The sample database could not be made', () => OpenDatabase.sample(texts));
}

async function openFile(file: File): Promise<void> {
  if (database === null) return;
  const content = new Uint8Array(await file.arrayBuffer());
  replaceDatabase(`${file.name} was not opened`, () => OpenDatabase.fromBytes(file.name, content));
}

/** Opens another database; when that fails, the one that is open stays. */
function replaceDatabase(failure: string, open: () => OpenDatabase): void {
  if (database?.unsaved && !confirm(`The changes to ${database.title} are not saved. Close it anyway?`))
    return;
  try {
    const next = open();
    database?.discard();
    database = next;
  } catch (error) {
    fail(failure, error);
    return;
  }
  problemArea.replaceChildren();
  resultArea.replaceChildren();
  lastRun = null;
  showDatabase();
  status.textContent = `${database.title} is open`;
  ioPanel.show(lastRun, store().stats());
}

function save(): void {
  if (database === null) return;
  try {
    saveFile(database.title, database.toBytes());
    database.unsaved = false;
    status.textContent = `${database.title} saved`;
  } catch (error) {
    fail(`${database.title} was not saved`, error);
  }
}

function showDatabase(): void {
  if (database === null) return;
  fileName.textContent = `${database.title} · ${bytes(database.size)}`;
  schemaPanel.show(readSchema(database.connection));
}

function fail(title: string, error: unknown): void {
  status.textContent = '';
  problemArea.replaceChildren(problem(title, error));
}
