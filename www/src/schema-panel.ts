// Lists the tables, each to be folded out to its columns.

import { button, h } from './dom.js';
import { count, identifier } from './format.js';
import type { Table } from './schema.js';

export class SchemaPanel {
  readonly #root: HTMLElement;
  readonly #browse: (sql: string) => void;

  /** `browse` gets the SQL that shows a table's rows. */
  constructor(root: HTMLElement, browse: (sql: string) => void) {
    this.#root = root;
    this.#browse = browse;
  }

  show(tables: readonly Table[]): void {
    // What was folded out stays so when the tables are read again after a statement.
    const open = new Set(
      [...this.#root.querySelectorAll<HTMLElement>('details[open]')].map(({ dataset }) => dataset.table),
    );
    if (tables.length === 0) {
      this.#root.replaceChildren(h('p', { class: 'empty' }, 'No tables yet.'));
      return;
    }
    this.#root.replaceChildren(...tables.map((table) => this.#entry(table, open.has(table.name))));
  }

  #entry(table: Table, open: boolean): HTMLElement {
    const size = table.kind === 'view' ? 'view' : table.rows === null ? '?' : count(table.rows);
    return h(
      'details',
      { 'data-table': table.name, open },
      h(
        'summary',
        {},
        h('span', { class: 'name' }, table.name),
        h('span', { class: 'rows', title: table.rows === null ? null : 'rows' }, size),
      ),
      h(
        'ul',
        { 'aria-label': `Columns of ${table.name}` },
        ...table.columns.map((column) =>
          h(
            'li',
            {},
            h('span', { class: 'name' }, column.name),
            column.primaryKey ? h('span', { class: 'key', title: 'primary key' }, 'key') : null,
            h('span', { class: 'type' }, column.type.toLowerCase()),
          ),
        ),
      ),
      button('Show rows', { class: 'quiet', 'aria-label': `Show rows of ${table.name}` }, () =>
        this.#browse(`SELECT * FROM ${identifier(table.name)}`),
      ),
    );
  }
}
