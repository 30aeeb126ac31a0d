// Shows how often SQLite asked the store for what: in the last statement, and since the page was opened.

import type { RegisteredVFS } from 'sqlite-vfs-kit';
import { h } from './dom.js';
import { bytes, count, plural } from './format.js';

export type Stats = ReturnType<RegisteredVFS['stats']>;
type Operation = keyof Stats;

interface Figure {
  calls: number;
  bytes: number;
}

const nothing: Figure = { calls: 0, bytes: 0 };

export class IoPanel {
  readonly #root: HTMLElement;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  /** `last` is what one run did, or null before the first. */
  show(last: Stats | null, total: Stats): void {
    const operations = (Object.keys(total) as Operation[]).filter((name) => total[name].calls > 0);
    const read = last?.read ?? nothing;
    const write = last?.write ?? nothing;
    this.#root.replaceChildren(
      h('div', { class: 'tiles' }, tile('read', 'read', read), tile('write', 'written', write)),
      h(
        'table',
        { class: 'figures' },
        h('caption', { class: 'visually-hidden' }, 'Calls of the store and the bytes they moved'),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'Call'),
            h('th', { scope: 'col', class: 'number' }, 'Last run'),
            h('th', { scope: 'col', class: 'number' }, 'Total'),
          ),
        ),
        h('tbody', {}, ...operations.map((name) => figureRow(name, last?.[name] ?? nothing, total[name]))),
      ),
      h('p', { class: 'hint' }, 'Pages that SQLite has in its cache are not read again.'),
      h('p', { class: 'hint' }, 'The total includes this page’s own queries for the list of tables.'),
    );
  }
}

/** What happened between two readings of a store's counters. */
export function difference(after: Stats, before: Stats): Stats {
  const entries = (Object.keys(after) as Operation[]).map((name) => [
    name,
    { calls: after[name].calls - before[name].calls, bytes: after[name].bytes - before[name].bytes },
  ]);
  return Object.fromEntries(entries) as Stats;
}

function tile(kind: string, verb: string, figure: Figure): HTMLElement {
  return h(
    'div',
    { class: `tile ${kind}`, 'data-tile': kind },
    h('span', {}, verb),
    h('span', { class: 'amount' }, bytes(figure.bytes)),
    h('span', {}, plural(figure.calls, 'call')),
  );
}

function figureRow(name: Operation, last: Figure, total: Figure): HTMLElement {
  return h(
    'tr',
    { 'data-operation': name, class: last.calls === 0 ? 'idle' : null },
    h('th', { scope: 'row' }, name),
    figureCell(last),
    figureCell(total),
  );
}

function figureCell({ calls, bytes: size }: Figure): HTMLElement {
  return h(
    'td',
    { class: 'number', 'data-calls': calls, 'data-bytes': size },
    h('span', {}, calls === 0 ? '–' : count(calls)),
    size === 0 ? null : h('span', { class: 'size' }, bytes(size)),
  );
}
