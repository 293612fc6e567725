import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useStore } from '../use-store.ts';

/** Slack's rule for names of channels. */
const pattern = '[a-z0-9_\\-]{1,80}';

/** Asks for the name of a new channel, and creates it. */
export function NewChannel({ onClose }: { readonly onClose: () => void }): VNode {
  const store = useStore();
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const data = new FormData(event.currentTarget);
    const answer = await store.createChannel(String(data.get('name')), data.has('private'));
    if (answer.problem === undefined) onClose();
    else setProblem(answer.problem);
  };
  return html`<dialog class="modal" ref=${dialog} aria-label="Create a channel" onClose=${onClose}>
    <form onSubmit=${submit}>
      <header class="modal-head"><h2>Create a channel</h2></header>
      <div class="modal-body">
        <label class="label" for="new-channel">Name</label>
        <input id="new-channel" class="field-input" name="name" required pattern=${pattern} maxlength="80" autocomplete="off"
          title="Small letters, digits, hyphens and underscores" />
        <label class="choice"><input type="checkbox" name="private" /> Private: only people who are invited see it</label>
        <div role="alert">${problem}</div>
      </div>
      <footer class="modal-foot">
        <button type="button" class="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="button primary">Create</button>
      </footer>
    </form>
  </dialog>`;
}
