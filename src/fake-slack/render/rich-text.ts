import { fromRichText } from '../block-kit/rich-text.ts';
import { type JsonObject, toObjects } from '../protocol/json.ts';
import type { Directory } from './directory.ts';
import { renderInline } from './mrkdwn.ts';

/** Renders a `rich_text` block as plain text: bullets for list items, `> ` for quotes. */
export function renderRichText(directory: Directory, block: JsonObject): string {
  return toObjects(block.elements)
    .map(part => renderPart(directory, part))
    .join('\n');
}

function renderPart(directory: Directory, part: JsonObject): string {
  if (part.type === 'rich_text_list') {
    const indent = '  '.repeat(typeof part.indent === 'number' ? part.indent : 0);
    const sign = (index: number): string => (part.style === 'ordered' ? `${index + 1}.` : '•');
    return toObjects(part.elements)
      .map((item, index) => `${indent}${sign(index)} ${renderPart(directory, item)}`)
      .join('\n');
  }
  const text = toObjects(part.elements)
    .map(element => renderInline(directory, fromRichText(element)))
    .join('');
  return part.type === 'rich_text_quote' ? text.replaceAll(/^/gm, '> ') : text;
}
