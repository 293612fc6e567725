import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type JsonObject, toText } from '../../../fake-slack/protocol/json.ts';
import { rowsOf, toCell } from './cell.ts';
import { cellWords, filterRows, pageOf, type RowOrder, sortRows } from './data-rows.ts';

/** A table that pages, sorts and filters by itself. */
export function DataTable({ block }: { readonly block: JsonObject }): VNode {
  const [page, setPage] = useState(0);
  const [order, setOrder] = useState<RowOrder | undefined>(undefined);
  const [filter, setFilter] = useState('');
  const [head = [], ...rows] = rowsOf(block);
  const size = Math.min(Math.max(Number(block.page_size) || 5, 1), 100);
  const fitting = filterRows(rows, filter);
  const shown = pageOf(sortRows(fitting, order), page, size);
  const caption = toText(block.caption);
  const headerColumn = Number(block.row_header_column_index ?? 0);
  const sort = (column: number): void => {
    const isUp = order?.column === column && !order.isDescending;
    const isDown = order?.column === column && order.isDescending;
    setOrder(isDown ? undefined : { column, isDescending: isUp });
    setPage(0);
  };
  const sortOf = (column: number): 'ascending' | 'descending' | undefined =>
    order?.column !== column ? undefined : order.isDescending ? 'descending' : 'ascending';
  const isNumber = (column: number): string =>
    rows.some(row => row[column]?.type === 'raw_number') ? 'align-right' : '';
  const onFilter = (event: Event): void => {
    setFilter((event.currentTarget as HTMLInputElement).value);
    setPage(0);
  };
  const first = fitting.length === 0 ? 0 : shown.page * size + 1;
  const range = `${first}–${first + shown.rows.length - (fitting.length === 0 ? 0 : 1)} of ${fitting.length}`;
  return html`<div class="data-table">
    <div class="data-table-bar">
      <span class="data-table-caption" aria-hidden="true">${caption}</span>
      ${rows.length > 1 && html`<input class="field-input filter" type="search" placeholder="Filter" aria-label=${`Filter ${caption}`} value=${filter} onInput=${onFilter} />`}
    </div>
    <div class="table-scroll" tabindex="0" role="group" aria-label=${`${caption}, table`}>
      <table class="table">
        <caption class="out-of-sight">${caption}</caption>
        <thead><tr>${head.map(
          (cell, column) => html`<th scope="col" class=${isNumber(column)} aria-sort=${sortOf(column)}>
            <button type="button" class="sort" onClick=${() => sort(column)}>${cellWords(cell)}
              <span aria-hidden="true">${{ ascending: ' ▲', descending: ' ▼', none: '' }[sortOf(column) ?? 'none']}</span></button>
          </th>`,
        )}</tr></thead>
        <tbody>${shown.rows.map(
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
      <span class="hint" role="status">${fitting.length === 0 ? 'No row fits the filter.' : range}</span>
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
