import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { filledIn } from '../../fake-slack/block-kit/fields.ts';
import { type JsonObject, toText } from '../../fake-slack/protocol/json.ts';
import { useElement } from './element-use.ts';
import { wordsOf } from './inlines.ts';
import type { Labelling } from './labelling.ts';

/** How many characters before the limit the counter appears. */
const counterFrom = 50;

/** A field for text or an address. Too long a text stays, with a count of what is too much. */
export function TextInput({ element, label }: { readonly element: JsonObject; readonly label: Labelling }): VNode {
  const handle = useElement(element);
  const value = toText(filledIn(handle.state));
  const shared = {
    id: label.id,
    class: 'field-input',
    'aria-label': label.labelId === undefined ? label.words : undefined,
    'aria-describedby': label.describedBy,
    'aria-invalid': label.isInvalid ? 'true' : undefined,
    'aria-required': label.isRequired ? 'true' : undefined,
    placeholder: wordsOf(element.placeholder),
    value,
    onInput: (event: Event) => handle.change((event.currentTarget as HTMLInputElement).value),
  };
  const type = element.type === 'url_text_input' ? 'url' : 'text';
  const input =
    element.multiline === true
      ? html`<textarea ...${shared} rows="4"></textarea>`
      : html`<input ...${shared} type=${type} inputmode=${type} autocomplete="off" />`;
  return html`${input}<${Counter} element=${element} count=${value.length} />`;
}

function Counter({ element, count }: { readonly element: JsonObject; readonly count: number }): VNode | null {
  if (element.type !== 'plain_text_input') return null;
  const limit = typeof element.max_length === 'number' ? element.max_length : 3000;
  const left = limit - count;
  if (left > Math.min(counterFrom, limit / 2)) return null;
  const words = left < 0 ? `${-left} too many` : `${left} left`;
  return html`<span class=${left < 0 ? 'counter over' : 'counter'} role="status">${words}</span>`;
}
