import { html } from 'htm/preact';
import type { ComponentChildren } from 'preact';
import { type JsonObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';
import { RichText } from './rich-text.ts';

/** The rows of a table block. Cells that are no objects are left out. */
export function rowsOf(block: JsonObject): JsonObject[][] {
  return (Array.isArray(block.rows) ? block.rows : []).map((row: unknown) => toObjects(row));
}

/** What a cell shows. */
export function toCell(cell: JsonObject): ComponentChildren {
  if (cell.type === 'rich_text') return html`<${RichText} block=${cell} />`;
  return toText(cell.text) || toText(cell.value);
}
