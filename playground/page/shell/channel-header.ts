import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { decodeEntities } from '../../fake-slack/protocol/entities.ts';
import type { ChannelView, MessageView } from '../../workspace/protocol.ts';
import { safeAddress } from '../blocks/address.ts';
import { useConfirm } from '../blocks/confirm.ts';
import { emojiOf } from '../blocks/emoji.ts';
import { toDay, toTime } from '../messages/moments.ts';
import { plainText } from '../messages/plain-text.ts';
import { nameOf, usePart, useStore, useWorkspace } from '../use-store.ts';
import { signOf } from './channel-list.ts';

/** The open channel's name, topic, members and bookmarks. */
export function ChannelHeader(): VNode | null {
  const store = useStore();
  const channel = store.channel(usePart(state => state.channel));
  const [open, setOpen] = useState<'members' | 'pins' | undefined>(undefined);
  if (channel === undefined) return null;
  const { id, kind, isMember, isArchived, topic, members, pins } = channel;
  const toggle = (part: 'members' | 'pins'): void => setOpen(open === part ? undefined : part);
  return html`<header class="channel-header">
    <div class="channel-title">
      <h1>${signOf(channel)}${channel.name}</h1>
      ${isArchived && html`<span class="tag">Archived</span>`}
      ${channel.isShared && html`<span class="tag">Shared with another company</span>`}
      <span class="spring"></span>
      ${
        pins > 0 &&
        html`<button type="button" class="button small" aria-expanded=${String(open === 'pins')} onClick=${() => toggle('pins')}>
          <span aria-hidden="true">📌</span> ${pins} pinned
        </button>`
      }
      ${
        kind !== 'direct' &&
        html`<button type="button" class="button small" aria-expanded=${String(open === 'members')} onClick=${() => toggle('members')}>
          ${members.length} ${members.length === 1 ? 'member' : 'members'}
        </button>`
      }
      ${
        kind !== 'direct' &&
        !isArchived &&
        (isMember
          ? html`<button type="button" class="button small" onClick=${() => store.act({ do: 'leave', channel: id })}>Leave</button>`
          : html`<button type="button" class="button small primary" onClick=${() => store.act({ do: 'join', channel: id })}>Join</button>`)
      }
    </div>
    ${topic !== '' && html`<p class="topic" title=${decodeEntities(topic)}>${decodeEntities(topic)}</p>`}
    ${open === 'pins' && pins > 0 && html`<${Pins} channel=${channel} />`}
    ${open === 'members' && html`<${Members} channel=${channel} />`}
    ${channel.bookmarks.length > 0 && html`<${Bookmarks} channel=${channel} />`}
  </header>`;
}

function Bookmarks({ channel }: { readonly channel: ChannelView }): VNode {
  return html`<ul class="bookmarks" aria-label="Bookmarks">
    ${channel.bookmarks.map(
      each => html`<li key=${each.id}>
        <a href=${safeAddress(each.link)} target="_blank" rel="noopener noreferrer">
          <span aria-hidden="true">${emojiOf(each.emoji.replaceAll(':', '')) ?? '🔗'}</span> ${each.title}
        </a>
      </li>`,
    )}
  </ul>`;
}

/** The question before a channel is archived. */
const archival = {
  confirm: {
    title: { type: 'plain_text', text: 'Archive this channel?' },
    text: { type: 'plain_text', text: 'Nobody can write in it from then on. It can still be read.' },
    confirm: { type: 'plain_text', text: 'Archive' },
    deny: { type: 'plain_text', text: 'Cancel' },
    style: 'danger',
  },
};

function Members({ channel }: { readonly channel: ChannelView }): VNode {
  const store = useStore();
  const { people, me } = useWorkspace();
  const { guard, dialog } = useConfirm(archival);
  const archive = () => guard(() => void store.act({ do: 'archive', channel: channel.id }));
  const absent = people.filter(each => !channel.members.includes(each.id) && !each.isDeactivated);
  const invite = (event: Event): void => {
    if (!(event.currentTarget instanceof HTMLSelectElement) || event.currentTarget.value === '') return;
    void store.act({ do: 'invite', channel: channel.id, person: event.currentTarget.value });
    event.currentTarget.value = '';
  };
  return html`<section class="members" aria-label="Members">
    <ul>
      ${channel.members.map(id => html`<li key=${id}>${nameOf(people, id)}${id === me && ' (you)'}</li>`)}
    </ul>
    ${
      channel.isMember &&
      !channel.isArchived &&
      absent.length > 0 &&
      html`<label>Invite <select onChange=${invite}>
        <option value="">Choose…</option>
        ${absent.map(each => html`<option value=${each.id}>${each.realName}</option>`)}
      </select></label>`
    }
    ${
      channel.isMember &&
      !channel.isArchived &&
      html`<button type="button" class="button small" onClick=${archive}>Archive the channel</button>`
    }
    ${dialog}
  </section>`;
}

/** Characters of a message's words in the list of pins. */
const pinLength = 120;

/** The pinned messages of a channel, the newest first. Each leads to its place. */
function Pins({ channel }: { readonly channel: ChannelView }): VNode {
  const store = useStore();
  const workspace = useWorkspace();
  const { people, me } = workspace;
  const zone = people.find(each => each.id === me)?.tz ?? 'UTC';
  const [pinned, setPinned] = useState<readonly MessageView[] | undefined>(undefined);
  useEffect(() => {
    let isWanted = true;
    void store.findPins(channel.id).then(found => isWanted && setPinned(found));
    return () => {
      isWanted = false;
    };
  }, [store, channel.id, channel.pins]);
  return html`<section class="pins" aria-label="Pinned messages">
    ${pinned === undefined && html`<p class="hint" role="status">Reading…</p>`}
    <ul>
      ${pinned?.map(
        message => html`<li key=${message.ts}>
          <button type="button" class="pin" onClick=${() => store.showMessage(message)}>
            <strong>${nameOf(people, message.author)}</strong>
            <span class="hint"> ${toDay(message.ts, zone)}, ${toTime(message.ts, zone)}</span>
            <span class="pin-words">${plainText(workspace, message.text, pinLength) || 'A message without words'}</span>
          </button>
        </li>`,
      )}
    </ul>
  </section>`;
}
