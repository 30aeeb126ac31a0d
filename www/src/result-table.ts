// Shows rows as a table, a screenful of hundreds at a time so that a long result stays quick.

import { button, h } from './dom.js';
import { bytes, count, hex, plural, real } from './format.js';
import type { Cell, Rows } from './run-script.js';

const STEP = 500;
const TEXT_LIMIT = 500;

export function resultTable(result: Rows): HTMLElement[] {
  const { columns, rows } = result;
  const numeric = columns.map((_, index) => rows.slice(0, STEP).some((row) => isNumber(row[index])));
  const body = h('tbody');
  const table = h(
    'table',
    { class: 'rows' },
    h('caption', { class: 'visually-hidden' }, 'Rows of the last statement'),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col', class: 'ordinal' }, h('span', { class: 'visually-hidden' }, 'Row')),
        ...columns.map((name, index) =>
          h('th', { scope: 'col', class: numeric[index] ? 'number' : null }, name),
        ),
      ),
    ),
    body,
  );
  const shown = h('p', { class: 'shown' });
  const more = button('Show more', { class: 'quiet' }, () => append());
  const append = () => {
    const from = body.rows.length;
    const next = rows.slice(from, from + STEP);
    body.append(...next.map((row, index) => tableRow(row, from + index, numeric)));
    const until = from + next.length;
    shown.textContent = until < rows.length ? `Rows 1 to ${count(until)} of ${count(rows.length)}` : '';
    more.hidden = until === rows.length;
  };
  append();
  // A region that scrolls takes the focus, so that the arrow keys can scroll it.
  const region = h(
    'div',
    { class: 'scroll', role: 'region', 'aria-label': 'Result rows', tabindex: 0 },
    table,
  );
  return rows.length > STEP ? [region, h('div', { class: 'more' }, shown, more)] : [region];
}

const isNumber = (value: Cell | undefined): boolean => typeof value === 'number' || typeof value === 'bigint';

function tableRow(row: readonly Cell[], index: number, numeric: readonly boolean[]): HTMLTableRowElement {
  const cells = row.map((value, column) => tableCell(value, numeric[column] ?? false));
  return h('tr', {}, h('td', { class: 'ordinal' }, count(index + 1)), ...cells);
}

function tableCell(value: Cell, inNumbers: boolean): HTMLTableCellElement {
  if (value === null) return h('td', { class: inNumbers ? 'null number' : 'null' }, 'NULL');
  if (typeof value === 'bigint') return h('td', { class: 'number' }, String(value));
  if (typeof value === 'number') {
    const text = real(value);
    return h('td', { class: 'number', title: Number(text) === value ? null : String(value) }, text);
  }
  if (typeof value === 'string') return textCell(value);
  return h('td', { class: 'blob' }, hex(value, 12), h('span', { class: 'length' }, bytes(value.length)));
}

function textCell(value: string): HTMLTableCellElement {
  if (value.length <= TEXT_LIMIT) return h('td', { title: value.length > 40 ? value : null }, value);
  const length = h('span', { class: 'length' }, plural(value.length, 'character'));
  return h('td', {}, `${value.slice(0, TEXT_LIMIT)}…`, length);
}
