import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ChannelView } from '../../workspace/protocol.ts';
import { nameOf } from '../names.ts';
import type { State } from '../state.ts';
import { usePart, useStore, useWorkspace } from '../use-store.ts';
import { toSections } from './channel-sections.ts';
import { NewChannel } from './new-channel.ts';

const pick = {
  channel: (state: State) => state.channel,
  isHomeOpen: (state: State) => state.isHomeOpen,
};

/** The channels and direct messages, with what is unread. */
export function ChannelList(): VNode {
  const store = useStore();
  const { channels, people, app } = useWorkspace();
  const isHomeOpen = usePart(pick.isHomeOpen);
  const [isMaking, setMaking] = useState(false);
  const { own, direct, others, archived } = toSections(channels);
  return html`<nav class="channels" aria-label="Channels">
    <${Section} title="Channels" channels=${own} />
    <button type="button" class="channel quiet" onClick=${() => setMaking(true)}>
      <span class="sign" aria-hidden="true">+</span> Create a channel
    </button>
    ${isMaking && html`<${NewChannel} onClose=${() => setMaking(false)} />`}
    <${Section} title="Direct messages" channels=${direct} />
    <h2>Apps</h2>
    <button type="button" class="channel" aria-current=${isHomeOpen ? 'page' : undefined} onClick=${() => store.showHome()}>
      <span class="sign" aria-hidden="true">⌂</span> ${nameOf(people, app)}
    </button>
    ${others.length > 0 && html`<${Section} title="To join" channels=${others} />`}
    ${archived.length > 0 && html`<${Section} title="Archived" channels=${archived} />`}
  </nav>`;
}

function Section({ title, channels }: { readonly title: string; readonly channels: readonly ChannelView[] }): VNode {
  return html`<h2>${title}</h2>
    <ul aria-label=${title}>
      ${channels.map(channel => html`<li key=${channel.id}><${Entry} channel=${channel} /></li>`)}
    </ul>`;
}

function Entry({ channel }: { readonly channel: ChannelView }): VNode {
  const store = useStore();
  const isOpen = usePart(pick.channel) === channel.id;
  const { unread, mentions, isMember } = channel;
  const isUnread = isMember && unread > 0;
  return html`<button type="button" class=${isUnread ? 'channel unread' : 'channel'} aria-current=${isOpen ? 'page' : undefined}
    onClick=${() => store.showChannel(channel.id)}>
    <span class="sign" aria-hidden="true">${signOf(channel)}</span>
    <span class="name">${channel.name}</span>
    ${channel.isShared && html`<span class="shared" title="Shared with another company">⇄</span>`}
    ${isUnread && html`<span class=${mentions > 0 ? 'count mentioned' : 'count'}>${mentions || unread}<span class="out-of-sight"> ${mentions > 0 ? 'mentions' : 'unread'}</span></span>`}
  </button>`;
}

/** The sign before a channel's name. */
export function signOf({ kind }: Pick<ChannelView, 'kind'>): string {
  return { public: '#', private: '🔒', direct: '@' }[kind];
}
