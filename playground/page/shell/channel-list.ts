import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ChannelView } from '../../workspace/protocol.ts';
import { nameOf, usePart, useStore, useWorkspace } from '../use-store.ts';
import { toSections } from './channel-sections.ts';

/** The channels and direct messages, with what is unread. */
export function ChannelList(): VNode {
  const store = useStore();
  const { channels, people, app } = useWorkspace();
  const isHomeOpen = usePart(state => state.isHomeOpen);
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
  const isOpen = usePart(state => state.channel) === channel.id;
  const { unread, mentions, isMember } = channel;
  // What stands before the reader's eyes is read.
  const isUnread = isMember && !isOpen && unread > 0;
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

/** Slack's rule for names of channels. */
const pattern = '[a-z0-9_\\-]{1,80}';

/** Asks for the name of a new channel, and creates it. */
function NewChannel({ onClose }: { readonly onClose: () => void }): VNode {
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
      <div class="modal-head"><h2>Create a channel</h2></div>
      <div class="modal-body">
        <label class="label" for="new-channel">Name</label>
        <input id="new-channel" class="field-input" name="name" required pattern=${pattern} maxlength="80" autocomplete="off"
          title="Small letters, digits, hyphens and underscores" />
        <label class="choice"><input type="checkbox" name="private" /> Private: only people who are invited see it</label>
        <div role="alert">${problem}</div>
      </div>
      <div class="modal-foot">
        <button type="button" class="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="button primary">Create</button>
      </div>
    </form>
  </dialog>`;
}
