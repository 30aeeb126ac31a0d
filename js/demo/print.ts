// Rows as aligned text.

type Row = Readonly<Record<string, unknown>>;

export function heading(text: string): void {
  console.log(`\n── ${text}`);
}

export function printRows(rows: readonly Row[], limit = rows.length): void {
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.slice(0, limit).map((row) => names.map((name) => String(row[name] ?? 'NULL')));
  const lines = [names, ...cells];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  // Numbers stand on the right, below each other by their digits.
  const isNumber = names.map((name) => rows.some((row) => typeof row[name] === 'number'));
  for (const line of lines) {
    const padded = line.map((cell, column) => {
      const width = widths[column] ?? 0;
      return isNumber[column] ? cell.padStart(width) : cell.padEnd(width);
    });
    console.log(padded.join('  ').trimEnd());
  }
  if (rows.length > limit) console.log(`… and ${rows.length - limit} more rows`);
}
