import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { isJsonObject, type JsonObject, toObjects, toText } from '../../fake-slack/protocol/json.ts';
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
  const blocks = [...blocksIn(attachment.blocks), ...blocksIn(attachment.message_blocks)];
  const own = blocksIn(attachment.blocks);
  const fields = toObjects(attachment.fields);
  const pretext = toText(attachment.pretext);
  const said = toText(attachment.text);
  const text = blocks.length > 0 ? '' : isForNothing(said) ? fallbackOf(attachment) : said;
  const isMessage = isForward(attachment);
  const author = toText(attachment.author_name) || toText(attachment.author_subname);
  return html`<div class="attachment">
    ${pretext !== '' && html`<div class="attachment-pretext"><${Mrkdwn} text=${pretext} /></div>`}
    <div class="attachment-frame">
      <span class="attachment-bar" style=${color === undefined ? undefined : { backgroundColor: color }}></span>
      <div class="attachment-body">
        ${!isMessage && toLine('attachment-service', attachment.service_name, undefined)}
        ${toLine('attachment-service', author, isMessage ? (attachment.from_url ?? attachment.original_url) : attachment.author_link)}
        ${toLine('attachment-title', attachment.title, isMessage ? undefined : (attachment.title_link ?? attachment.from_url))}
        ${text !== '' && html`<${Folded} words=${text}><div class="section-text"><${Mrkdwn} text=${text} /></div></${Folded}>`}
        ${blocks.length > 0 && html`<${Blocks} blocks=${own.length > 0 ? own : blocks} />`}
        ${fields.length > 0 && html`<div class="fields">${fields.map(toField)}</div>`}
        <${Attachments} attachments=${toObjects(attachment.attachments)} />
        ${toObjects(attachment.actions).map(toAction)}
        ${typeof attachment.image_url === 'string' && html`<${Image} image=${{ image_url: attachment.image_url, alt_text: '' }} />`}
        <${Foot} attachment=${attachment} />
      </div>
    </div>
  </div>`;
}

/** Whether it is another message, forwarded or linked. */
function isForward(attachment: JsonObject): boolean {
  return attachment.is_share === true || attachment.is_msg_unfurl === true;
}

/** The blocks of an attachment. Those of a forwarded message lie in that message. */
function blocksIn(value: unknown): readonly JsonObject[] {
  return toObjects(value).flatMap(each => (isJsonObject(each.message) ? toObjects(each.message.blocks) : [each]));
}

/** Whether Slack wrote a text in place of one that there is not, or there is none. */
function isForNothing(text: string): boolean {
  return text === '' || /^\[no preview available\]|^This message contains interactive|^This content can/i.test(text);
}

/** What clients show that can show nothing else of it: not Slack's own words for nothing. */
function fallbackOf(attachment: JsonObject): string {
  const shown = ['pretext', 'title', 'author_name', 'service_name', 'footer', 'image_url', 'ts'];
  const lists = ['fields', 'files', 'attachments', 'actions'];
  const isEmpty = ![...shown, ...lists].some(
    name => toText(attachment[name]) || toObjects(attachment[name]).length > 0,
  );
  const fallback = toText(attachment.fallback);
  return isEmpty && !isForNothing(fallback) ? fallback : '';
}

/** An old kind of button. */
function toAction({ text, url }: JsonObject): VNode {
  return html`<span class="button">${toLine('button-text', text, url)}</span>`;
}

/** The small print: where it is from, and when. */
function Foot({ attachment }: { readonly attachment: JsonObject }): VNode | null {
  const { footer, ts, channel_id: channel } = attachment;
  const seconds = Number(toText(ts));
  const words =
    isForward(attachment) && channel !== undefined
      ? toText(footer).replace(/#\S+/, `<#${toText(channel)}>`)
      : toText(footer);
  if (words === '' && !(seconds > 0)) return null;
  const time = new Date(seconds * 1000);
  return html`<div class="hint"><${Mrkdwn} text=${words} />${
    seconds > 0 &&
    html` <time datetime=${time.toISOString()} title=${`${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`}>${time.toLocaleString()}</time>`
  }</div>`;
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
