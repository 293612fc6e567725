import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useId, useState } from 'preact/hooks';
import { isLong } from './fold-length.ts';

/** Folds a long text, with a button that opens it. */
export function Folded(props: {
  readonly words: string;
  readonly isOpen?: boolean;
  readonly children?: ComponentChildren;
}): VNode {
  const [isOpen, setOpen] = useState(props.isOpen === true);
  const id = useId();
  if (props.isOpen === true || !isLong(props.words)) return html`${props.children}`;
  return html`<div class=${isOpen ? 'fold open' : 'fold'} id=${id}>${props.children}</div>
    <button type="button" class="fold-switch" aria-expanded=${String(isOpen)} aria-controls=${id}
      onClick=${() => setOpen(!isOpen)}>${isOpen ? 'See less' : 'See more'}</button>`;
}
