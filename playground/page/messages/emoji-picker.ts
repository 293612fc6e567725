import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { allEmoji } from '../blocks/emoji.ts';

/** Those that people use in incidents, shown before anything is typed. */
const usual = ['memo', 'pushpin', 'white_check_mark', 'eyes', 'loudspeaker', '+1', 'fire', 'rotating_light', 'tada'];

/** How many emoji the picker shows. */
const most = 63;

/** Picks an emoji by name. */
export function EmojiPicker(props: { readonly onPick: (name: string) => void; readonly onClose: () => void }): VNode {
  const [typed, setTyped] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const found = useMemo(() => find(typed), [typed]);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    props.onClose();
  };
  return html`<div class="emoji-picker" role="dialog" aria-label="Pick an emoji" onKeyDown=${onKey}>
    <input ref=${field} class="field-input" type="search" aria-label="Search emoji" value=${typed}
      onInput=${() => setTyped(field.current?.value ?? '')} />
    <div class="emoji-grid">
      ${found.map(
        ([
          name,
          emoji,
        ]) => html`<button key=${name} type="button" class="icon-button" title=${`:${name}:`} aria-label=${name}
          onClick=${() => props.onPick(name)}>${emoji}</button>`,
      )}
    </div>
    ${found.length === 0 && html`<p class="hint">No emoji has this name.</p>`}
  </div>`;
}

function find(typed: string): readonly (readonly [name: string, emoji: string])[] {
  const wanted = typed.trim().toLowerCase().replaceAll(':', '').replaceAll(' ', '_');
  const all = allEmoji();
  if (wanted === '') return usual.flatMap(name => all.filter(each => each[0] === name));
  const hits = all.filter(([name]) => name.includes(wanted));
  return hits
    .toSorted(([one], [other]) => Number(!one.startsWith(wanted)) - Number(!other.startsWith(wanted)))
    .slice(0, most);
}
