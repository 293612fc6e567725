import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type JsonObject, toText } from '../../../fake-slack/protocol/json.ts';

/** Says that the page does not know a block or element, and keeps its JSON at hand. */
export function Unknown({ kind, json }: { readonly kind: 'block' | 'element'; readonly json: JsonObject }): VNode {
  const type = toText(json.type);
  const name = type === '' ? `A ${kind} without a type` : `A ${kind} of type ${type}, which this page does not know`;
  return html`<details class="unknown"><summary>${name}</summary><pre tabindex="0">${JSON.stringify(json, null, 2)}</pre></details>`;
}
