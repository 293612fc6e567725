import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isJsonObject, type JsonObject } from '../../fake-slack/protocol/json.ts';
import { Text, wordsOf } from './inlines.ts';

/** Asks with Slack's confirmation dialog. `onYes` and `onNo` are called once each. */
function ConfirmDialog(props: {
  readonly confirm: JsonObject;
  readonly onYes: () => void;
  readonly onNo: () => void;
}): VNode {
  const { confirm, onYes, onNo } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const yes = confirm.style === 'danger' ? 'button danger solid' : 'button primary';
  return html`<dialog ref=${dialog} class="confirm" aria-labelledby=${title} onClose=${onNo}>
    <h2 id=${title}>${wordsOf(confirm.title) || 'Are you sure?'}</h2>
    <p><${Text} object=${confirm.text} /></p>
    <div class="confirm-buttons">
      <button type="button" class="button" onClick=${() => dialog.current?.close()}>${wordsOf(confirm.deny) || 'No'}</button>
      <button type="button" class=${yes} onClick=${onYes}>${wordsOf(confirm.confirm) || 'Yes'}</button>
    </div>
  </dialog>`;
}

/**
 * Guards an element that may ask before it acts. `guard` runs what it is given, after a confirmation where the element wants
 * one; `dialog` is to be shown.
 */
export function useConfirm(element: JsonObject): {
  readonly guard: (act: () => void) => void;
  readonly dialog: VNode | null;
} {
  const [waiting, setWaiting] = useState<{ readonly act: () => void } | undefined>(undefined);
  const { confirm } = element;
  if (!isJsonObject(confirm)) return { guard: act => act(), dialog: null };
  const end = (): void => setWaiting(undefined);
  const yes = (): void => {
    end();
    waiting?.act();
  };
  const dialog = waiting === undefined ? null : html`<${ConfirmDialog} confirm=${confirm} onYes=${yes} onNo=${end} />`;
  return { guard: act => setWaiting({ act }), dialog };
}
