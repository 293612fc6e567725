import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type JsonObject, toObjects, toText } from '../../fake-slack/protocol/json.ts';
import { pageOf } from './pages.ts';
import { RichText } from './rich-text.ts';

/** A table that shows a page of its rows. */
export function DataTable({ block }: { readonly block: JsonObject }): VNode {
  const [page, setPage] = useState(0);
  const [head = [], ...rows] = (Array.isArray(block.rows) ? block.rows : []).map((row: unknown) => toObjects(row));
  const size = Math.min(Math.max(Number(block.page_size) || 5, 1), 100);
  const shown = pageOf(rows, page, size);
  const caption = toText(block.caption);
  const headerColumn = Number(block.row_header_column_index ?? 0);
  const isNumber = (column: number): string =>
    rows.some(row => row[column]?.type === 'raw_number') ? 'align-right' : '';
  const first = Math.min(shown.page * size + 1, rows.length);
  return html`<div class="data-table">
    <div class="data-table-caption" aria-hidden="true">${caption}</div>
    <div class="table-scroll" tabindex="0" role="group" aria-label=${`${caption}, table`}>
      <table class="table">
        <caption class="out-of-sight">${caption}</caption>
        <thead><tr>${head.map((cell, column) => html`<th scope="col" class=${isNumber(column)}>${toCell(cell)}</th>`)}</tr></thead>
        <tbody>${shown.items.map(
          row =>
            html`<tr>${row.map((cell, column) =>
              column === headerColumn
                ? html`<th scope="row" class=${isNumber(column)}>${toCell(cell)}</th>`
                : html`<td class=${isNumber(column)}>${toCell(cell)}</td>`,
            )}</tr>`,
        )}</tbody>
      </table>
    </div>
    <div class="data-table-bar">
      <span class="hint" role="status">${`${first}–${shown.page * size + shown.items.length} of ${rows.length}`}</span>
      ${
        shown.pages > 1 &&
        html`<span class="pager">
          <button type="button" class="button" disabled=${shown.page === 0} onClick=${() => setPage(shown.page - 1)}>Previous</button>
          <button type="button" class="button" disabled=${shown.page === shown.pages - 1} onClick=${() => setPage(shown.page + 1)}>Next</button>
        </span>`
      }
    </div>
  </div>`;
}

/** What a cell of a table shows. */
export function toCell(cell: JsonObject): VNode | string {
  if (cell.type === 'rich_text') return html`<${RichText} block=${cell} />`;
  return toText(cell.text) || toText(cell.value);
}
