import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type JsonObject, toText } from '../../../fake-slack/protocol/json.ts';
import { safeAddress } from './address.ts';
import { Text, wordsOf } from './inlines.ts';

/** A video as a link: the page plays none, since it asks no other server. */
export function Video({ block }: { readonly block: JsonObject }): VNode {
  const href = safeAddress(block.title_url) ?? safeAddress(block.video_url);
  const by = [toText(block.author_name), toText(block.provider_name)].filter(Boolean).join(' · ');
  const title = wordsOf(block.title) || toText(block.alt_text);
  return html`<div class="media">
    <span class="media-icon" aria-hidden="true">▶</span>
    <div>
      ${href === undefined ? title : html`<a class="link" href=${href} target="_blank" rel="noopener noreferrer">${title}</a>`}
      ${by !== '' && html`<div class="hint">${by}</div>`}
      ${block.description !== undefined && html`<div><${Text} object=${block.description} /></div>`}
    </div>
  </div>`;
}

/** A remote file, by the id that the app gave it. */
export function FileBlock({ block }: { readonly block: JsonObject }): VNode {
  return html`<div class="media"><span class="media-icon" aria-hidden="true">📄</span>
    <div>File <span class="hint">${toText(block.external_id)}</span></div></div>`;
}
