import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MessageView } from '../../workspace/protocol.ts';
import { toTyped } from '../compose/typed.ts';
import { useDirectory, useStore } from '../use-store.ts';

/** Changes the words of one's own message. Enter saves them, Escape leaves them. */
export function EditForm({ message, onEnd }: { readonly message: MessageView; readonly onEnd: () => void }): VNode {
  const store = useStore();
  const workspace = useDirectory();
  const [text, setText] = useState(() => toTyped(message.text, workspace));
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const save = async (): Promise<void> => {
    if (text.trim() === '') return;
    const answer = await store.act({ do: 'edit', channel: message.channel, ts: message.ts, text });
    if (answer.problem === undefined) onEnd();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onEnd();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void save();
    }
  };
  return html`<div class="edit-form">
    <textarea ref=${field} class="field-input" aria-label="Edit the message" rows="3" value=${text}
      onInput=${() => setText(field.current?.value ?? '')} onKeyDown=${onKey}></textarea>
    <button type="button" class="button small" onClick=${onEnd}>Cancel</button>
    <button type="button" class="button small primary" onClick=${save}>Save</button>
  </div>`;
}
