/** Where a command says things: `print` what was asked for, which scripts read; `note` what only people want to know. */
export interface Terminal {
  print(text: string): void;
  note(text: string): void;
}

/** Rows as columns of a width that fits, the first row being the headings; control characters are left out. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const clean = rows.map(row => row.map(cell => cell.replace(/\p{Cc}/gu, '') || '–'));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map(row => row[column]?.length ?? 0)));
  return clean
    .map(
      row =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
