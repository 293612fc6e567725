import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { isJsonObject, type JsonObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';
import { safeAddress } from './address.ts';
import { wordsOf } from './inlines.ts';
import { RichText } from './rich-text.ts';

const statuses: Readonly<Record<string, readonly [icon: string, name: string]>> = {
  pending: ['○', 'Pending'],
  in_progress: ['◐', 'In progress'],
  complete: ['✓', 'Complete'],
  error: ['✕', 'Failed'],
};

/** A task with its status, details, output and sources. */
export function TaskCard({ block }: { readonly block: JsonObject }): VNode {
  const status = Object.hasOwn(statuses, toText(block.status)) ? toText(block.status) : 'pending';
  const [icon, name] = statuses[status] ?? ['', ''];
  const sources = toObjects(block.sources);
  return html`<div class=${`task status-${status}`}>
    <span class="task-icon" role="img" aria-label=${name}>${icon}</span>
    <div class="task-body">
      <div class="task-title">${wordsOf(block.title)}</div>
      ${isJsonObject(block.details) && html`<${RichText} block=${block.details} />`}
      ${isJsonObject(block.output) && html`<div class="task-output"><${RichText} block=${block.output} /></div>`}
      ${sources.length > 0 && html`<div class="task-sources">${sources.map(toSource)}</div>`}
    </div>
  </div>`;
}

function toSource(source: JsonObject): VNode {
  const words = toText(source.text) || toText(source.url);
  const href = safeAddress(source.url);
  return href === undefined
    ? html`<span>${words}</span> `
    : html`<a class="link" href=${href} target="_blank" rel="noopener noreferrer">${words}</a> `;
}

/** A plan: its title and its tasks. */
export function Plan({ block }: { readonly block: JsonObject }): VNode {
  return html`<div class="plan">
    <div class="plan-title">${wordsOf(block.title)}</div>
    ${toObjects(block.tasks).map(task => html`<${TaskCard} block=${task} />`)}
  </div>`;
}
