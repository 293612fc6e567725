import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { fromRichText } from '../../fake-slack/block-kit/rich-text.ts';
import { type JsonObject, toObjects, toText } from '../../fake-slack/protocol/json.ts';
import { Inlines } from './inlines.ts';

/** Shows a `rich_text` block: sections, nested lists, quotes and code. */
export function RichText({ block }: { readonly block: JsonObject }): VNode {
  return html`<div class="rich-text">${toObjects(block.elements).map(toPart)}</div>`;
}

function toPart(part: JsonObject): ComponentChildren {
  const inlines = html`<${Inlines} nodes=${toObjects(part.elements).map(fromRichText)} />`;
  const isBordered = Number(part.border) > 0 ? ' bordered' : '';
  switch (part.type) {
    case 'rich_text_list': {
      const Tag = part.style === 'ordered' ? 'ol' : 'ul';
      const indent = Math.min(Math.max(Number(part.indent) || 0, 0), 8);
      const start = part.style === 'ordered' ? Number(part.offset ?? 0) + 1 : undefined;
      return html`<${Tag} class=${`rich-list indent-${indent}${isBordered}`} start=${start}>
        ${toObjects(part.elements).map(item => html`<li>${toPart(item)}</li>`)}
      </${Tag}>`;
    }
    case 'rich_text_preformatted':
      return html`<pre class="text-pre">${inlines}</pre>`;
    case 'rich_text_quote':
      return html`<blockquote class="text-quote">${inlines}</blockquote>`;
    case 'rich_text_section':
      return html`<div class="rich-section">${inlines}</div>`;
    default:
      return html`<div class="rich-section">[${toText(part.type)}] ${inlines}</div>`;
  }
}
