import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import { filledIn } from '../../../fake-slack/block-kit/fields.ts';
import { isJsonObject, type JsonObject, toObjects, toText } from '../../../fake-slack/protocol/json.ts';
import { describe } from './buttons.ts';
import { useConfirm } from './confirm.ts';
import { useElement } from './element-use.ts';
import { Text } from './inlines.ts';
import type { Labelling } from './labelling.ts';

/** Checkboxes and radio buttons. The label of the input names the group. */
export function Choices({ element, label }: { readonly element: JsonObject; readonly label: Labelling }): VNode {
  const handle = useElement(element);
  const { guard, dialog } = useConfirm(element);
  const name = useId();
  const isMany = element.type === 'checkboxes';
  const value = filledIn(handle.state);
  const chosen = isMany ? toObjects(value) : isJsonObject(value) ? [value] : [];
  const isChosen = (option: JsonObject): boolean => chosen.some(each => each.value === option.value);
  const options = toObjects(element.options);
  const choose = (option: JsonObject): void => {
    const isNext = (each: JsonObject): boolean => (each === option ? !isChosen(each) : isChosen(each));
    handle.change(isMany ? options.filter(isNext) : option);
  };
  return html`<div class="choices" role=${isMany ? 'group' : 'radiogroup'} id=${label.id}
    aria-labelledby=${label.labelId} aria-label=${label.labelId === undefined ? label.words : undefined}
    aria-describedby=${label.describedBy}>
    ${options.map(
      (option, index) => html`<label class="choice">
        <input type=${isMany ? 'checkbox' : 'radio'} name=${name} checked=${isChosen(option)}
          ref=${index === 0 ? label.focusRef : undefined}
          aria-invalid=${label.isInvalid ? 'true' : undefined} value=${toText(option.value)}
          onChange=${(event: Event) => {
            (event.currentTarget as HTMLInputElement).checked = isChosen(option);
            guard(() => choose(option));
          }} />
        <span class="choice-text"><${Text} object=${option.text} />${describe(option)}</span>
      </label>`,
    )}${dialog}
  </div>`;
}
