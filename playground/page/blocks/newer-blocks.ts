import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { parseMrkdwn } from '../../fake-slack/block-kit/mrkdwn.ts';
import { isJsonObject, type JsonObject, toObject, toObjects, toText } from '../../fake-slack/protocol/json.ts';
import { safeAddress } from './address.ts';
import { toCell } from './data-table.ts';
import { Element } from './element.ts';
import { Image } from './image.ts';
import { Inlines, Text } from './inlines.ts';
import { RichText } from './rich-text.ts';

interface Shown {
  readonly block: JsonObject;
}

/** Standard Markdown: its links, headings and bold words in Slack's own marks, the rest as it stands. */
export function Markdown({ block }: Shown): VNode {
  const mrkdwn = toText(block.text)
    .replace(/<(?![@#!]|https?:|mailto:)/g, '&lt;')
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\(([^)\s]*)[^)]*\)/g, '<$2|$1>')
    .replace(/\*\*(.+?)\*\*/g, '*$1*')
    .replace(/^#+ +(.*)$/gm, '*$1*');
  return html`<div class="section-text"><${Inlines} nodes=${parseMrkdwn(mrkdwn)} /></div>`;
}

/** A table whose first row is its head. */
export function Table({ block }: Shown): VNode {
  const rows = Array.isArray(block.rows) ? block.rows.map(toObjects) : [];
  return html`<div class="table-scroll"><table class="table">
    ${rows.map(
      (row, at) =>
        html`<tr>${row.map(cell => (at === 0 ? html`<th>${toCell(cell)}</th>` : html`<td>${toCell(cell)}</td>`))}</tr>`,
    )}
  </table></div>`;
}

/** A film elsewhere, as its words and its address. */
export function Video({ block }: Shown): VNode {
  const href = safeAddress(block.title_url);
  const title = html`<strong><${Text} object=${block.title} /></strong>`;
  return html`<figure class="image-block">
    ${toText(block.author_name) !== '' && html`<div class="hint">${toText(block.author_name)}</div>`}
    <figcaption>${href === undefined ? title : html`<a class="link" href=${href} target="_blank" rel="noopener noreferrer">${title}</a>`}</figcaption>
    ${block.description !== undefined && html`<div><${Text} object=${block.description} /></div>`}
    ${toText(block.provider_name) !== '' && html`<div class="hint">${toText(block.provider_name)}</div>`}
    <${Image} image=${{ image_url: block.thumbnail_url, alt_text: block.alt_text }} />
  </figure>`;
}

/** A card: its words, pictures and buttons. */
export function Card({ block }: Shown): VNode {
  const words = (name: string, className: string) =>
    block[name] !== undefined && html`<div class=${className}><${Text} object=${block[name]} /></div>`;
  return html`<div class="attachment-body">
    ${[block.hero_image, block.icon].filter(isJsonObject).map(image => html`<${Image} image=${image} />`)}
    ${words('title', 'header')}${words('subtitle', 'hint')}${words('body', 'section-text')}
    ${toObjects(block.actions).map(element => html`<${Element} element=${element} />`)}
  </div>`;
}

/** Cards beside each other. */
export function Carousel({ block }: Shown): VNode {
  return html`<div>${toObjects(block.elements).map(card => html`<${Card} block=${card} />`)}</div>`;
}

/** A title over what stands in it. */
export function Container({ block, children }: Shown & { readonly children?: ComponentChildren }): VNode {
  return html`<div class="attachment-body">
    <div class="header">${isJsonObject(block.rich_text_title) ? html`<${RichText} block=${block.rich_text_title} />` : html`<${Text} object=${block.title} />`}</div>
    ${block.subtitle !== undefined && html`<div class="hint"><${Text} object=${block.subtitle} /></div>`}
    ${children}
  </div>`;
}

/** A step of an agent, or a plan of such steps. */
export function Task({ block }: Shown): VNode {
  return html`<div class="attachment-body">
    <strong>${isJsonObject(block.title) ? html`<${Text} object=${block.title} />` : toText(block.title)}</strong>
    ${toObjects(block.tasks).map(task => html`<${Task} block=${task} />`)}
    ${[block.details, block.output].filter(isJsonObject).map(each => html`<${RichText} block=${each} />`)}
    ${toObjects(block.sources).map(({ url, text }) => html`<div><a class="link" href=${safeAddress(url)} target="_blank" rel="noopener noreferrer">${toText(text)}</a></div>`)}
  </div>`;
}

/** What people press to say whether an answer was good. */
export function Feedback({ block }: Shown): VNode {
  const buttons = toObjects(block.elements).flatMap(each =>
    each.type === 'feedback_buttons' ? [each.positive_button, each.negative_button] : [each],
  );
  return html`<div class="actions">${buttons.map(each => html`<span class="button"><${Text} object=${toObject(each).text} /></span>`)}</div>`;
}

/** A chart as the numbers that it draws. */
export function Chart({ block }: Shown): VNode {
  const chart = toObject(block.chart);
  const point = ({ label, value }: JsonObject) => html`<div>${toText(label)} ${toText(value)}</div>`;
  return html`<figure class="image-block">
    <figcaption>${toText(block.title)}</figcaption>
    ${toObjects(chart.segments).map(point)}
    ${toObjects(chart.series).map(({ name, data }) => html`<div><strong>${toText(name)}</strong></div>${toObjects(data).map(point)}`)}
  </figure>`;
}
