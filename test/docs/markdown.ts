/** A Markdown table; a pipe in a cell is escaped. */
export function toMarkdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const toLine = (cells: readonly string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [toLine(headings), toLine(headings.map(() => '---')), ...rows.map(toLine)].join('\n');
}

/** Code within a line; `–` for none. */
export function toCode(text: string): string {
  return text === '' ? '–' : `\`${text}\``;
}

/** A page from its paragraphs, which says where it comes from, and by which script. */
export function toPage(source: string, paragraphs: readonly string[], script = 'docs'): string {
  return `<!-- \`npm run ${script}\` writes this page from ${source}. Do not edit it here. -->\n\n${paragraphs.join('\n\n')}\n`;
}
