import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type JsonObject, toObjects } from '../../../fake-slack/protocol/json.ts';
import { rowsOf, toCell } from './cell.ts';

/** A table. Its first row is the header. It scrolls sideways where it is wider than the message. */
export function Table({ block }: { readonly block: JsonObject }): VNode {
  const [head = [], ...rows] = rowsOf(block);
  const settings = Array.isArray(block.column_settings) ? block.column_settings : [];
  const classOf = (column: number): string => {
    const [setting] = toObjects([settings[column]]);
    const align = setting?.align === 'right' || setting?.align === 'center' ? setting.align : 'left';
    return `align-${align}${setting?.is_wrapped === true ? ' wrapped' : ''}`;
  };
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label="Table">
    <table class="table">
      <thead><tr>${head.map((cell, column) => html`<th scope="col" class=${classOf(column)}>${toCell(cell)}</th>`)}</tr></thead>
      <tbody>${rows.map(
        row => html`<tr>${row.map((cell, column) => html`<td class=${classOf(column)}>${toCell(cell)}</td>`)}</tr>`,
      )}</tbody>
    </table>
  </div>`;
}
