import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { isJsonObject, type JsonObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';
import { Element } from './element.ts';
import { BlockContext } from './element-use.ts';
import { Image } from './image.ts';
import { Text } from './inlines.ts';

const levels: Readonly<Record<string, readonly [icon: string, name: string]>> = {
  info: ['ℹ️', 'Information'],
  warning: ['⚠️', 'Warning'],
  error: ['⛔', 'Error'],
  success: ['✅', 'Success'],
  default: ['📌', 'Note'],
};

/** An alert, in the colour of its level. */
export function Alert({ block }: { readonly block: JsonObject }): VNode {
  const level = Object.hasOwn(levels, toText(block.level)) ? toText(block.level) : 'default';
  const [icon, name] = levels[level] ?? ['', ''];
  return html`<div class=${`alert level-${level}`} role="note" aria-label=${name}>
    <span aria-hidden="true">${icon}</span><div><${Text} object=${block.text} /></div>
  </div>`;
}

/** A card: picture, title, words and buttons. */
export function Card({ block }: { readonly block: JsonObject }): VNode {
  const actions = toObjects(block.actions);
  return html`<div class="card">
    ${isJsonObject(block.hero_image) && html`<div class="card-hero"><${Image} image=${block.hero_image} /></div>`}
    <div class="card-head">
      ${isJsonObject(block.icon) && html`<${Image} image=${block.icon} isSmall />`}
      <div>
        ${block.title !== undefined && html`<div class="card-title"><${Text} object=${block.title} /></div>`}
        ${block.subtitle !== undefined && html`<div class="card-subtitle"><${Text} object=${block.subtitle} /></div>`}
      </div>
    </div>
    ${block.body !== undefined && html`<div class="card-body"><${Text} object=${block.body} /></div>`}
    ${block.subtext !== undefined && html`<div class="card-subtitle"><${Text} object=${block.subtext} /></div>`}
    ${actions.length > 0 && html`<div class="actions">${actions.map(action => html`<${Element} element=${action} />`)}</div>`}
  </div>`;
}

/** Cards beside each other. The row scrolls. */
export function Carousel({ block }: { readonly block: JsonObject }): VNode {
  return html`<div class="carousel" role="group" aria-label="Carousel" tabindex="0">
    ${toObjects(block.elements).map(
      card => html`<${BlockContext.Provider} value=${{ blockId: toText(card.block_id), isQuiet: false }}>
        <${Card} block=${card} />
      </${BlockContext.Provider}>`,
    )}
  </div>`;
}
