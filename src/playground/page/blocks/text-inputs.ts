import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { filledIn } from '../../../fake-slack/block-kit/fields.ts';
import { type JsonObject, toObject, toText } from '../../../fake-slack/protocol/json.ts';
import { useElement } from './element-use.ts';
import { wordsOf } from './inlines.ts';
import type { Labelling } from './labelling.ts';
import { fromRichTextValue, toRichTextValue } from './rich-text-value.ts';

interface InputProps {
  readonly element: JsonObject;
  readonly label: Labelling;
}

const inputTypes: Readonly<Record<string, { type: string; mode: string }>> = {
  email_text_input: { type: 'email', mode: 'email' },
  url_text_input: { type: 'url', mode: 'url' },
  number_input: { type: 'text', mode: 'decimal' },
};

/** How many characters before the limit the counter appears. */
const counterFrom = 50;

/** A field for text, a number, an address or formatted text. Too long a text stays, with a count of what is too much. */
export function TextInput({ element, label }: InputProps): VNode {
  const handle = useElement(element);
  const isRich = element.type === 'rich_text_input';
  const held = filledIn(handle.state);
  const value = isRich ? fromRichTextValue(toObject(held)) : toText(held);
  const triggers = toObject(element.dispatch_action_config).trigger_actions_on;
  const tellsEach = Array.isArray(triggers) && triggers.includes('on_character_entered');
  const tellsOnEnter = !Array.isArray(triggers) || triggers.includes('on_enter_pressed');
  const toValue = (text: string): unknown => (isRich && text !== '' ? toRichTextValue(text) : text);
  const onInput = (event: Event): void => {
    const { value: typed } = event.currentTarget as HTMLInputElement;
    if (tellsEach) handle.change(toValue(typed));
    else handle.keep(toValue(typed));
  };
  const isLong = isRich || element.multiline === true;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || isLong || event.isComposing || handle.isQuiet || !tellsOnEnter) return;
    // The app hears of it. The form is not sent.
    event.preventDefault();
    handle.change(toValue(value));
  };
  const lines = Number(element.min_lines);
  const shared = {
    id: label.id,
    ref: label.focusRef,
    class: 'field-input',
    'aria-label': label.labelId === undefined ? label.words : undefined,
    'aria-describedby': label.describedBy,
    'aria-invalid': label.isInvalid ? 'true' : undefined,
    'aria-required': label.isRequired ? 'true' : undefined,
    placeholder: wordsOf(element.placeholder),
    value,
    onInput,
    onKeyDown,
  };
  const { type, mode } = inputTypes[toText(element.type)] ?? { type: 'text', mode: 'text' };
  const input = isLong
    ? html`<textarea ...${shared} rows=${lines > 0 ? Math.min(lines, 20) : isRich ? 5 : 4}></textarea>`
    : html`<input ...${shared} type=${type} inputmode=${mode} autocomplete="off" />`;
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
