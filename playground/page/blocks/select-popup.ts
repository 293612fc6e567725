import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { wordsOf } from './inlines.ts';
import type { Choice } from './select-options.ts';

/** The list under a combobox, in groups where it has some. */
export function SelectPopup(props: {
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
