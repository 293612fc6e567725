import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { Composer } from '../compose/composer.ts';
import { usePart, useStore } from '../use-store.ts';
import { MessageList } from './message-list.ts';

/** The thread of a message, beside the channel, with a composer of its own. */
export function Thread({ threadTs }: { readonly threadTs: string }): VNode {
  const store = useStore();
  const channel = usePart(state => state.channel);
  return html`<aside class="thread" aria-label="Thread">
    <header class="channel-header"><div class="channel-title">
      <h2>Thread</h2><span class="hint">${store.channel(channel)?.name}</span><span class="spring"></span>
      <button type="button" class="icon-button" onClick=${() => store.closeThread()}>
        <span aria-hidden="true">✕</span><span class="out-of-sight">Close the thread</span>
      </button>
    </div></header>
    <${MessageList} pane="thread" />
    <${Composer} channel=${channel} threadTs=${threadTs} id="thread-composer" />
  </aside>`;
}
