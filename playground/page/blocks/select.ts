import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { filledIn } from '../../fake-slack/block-kit/fields.ts';
import type { JsonObject } from '../../fake-slack/protocol/json.ts';
import { useConfirm } from './confirm.ts';
import { useElement } from './element-use.ts';
import { wordsOf } from './inlines.ts';
import type { Labelling } from './labelling.ts';
import { type Choice, choiceOf, fromOptions, fromPeople, matching } from './select-options.ts';
import { useSurroundings } from './surroundings.ts';

/** How many choices a menu shows at once. */
const shownLimit = 100;

/** A select menu of options or of people: a combobox that filters as one types. */
export function Select({ element, label }: { readonly element: JsonObject; readonly label: Labelling }): VNode {
  const handle = useElement(element);
  const { guard, dialog } = useConfirm(element);
  const { workspace } = useSurroundings();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(-1);
  const root = useRef<HTMLSpanElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const offered = element.type === 'users_select' ? fromPeople(workspace) : fromOptions(element);
  const value = filledIn(handle.state);
  const chosen = value === undefined ? undefined : choiceOf(value, offered);
  const choices = matching(offered, typed).slice(0, shownLimit);

  const close = (): void => {
    setOpen(false);
    setTyped('');
    setAt(-1);
  };
  const choose = (choice: Choice): void => {
    close();
    if (choice.key !== chosen?.key) guard(() => handle.change(choice.value));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setOpen(true);
      if (isOpen && choices.length > 0) setAt((at + step + choices.length) % choices.length);
      else setAt(step > 0 ? 0 : choices.length - 1);
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      const choice = choices[at] ?? (typed === '' ? undefined : choices[0]);
      if (choice !== undefined) choose(choice);
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  const name = chosen === undefined ? '' : wordsOf(chosen.text);
  return html`<span class="select" ref=${root}
    onFocusOut=${(event: FocusEvent) => !root.current?.contains(event.relatedTarget as Node | null) && close()}>
    <input ref=${input} id=${label.id} class="field-input" role="combobox" type="text" autocomplete="off"
      aria-autocomplete="list" aria-expanded=${String(isOpen)} aria-controls=${isOpen ? list : undefined}
      aria-activedescendant=${isOpen && choices[at] !== undefined ? `${list}-${at}` : undefined}
      aria-label=${label.labelId === undefined ? label.words : undefined}
      aria-describedby=${label.describedBy} aria-invalid=${label.isInvalid ? 'true' : undefined}
      aria-required=${label.isRequired ? 'true' : undefined}
      placeholder=${name || wordsOf(element.placeholder) || 'Choose an option'} value=${isOpen ? typed : name}
      onClick=${() => setOpen(true)}
      onInput=${(event: Event) => {
        setTyped((event.currentTarget as HTMLInputElement).value);
        setOpen(true);
        setAt(-1);
      }}
      onKeyDown=${onKeyDown} />
    ${
      chosen !== undefined &&
      !label.isRequired &&
      label.labelId !== undefined &&
      html`<button type="button" class="clear" aria-label=${`Clear ${name}`} onClick=${() => guard(() => handle.change(undefined))}>×</button>`
    }
    ${isOpen && html`<${SelectPopup} id=${list} choices=${choices} chosen=${chosen} at=${at} onChoose=${choose} />`}
    ${dialog}
  </span>`;
}

/** The list under a combobox, in groups where it has some. */
function SelectPopup(props: {
  readonly id: string;
  readonly choices: readonly Choice[];
  readonly chosen: Choice | undefined;
  /** The choice that the keyboard stands at. */
  readonly at: number;
  readonly onChoose: (choice: Choice) => void;
}): VNode {
  const { id, choices, chosen, at, onChoose } = props;
  const box = useRef<HTMLDivElement>(null);
  // Before the paint: what is pointed at stays under the pointer.
  useLayoutEffect(() => {
    box.current?.querySelector('.at')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  useLayoutEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), []);
  const toOption = (choice: Choice, index: number): VNode => {
    return html`<div role="option" id=${`${id}-${index}`} class=${index === at ? 'popup-item at' : 'popup-item'}
      aria-selected=${String(choice.key === chosen?.key)}
      onMouseDown=${(event: Event) => event.preventDefault()} onClick=${() => onChoose(choice)}>
      <span>${wordsOf(choice.text)}</span>
      ${choice.description !== '' && html`<span class="option-description">${wordsOf(choice.description)}</span>`}
    </div>`;
  };
  const numbered = choices.map((choice, index) => ({ choice, index }));
  const groups = [...Map.groupBy(numbered, each => each.choice.group)];
  return html`<div class="popup listbox" ref=${box}>
    ${choices.length === 0 && html`<div class="popup-note" role="status">No results</div>`}
    <div role="listbox" id=${id} aria-label="Options">
      ${groups.map(([group, members], number) => {
        const options = members.map(({ choice, index }) => toOption(choice, index));
        if (group === '') return options;
        return html`<div role="group" aria-labelledby=${`${id}-group-${number}`}>
          <div class="popup-group" role="presentation" id=${`${id}-group-${number}`}>${group}</div>${options}
        </div>`;
      })}
    </div>
  </div>`;
}
