import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { type JsonObject, toText } from '../../fake-slack/protocol/json.ts';
import { Button, Overflow } from './buttons.ts';
import { Choices } from './choices.ts';
import { Image } from './image.ts';
import { Text } from './inlines.ts';
import { bareName, type Labelling } from './labelling.ts';
import { Select } from './select.ts';
import { TextInput } from './text-input.ts';
import { TimePicker } from './time-picker.ts';

/** The label that an input block gives its element. */
export type GivenLabel = Omit<Labelling, 'words'>;

/** Shows a block element. In an input block it gets the block's label. */
export function Element({ element, given }: { readonly element: JsonObject; readonly given?: GivenLabel }): VNode {
  const id = useId();
  const bare = { id, isInvalid: false, isRequired: false };
  const label: Labelling = { ...(given ?? bare), words: bareName(element) };
  switch (element.type) {
    case 'plain_text':
    case 'mrkdwn':
      return html`<span class="context-text"><${Text} object=${element} /></span>`;
    case 'image':
      return html`<${Image} image=${element} isSmall />`;
    case 'button':
      return html`<${Button} element=${element} />`;
    case 'overflow':
      return html`<${Overflow} element=${element} />`;
    case 'checkboxes':
      return html`<${Choices} element=${element} label=${label} />`;
    case 'datetimepicker':
      return html`<${TimePicker} element=${element} label=${label} />`;
    case 'plain_text_input':
    case 'url_text_input':
      return html`<${TextInput} element=${element} label=${label} />`;
    case 'static_select':
    case 'users_select':
      return html`<${Select} element=${element} label=${label} />`;
    default:
      return html`<${Unknown} kind="element" json=${element} />`;
  }
}

/** Says that the page does not know a block or element, and keeps its JSON at hand. */
export function Unknown({ kind, json }: { readonly kind: 'block' | 'element'; readonly json: JsonObject }): VNode {
  const type = toText(json.type);
  const name = type === '' ? `A ${kind} without a type` : `A ${kind} of type ${type}, which this page does not know`;
  return html`<details class="unknown"><summary>${name}</summary><pre tabindex="0">${JSON.stringify(json, null, 2)}</pre></details>`;
}
