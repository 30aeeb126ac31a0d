// Reads what a database holds: its tables and views with their columns.

import type { DatabaseSync } from 'sqlite-vfs-kit';
import { identifier } from './format.js';

export interface Column {
  name: string;
  type: string;
  primaryKey: boolean;
}

export interface Table {
  name: string;
  kind: 'table' | 'view';
  columns: Column[];
  /** How many rows, or null for a view, whose rows may be costly to count, and for what can't be read. */
  rows: number | null;
}

export function readSchema(db: DatabaseSync): Table[] {
  // `table_list` knows shadow tables, the inner works of a virtual table, which `sqlite_schema` can't tell apart.
  const tables = db
    .prepare(
      `SELECT name, type FROM pragma_table_list
       WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY type = 'view', name`,
    )
    .all() as unknown as { name: string; type: string }[];
  // Hidden columns (1) are arguments of virtual tables; generated ones (2 and 3) are columns like others.
  const columns = db.prepare('SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1');
  return tables.map(({ name, type }) => ({
    name,
    kind: type === 'view' ? 'view' : 'table',
    columns: (columns.all(name) as unknown as { name: string; type: string; pk: number }[]).map((column) => ({
      name: column.name,
      type: column.type,
      primaryKey: column.pk > 0,
    })),
    rows: type === 'view' ? null : countRows(db, name),
  }));
}

function countRows(db: DatabaseSync, table: string): number | null {
  try {
    const row = db.prepare(`SELECT count(*) AS n FROM main.${identifier(table)}`).get() as unknown as {
      n: number;
    };
    return row.n;
  } catch {
    // One unreadable table (a virtual one whose module is not here, say) must not hide the others.
    return null;
  }
}
