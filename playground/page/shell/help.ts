import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const keys: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['Enter'], 'send'],
  [['Shift', 'Enter'], 'begin a new line'],
  [['↑'], 'in an empty field: edit your last message'],
  [['Tab'], 'take a suggestion'],
  [['Alt', '↑'], 'the channel above'],
  [['Alt', '↓'], 'the channel below'],
  [['Esc'], 'close a form or the thread'],
  [['?'], 'this help; Ctrl + / while you type'],
];

/** What the keys do, and where to find what Muster understands. */
export function Help({ onClose }: { readonly onClose: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return html`<dialog class="modal" ref=${dialog} aria-labelledby="help-title" onClose=${onClose}>
    <div class="modal-head"><h2 id="help-title">Help</h2></div>
    <div class="modal-body">
      <p>Type <code>/incident help</code> in a channel to read what Muster can do there.</p>
      <dl class="keys">
        ${keys.map(([names, does]) => html`<div key=${does}><dt>${names.map((name, at) => html`${at > 0 && ' + '}<kbd>${name}</kbd>`)}</dt><dd>${does}</dd></div>`)}
      </dl>
    </div>
    <div class="modal-foot"><button type="button" class="button" onClick=${() => dialog.current?.close()}>Close</button></div>
  </dialog>`;
}
