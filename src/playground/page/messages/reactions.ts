import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { MessageView } from '../../workspace/protocol.ts';
import { emojiOf } from '../blocks/emoji.ts';
import { nameOf } from '../names.ts';
import { useDirectory, useStore } from '../use-store.ts';

/** The emoji under a message. A press adds one's own, or takes it back. */
export function Reactions({ message }: { readonly message: MessageView }): VNode | null {
  const store = useStore();
  const { people, me } = useDirectory();
  const { channel, ts, reactions } = message;
  if (reactions.length === 0) return null;
  return html`<div class="reactions">
    ${reactions.map(({ name, users }) => {
      const isOwn = users.includes(me);
      const press = () => store.act({ do: isOwn ? 'unreact' : 'react', channel, ts, emoji: name });
      return html`<button key=${name} type="button" class="reaction" aria-pressed=${String(isOwn)}
        title=${`${users.map(id => nameOf(people, id)).join(', ')} reacted with :${name}:`} onClick=${press}>
        <span aria-hidden="true">${emojiOf(name) ?? `:${name}:`}</span><span class="out-of-sight">${name}</span> ${users.length}
      </button>`;
    })}
  </div>`;
}
