import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { filledIn } from '../../../fake-slack/block-kit/fields.ts';
import { type JsonObject, toText } from '../../../fake-slack/protocol/json.ts';
import { useConfirm } from './confirm.ts';
import { useElement } from './element-use.ts';
import type { Labelling } from './labelling.ts';
import { useSurroundings } from './surroundings.ts';
import { fromLocalTime, toLocalTime } from './zoned-time.ts';

const inputTypes: Readonly<Record<string, string>> = {
  datepicker: 'date',
  timepicker: 'time',
  datetimepicker: 'datetime-local',
};

/** A field for a date, a time, or both. A moment is written in the reader's zone. */
export function Picker({ element, label }: { readonly element: JsonObject; readonly label: Labelling }): VNode {
  const handle = useElement(element);
  const { guard, dialog } = useConfirm(element);
  const { workspace } = useSurroundings();
  const zone = workspace.people.find(person => person.id === workspace.me)?.tz ?? 'UTC';
  const type = toText(element.type);
  const value = filledIn(handle.state);
  const isMoment = type === 'datetimepicker';
  const shown = isMoment && typeof value === 'number' ? toLocalTime(value, zone) : toText(value);
  const onChange = (event: Event): void => {
    const { value: typed } = event.currentTarget as HTMLInputElement;
    const next = isMoment ? fromLocalTime(typed, zone) : typed;
    guard(() => handle.change(next));
  };
  const note = isMoment ? zone : type === 'timepicker' ? toText(element.timezone) : '';
  return html`<span class="picker">
    <input id=${label.id} ref=${label.focusRef} class="field-input" type=${inputTypes[type]} value=${shown}
      aria-label=${label.labelId === undefined ? label.words : undefined}
      aria-describedby=${label.describedBy} aria-invalid=${label.isInvalid ? 'true' : undefined}
      aria-required=${label.isRequired ? 'true' : undefined} onChange=${onChange} />
    ${note !== '' && html`<span class="zone">${note}</span>`}${dialog}
  </span>`;
}
