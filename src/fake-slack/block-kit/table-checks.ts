import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { Issues } from './issues.ts';

/** Rows that a table may have, its header among them, and cells that a row may have. */
const [fewestRows, mostRows] = [2, 101];
const mostCells = 20;

/** Checks the rows of a data table. Every row is as long as the header, whose cells are no rich text. */
export function checkTable(issues: Issues, block: JsonObject, pointer: string): void {
  const rows: unknown = block.rows;
  if (!Array.isArray(rows) || rows.length < fewestRows || rows.length > mostRows) {
    issues.add(`${pointer}/rows`, `must be an array of ${fewestRows} to ${mostRows} rows`);
    return;
  }
  const [first] = rows;
  rows.forEach((row: unknown, index) => {
    const at = `${pointer}/rows/${index}`;
    if (!Array.isArray(row) || row.length > mostCells) {
      issues.add(at, `must be an array of at most ${mostCells} cells`);
      return;
    }
    if (Array.isArray(first) && row.length !== first.length) issues.add(at, 'must have as many cells as the header');
    row.forEach((cell: unknown, column) => {
      checkCell(issues, cell, `${at}/${column}`, index === 0);
    });
  });
}

function checkCell(issues: Issues, cell: unknown, pointer: string, isHeader: boolean): void {
  const kinds = isHeader ? ['raw_text', 'raw_number'] : ['raw_text', 'raw_number', 'rich_text'];
  if (!isJsonObject(cell) || typeof cell.type !== 'string' || !kinds.includes(cell.type)) {
    issues.add(`${pointer}/type`, `must be one of: ${kinds.join(', ')}`);
    return;
  }
  if (cell.type !== 'rich_text') issues.checkString(cell, 'text', pointer, { max: 10_000, min: 1, required: true });
  if (cell.type === 'raw_number' && typeof cell.value !== 'number') {
    issues.add(`${pointer}/value`, 'must provide a number');
  }
}
