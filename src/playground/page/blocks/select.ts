import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { filledIn } from '../../../fake-slack/block-kit/fields.ts';
import { type JsonObject, toText } from '../../../fake-slack/protocol/json.ts';
import { useConfirm } from './confirm.ts';
import { type ElementHandle, useElement } from './element-use.ts';
import { wordsOf } from './inlines.ts';
import type { Labelling } from './labelling.ts';
import { type Choice, choiceOf, fromOptions, fromWorkspace, matching } from './select-options.ts';
import { SelectPopup } from './select-popup.ts';
import { useSurroundings } from './surroundings.ts';

/** How long the person may type on before an external menu is asked, in milliseconds. */
const typingPauseMs = 200;

/** How many choices a menu shows at once. */
const shownLimit = 100;

/** A select menu of any source, for one choice or several: a combobox that filters as one types. */
export function Select({ element, label }: { readonly element: JsonObject; readonly label: Labelling }): VNode {
  const handle = useElement(element);
  const { guard, dialog } = useConfirm(element);
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(-1);
  const root = useRef<HTMLSpanElement>(null);
  const input = useRef<HTMLInputElement | null>(null);
  const list = useId();
  const offer = useOffer(element, handle, isOpen, typed);
  const isMany = toText(element.type).startsWith('multi_');
  const value = filledIn(handle.state);
  const chosen = (isMany ? (Array.isArray(value) ? value : []) : value === undefined ? [] : [value]).map(each =>
    choiceOf(each, offer.known),
  );
  const choices = matching(offer.choices, offer.isFiltered ? '' : typed).slice(0, shownLimit);
  const isFull = isMany && chosen.length >= (Number(element.max_selected_items) || Number.POSITIVE_INFINITY);

  const close = (): void => {
    setOpen(false);
    setTyped('');
    setAt(-1);
  };
  const put = (next: readonly Choice[]): void => {
    const values = next.map(each => each.value);
    guard(() => handle.change(isMany ? values : values[0]));
  };
  const choose = (choice: Choice): void => {
    const isChosen = chosen.some(each => each.key === choice.key);
    if (!isMany) {
      close();
      if (!isChosen) put([choice]);
    } else if (isChosen) put(chosen.filter(each => each.key !== choice.key));
    else if (!isFull) put([...chosen, choice]);
    setTyped('');
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
    } else if (event.key === 'Backspace' && isMany && typed === '' && chosen.length > 0) put(chosen.slice(0, -1));
  };
  const single = isMany ? undefined : chosen[0];
  const shown = isOpen || single === undefined ? typed : wordsOf(single.text);
  const placeholder = single === undefined ? wordsOf(element.placeholder) || 'Choose an option' : wordsOf(single.text);
  const setInput = (node: HTMLInputElement | null): void => {
    if (node !== null && input.current === null) label.focusRef(node);
    input.current = node;
  };
  return html`<span class=${isMany ? 'select many' : 'select'} ref=${root}
    onFocusOut=${(event: FocusEvent) => !root.current?.contains(event.relatedTarget as Node | null) && close()}>
    ${
      isMany &&
      chosen.map(
        choice => html`<span class="chip">${wordsOf(choice.text)}
          <button type="button" aria-label=${`Remove ${wordsOf(choice.text)}`}
            onClick=${() => put(chosen.filter(each => each.key !== choice.key))}>×</button></span>`,
      )
    }
    <input ref=${setInput} id=${label.id} class="field-input" role="combobox" type="text" autocomplete="off"
      aria-autocomplete="list" aria-expanded=${String(isOpen)} aria-controls=${isOpen ? list : undefined}
      aria-activedescendant=${isOpen && choices[at] !== undefined ? `${list}-${at}` : undefined}
      aria-label=${label.labelId === undefined ? label.words : undefined}
      aria-describedby=${label.describedBy} aria-invalid=${label.isInvalid ? 'true' : undefined}
      aria-required=${label.isRequired ? 'true' : undefined}
      placeholder=${isMany && chosen.length > 0 ? '' : placeholder} value=${shown}
      onClick=${() => setOpen(true)}
      onInput=${(event: Event) => {
        setTyped((event.currentTarget as HTMLInputElement).value);
        setOpen(true);
        setAt(-1);
      }}
      onKeyDown=${onKeyDown} />
    ${
      single !== undefined &&
      !label.isRequired &&
      label.labelId !== undefined &&
      html`<button type="button" class="clear" aria-label=${`Clear ${single.text}`} onClick=${() => put([])}>×</button>`
    }
    ${isOpen && html`<${SelectPopup} id=${list} choices=${choices} chosen=${chosen} at=${at} isMany=${isMany} note=${offer.note} onChoose=${choose} />`}
    ${dialog}
  </span>`;
}

interface Offer {
  readonly choices: readonly Choice[];
  /** Every choice that was seen, to name what is chosen. */
  readonly known: readonly Choice[];
  /** Whether the app has filtered the choices by what is typed. */
  readonly isFiltered: boolean;
  /** Why there are no choices. */
  readonly note: string;
}

/** What the app answered. */
interface Answer {
  /** The words that it answered to; absent before the first answer. */
  readonly typed: string | undefined;
  readonly choices: readonly Choice[];
  readonly note: string;
}

/** What a menu offers: its own options, the workspace's, or the app's for what is typed. */
function useOffer(element: JsonObject, handle: ElementHandle, isOpen: boolean, typed: string): Offer {
  const { workspace, findOptions } = useSurroundings();
  const isExternal = toText(element.type).endsWith('external_select');
  const [answer, setAnswer] = useState<Answer>({ typed: undefined, choices: [], note: '' });
  const fewest = Number(element.min_query_length ?? 3);
  const isTooShort = typed.length < fewest;
  useEffect(() => {
    if (!isExternal || !isOpen || isTooShort) return undefined;
    let isStale = false;
    const ask = async (): Promise<void> => {
      const query = { place: handle.place, blockId: handle.blockId, actionId: handle.actionId, typed };
      const found = await findOptions(query).then(
        page => ({ choices: fromAnswer(page.options), note: 'No results' }),
        () => ({ choices: [], note: 'The app did not answer. Type again to retry.' }),
      );
      if (!isStale) setAnswer({ typed, ...found });
    };
    const timer = setTimeout(() => void ask(), typingPauseMs);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [isExternal, isOpen, isTooShort, typed]);
  if (!isExternal) {
    const isStatic = toText(element.type).endsWith('static_select');
    const choices = isStatic ? fromOptions(element) : fromWorkspace(element, workspace);
    return { choices, known: choices, isFiltered: false, note: 'No results' };
  }
  if (isTooShort) {
    const note = `Type ${fewest === 1 ? 'a character' : `${fewest} characters`} to search.`;
    return { choices: [], known: answer.choices, isFiltered: true, note };
  }
  // Enter must not choose from the answer to other words.
  const isAnswered = answer.typed === typed;
  return {
    choices: isAnswered ? answer.choices : [],
    known: answer.choices,
    isFiltered: true,
    note: isAnswered ? answer.note : 'Searching…',
  };
}

/** An answer may hold options and groups of them. */
function fromAnswer(options: readonly JsonObject[]): Choice[] {
  return options.flatMap(each =>
    Array.isArray(each.options) ? fromOptions({ option_groups: [each] }) : fromOptions({ options: [each] }),
  );
}
