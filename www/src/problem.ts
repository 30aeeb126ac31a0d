// Says what went wrong, in words first and with the codes a search engine knows.

import { h } from './dom.js';

interface SqlError {
  code?: unknown;
  errcode?: unknown;
  errstr?: unknown;
}

export function problem(title: string, cause: unknown, sql = ''): HTMLElement {
  const { code, errcode, errstr } = (cause ?? {}) as SqlError;
  const codes = [code, errcode === undefined ? undefined : `${errcode}: ${errstr}`].filter(
    (part) => part !== undefined,
  );
  return h(
    'div',
    { class: 'problem' },
    h('strong', {}, title),
    h('p', {}, cause instanceof Error ? cause.message : String(cause)),
    codes.length === 0 ? null : h('p', { class: 'codes' }, codes.join(' · ')),
    sql === '' ? null : h('pre', {}, excerpt(sql)),
  );
}

function excerpt(sql: string): string {
  const lines = sql.split('\n');
  return lines.length > 6 ? `${lines.slice(0, 6).join('\n')}\n…` : sql;
}
