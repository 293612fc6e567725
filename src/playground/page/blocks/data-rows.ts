import type { Inline } from '../../../fake-slack/block-kit/mrkdwn.ts';
import { fromRichText } from '../../../fake-slack/block-kit/rich-text.ts';
import { type JsonObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';

type Row = readonly JsonObject[];

/** The order of rows: by a column, up or down. */
export interface RowOrder {
  readonly column: number;
  readonly isDescending: boolean;
}

/** What a cell says, in words. */
export function cellWords(cell: JsonObject | undefined): string {
  if (cell === undefined) return '';
  if (cell.type !== 'rich_text') return toText(cell.text) || toText(cell.value);
  return leavesOf(cell)
    .map(element => inlineWords(fromRichText(element)))
    .join('');
}

/** The elements at the bottom of a block of rich text. */
function leavesOf(part: JsonObject): JsonObject[] {
  return Array.isArray(part.elements) ? toObjects(part.elements).flatMap(leavesOf) : [part];
}

function inlineWords(node: Inline): string {
  if ('children' in node) return node.children.map(inlineWords).join('');
  if (node.kind === 'text') return node.text;
  if (node.kind === 'link') return node.label ?? node.url;
  if (node.kind === 'emoji') return `:${node.name}:`;
  return node.kind === 'date' ? node.fallback : '';
}

/** The rows in which some cell says every word of the filter. */
export function filterRows(rows: readonly Row[], filter: string): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(row => {
    const said = row.map(cellWords).join('\n').toLowerCase();
    return words.every(word => said.includes(word));
  });
}

/** The rows in an order. Numbers go by size, other cells by their words. Equal rows keep their places. */
export function sortRows(rows: readonly Row[], order: RowOrder | undefined): readonly Row[] {
  if (order === undefined) return rows;
  const sign = order.isDescending ? -1 : 1;
  return rows.toSorted((one, other) => sign * compare(one[order.column], other[order.column]));
}

function compare(one: JsonObject | undefined, other: JsonObject | undefined): number {
  if (typeof one?.value === 'number' && typeof other?.value === 'number') return one.value - other.value;
  return cellWords(one).localeCompare(cellWords(other), 'en', { numeric: true, sensitivity: 'base' });
}

/** One page of rows, counted from 0. A page beyond the last gives the last. */
export function pageOf(
  rows: readonly Row[],
  page: number,
  size: number,
): { readonly rows: readonly Row[]; readonly page: number; readonly pages: number } {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const at = Math.min(Math.max(page, 0), pages - 1);
  return { rows: rows.slice(at * size, (at + 1) * size), page: at, pages };
}
