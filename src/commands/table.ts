/** Rows as columns of a width that fits. The first row has the headings. Control characters are left out. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const clean = rows.map(row => row.map(cell => cell.replace(/\p{Cc}/gu, '') || '–'));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map(row => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return clean.map(row => `${toLine(row).trimEnd()}\n`).join('');
}
