import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { filledIn } from '../../fake-slack/block-kit/fields.ts';
import { type JsonObject, toObjects, toText } from '../../fake-slack/protocol/json.ts';
import { describe } from './buttons.ts';
import { useConfirm } from './confirm.ts';
import { useElement } from './element-use.ts';
import { Text } from './inlines.ts';
import type { Labelling } from './labelling.ts';

/** Checkboxes. The label of the input names the group. */
export function Choices({ element, label }: { readonly element: JsonObject; readonly label: Labelling }): VNode {
  const handle = useElement(element);
  const { guard, dialog } = useConfirm(element);
  const chosen = toObjects(filledIn(handle.state));
  const isChosen = (option: JsonObject): boolean => chosen.some(each => each.value === option.value);
  const options = toObjects(element.options);
  const turn = (option: JsonObject): void =>
    handle.change(options.filter(each => (each === option ? !isChosen(each) : isChosen(each))));
  return html`<div class="choices" role="group" id=${label.id}
    aria-labelledby=${label.labelId} aria-label=${label.labelId === undefined ? label.words : undefined}
    aria-describedby=${label.describedBy}>
    ${options.map(
      option => html`<label class="choice">
        <input type="checkbox" checked=${isChosen(option)}
          aria-invalid=${label.isInvalid ? 'true' : undefined} value=${toText(option.value)}
          onChange=${(event: Event) => {
            (event.currentTarget as HTMLInputElement).checked = isChosen(option);
            guard(() => turn(option));
          }} />
        <span class="choice-text"><${Text} object=${option.text} />${describe(option)}</span>
      </label>`,
    )}${dialog}
  </div>`;
}
