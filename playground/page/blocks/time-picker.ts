import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { filledIn } from '../../fake-slack/block-kit/fields.ts';
import type { JsonObject } from '../../fake-slack/protocol/json.ts';
import { useConfirm } from './confirm.ts';
import { useElement } from './element-use.ts';
import type { Labelling } from './labelling.ts';
import { useSurroundings } from './surroundings.ts';
import { fromLocalTime, toLocalTime } from './zoned-time.ts';

/** A field for a moment, which is written in the reader's zone. */
export function TimePicker({ element, label }: { readonly element: JsonObject; readonly label: Labelling }): VNode {
  const handle = useElement(element);
  const { guard, dialog } = useConfirm(element);
  const { workspace } = useSurroundings();
  const zone = workspace.people.find(person => person.id === workspace.me)?.tz ?? 'UTC';
  const value = filledIn(handle.state);
  const onChange = (event: Event): void => {
    const next = fromLocalTime((event.currentTarget as HTMLInputElement).value, zone);
    guard(() => handle.change(next));
  };
  return html`<span class="picker">
    <input id=${label.id} class="field-input" type="datetime-local"
      value=${typeof value === 'number' ? toLocalTime(value, zone) : ''}
      aria-label=${label.labelId === undefined ? label.words : undefined}
      aria-describedby=${label.describedBy} aria-invalid=${label.isInvalid ? 'true' : undefined}
      aria-required=${label.isRequired ? 'true' : undefined} onChange=${onChange} />
    <span class="zone">${zone}</span>${dialog}
  </span>`;
}
