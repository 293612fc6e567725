import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { type JsonObject, toObject, toText } from '../../fake-slack/protocol/json.ts';
import { ownPath, safeAddress } from './address.ts';
import { Text } from './inlines.ts';

/** Shows an image of this page's server. The page asks no other server, so other images are shown as a link with their words. */
export function Image({ image, isSmall = false }: { readonly image: JsonObject; readonly isSmall?: boolean }): VNode {
  const url = image.image_url ?? toObject(image.slack_file).url;
  const words = toText(image.alt_text);
  const path = ownPath(url, location.origin);
  if (path !== undefined)
    return html`<img class=${isSmall ? 'image small' : 'image'} src=${path} alt=${words} loading="lazy" />`;
  const href = safeAddress(url);
  if (isSmall) return html`<span class="image small absent" role="img" aria-label=${words} title=${words}>🖼</span>`;
  return html`<span class="image absent"><span aria-hidden="true">🖼</span> ${words}
    ${href !== undefined && html` <a class="link" href=${href} target="_blank" rel="noopener noreferrer">Open image</a>`}</span>`;
}

/** An image block: the title, then the image. */
export function ImageBlock({ block }: { readonly block: JsonObject }): VNode {
  return html`<figure class="image-block">
    ${block.title !== undefined && html`<figcaption><${Text} object=${block.title} /></figcaption>`}
    <${Image} image=${block} />
  </figure>`;
}
