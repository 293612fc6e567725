import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { Inlines } from './inlines.ts';
import { parseMarkdownInline } from './markdown-inline.ts';
import { type ListItem, type MarkdownBlock, parseMarkdown } from './markdown-tree.ts';

/** Shows standard Markdown, as a `markdown` block holds it. */
export function Markdown({ text }: { readonly text: string }): VNode {
  return html`<div class="markdown">${parseMarkdown(text).map(toBlock)}</div>`;
}

function inline(text: string): VNode {
  return html`<${Inlines} nodes=${parseMarkdownInline(text)} />`;
}

function toBlock(block: MarkdownBlock): ComponentChildren {
  switch (block.kind) {
    case 'heading':
      return html`<div class=${`markdown-heading level-${block.level}`} role="heading" aria-level=${Math.min(6, block.level + 2)}>${inline(block.text)}</div>`;
    case 'paragraph':
      return html`<p>${inline(block.text)}</p>`;
    case 'quote':
      return html`<blockquote class="text-quote">${block.blocks.map(toBlock)}</blockquote>`;
    case 'code':
      return html`<pre class="text-pre">${block.text}</pre>`;
    case 'rule':
      return html`<hr class="divider" />`;
    case 'list':
      return html`<ul class="markdown-list">${block.items.map(toItem)}</ul>`;
    case 'table':
      return html`<div class="table-scroll" tabindex="0" role="group" aria-label="Table"><table class="table">
        <thead><tr>${block.head.map(cell => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
        <tbody>${block.rows.map(row => html`<tr>${row.map(cell => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody>
      </table></div>`;
  }
}

function toItem({ indent, number, isDone, text }: ListItem): VNode {
  const sign = isDone === undefined ? (number === undefined ? '•' : `${number}.`) : isDone ? '☑' : '☐';
  return html`<li class=${`indent-${indent}`}><span class="sign">${sign}</span><span>${inline(text)}</span></li>`;
}
