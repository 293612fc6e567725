import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { isJsonObject, type JsonObject, toObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';
import { Element } from './element.ts';
import { Folded } from './folded.ts';
import { Text } from './inlines.ts';

/** A section: text, fields in two columns, and an element at the right. */
export function Section({ block }: { readonly block: JsonObject }): VNode {
  const fields = toObjects(block.fields);
  const words = toText(toObject(block.text).text);
  return html`<div class="section">
    <div class="section-body">
      ${
        block.text !== undefined &&
        html`<${Folded} words=${words} isOpen=${block.expand === true}>
          <div class="section-text"><${Text} object=${block.text} /></div>
        </${Folded}>`
      }
      ${
        fields.length > 0 &&
        html`<div class="fields">${fields.map(field => html`<div class="field-cell"><${Text} object=${field} /></div>`)}</div>`
      }
    </div>
    ${isJsonObject(block.accessory) && html`<div class="accessory"><${Element} element=${block.accessory} /></div>`}
  </div>`;
}
