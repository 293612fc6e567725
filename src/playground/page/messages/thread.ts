import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Composer } from '../compose/composer.ts';
import type { State } from '../state.ts';
import { useDirectory, usePart, useStore } from '../use-store.ts';
import { Message } from './message.ts';

const pick = {
  channel: (state: State) => state.channel,
  messages: (state: State) => state.threadMessages,
};

/** The thread of a message, beside the channel, with a composer of its own. */
export function Thread({ threadTs }: { readonly threadTs: string }): VNode {
  const store = useStore();
  const channel = usePart(pick.channel);
  const window = usePart(pick.messages);
  const { people, me } = useDirectory();
  const zone = people.find(each => each.id === me)?.tz ?? 'UTC';
  const list = useRef<HTMLDivElement>(null);
  const count = window?.messages.length ?? 0;
  useLayoutEffect(() => {
    if (list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, [count]);
  return html`<aside class="thread" aria-label="Thread">
    <header class="channel-header"><div class="channel-title">
      <h2>Thread</h2><span class="hint">${store.channel(channel)?.name}</span><span class="spring"></span>
      <button type="button" class="icon-button" onClick=${() => store.closeThread()}>
        <span aria-hidden="true">✕</span><span class="out-of-sight">Close the thread</span>
      </button>
    </div></header>
    <div class="scroll messages" ref=${list} tabindex="0" role="group" aria-label="Replies">
      ${window?.messages.map(
        message =>
          html`<${Message} key=${message.ts} message=${message} isFollowing=${false} zone=${zone} isInThread=${true} />`,
      )}
    </div>
    <${Composer} channel=${channel} threadTs=${threadTs} id="thread-composer" />
  </aside>`;
}
