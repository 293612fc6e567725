import { html } from 'htm/preact';
import type { ComponentType, VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { isJsonObject, type JsonObject, toObjects } from '../../../fake-slack/protocol/json.ts';
import { Image } from './image.ts';
import { Text } from './inlines.ts';
import { RichText } from './rich-text.ts';

const widths: readonly unknown[] = ['narrow', 'standard', 'wide', 'full'];

/** A framed group of blocks under a title. It folds where the app lets it. `show` shows the blocks in it. */
export function Container(props: {
  readonly block: JsonObject;
  readonly show: ComponentType<{ readonly blocks: readonly JsonObject[] }>;
}): VNode {
  const { block, show: Blocks } = props;
  const canFold = block.is_collapsible === true;
  const [isOpen, setOpen] = useState(!(canFold && block.default_collapsed === true));
  const body = useId();
  const width = widths.includes(block.width) ? block.width : 'standard';
  const title = isJsonObject(block.rich_text_title)
    ? html`<${RichText} block=${block.rich_text_title} />`
    : html`<${Text} object=${block.title} />`;
  const words = html`<span class="container-words">
    <span class="container-title">${title}</span>
    ${block.subtitle !== undefined && html`<span class="container-subtitle"><${Text} object=${block.subtitle} /></span>`}
  </span>`;
  const icon = isJsonObject(block.icon) && html`<${Image} image=${block.icon} isSmall />`;
  const head = canFold
    ? html`<button type="button" class="container-head" aria-expanded=${String(isOpen)} aria-controls=${body}
        onClick=${() => setOpen(!isOpen)}>${icon}${words}<span class="chevron" aria-hidden="true">${isOpen ? '▾' : '▸'}</span></button>`
    : html`<div class="container-head">${icon}${words}</div>`;
  return html`<div class=${`container width-${width}${block.has_header_divider === true ? ' divided' : ''}`}>
    ${head}
    <div class="container-body" id=${body} hidden=${!isOpen}><${Blocks} blocks=${toObjects(block.child_blocks)} /></div>
  </div>`;
}
