import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type JsonObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';
import { safeAddress } from './address.ts';
import { Blocks } from './blocks.ts';
import { Folded } from './folded.ts';
import { Image } from './image.ts';
import { Mrkdwn, wordsOf } from './inlines.ts';

const namedColors: Readonly<Record<string, string>> = { good: '#2eb886', warning: '#daa038', danger: '#a30200' };

/** Shows the attachments of a message, link previews too. */
export function Attachments({ attachments }: { readonly attachments: readonly JsonObject[] }): VNode {
  return html`${attachments.map(attachment => html`<${Attachment} attachment=${attachment} />`)}`;
}

function Attachment({ attachment }: { readonly attachment: JsonObject }): VNode {
  const color = colorOf(attachment.color);
  const text = toText(attachment.text);
  const fields = toObjects(attachment.fields);
  const footer = toText(attachment.footer);
  const pretext = toText(attachment.pretext);
  return html`<div class="attachment">
    ${pretext !== '' && html`<div class="attachment-pretext"><${Mrkdwn} text=${pretext} /></div>`}
    <div class="attachment-frame">
      <span class="attachment-bar" style=${color === undefined ? undefined : { backgroundColor: color }}></span>
      <div class="attachment-body">
        ${toLine('attachment-service', attachment.service_name ?? attachment.author_name, attachment.author_link)}
        ${toLine('attachment-title', attachment.title, attachment.title_link ?? attachment.from_url)}
        ${text !== '' && html`<${Folded} words=${text}><div class="section-text"><${Mrkdwn} text=${text} /></div></${Folded}>`}
        ${fields.length > 0 && html`<div class="fields">${fields.map(toField)}</div>`}
        ${Array.isArray(attachment.blocks) && html`<${Blocks} blocks=${toObjects(attachment.blocks)} />`}
        ${typeof attachment.image_url === 'string' && html`<${Image} image=${{ image_url: attachment.image_url, alt_text: toText(attachment.title) || 'Image' }} />`}
        ${footer !== '' && html`<div class="hint"><${Mrkdwn} text=${footer} /></div>`}
      </div>
    </div>
  </div>`;
}

function colorOf(color: unknown): string | undefined {
  const name = toText(color);
  if (Object.hasOwn(namedColors, name)) return namedColors[name];
  return /^#?[0-9a-f]{6}$/i.test(name) ? `#${name.replace('#', '')}` : undefined;
}

function toLine(className: string, words: unknown, link: unknown): VNode | null {
  if (toText(words) === '') return null;
  const href = safeAddress(link);
  const shown = wordsOf(words);
  if (href === undefined) return html`<div class=${className}>${shown}</div>`;
  return html`<div class=${className}><a class="link" href=${href} target="_blank" rel="noopener noreferrer">${shown}</a></div>`;
}

function toField(field: JsonObject): VNode {
  return html`<div class=${field.short === true ? 'field-cell' : 'field-cell wide'}>
    <strong>${wordsOf(field.title)}</strong>
    <div><${Mrkdwn} text=${toText(field.value)} /></div>
  </div>`;
}
