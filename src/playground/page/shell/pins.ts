import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ChannelView, MessageView } from '../../workspace/protocol.ts';
import { toDay, toTime } from '../messages/moments.ts';
import { plainText } from '../messages/plain-text.ts';
import { nameOf } from '../names.ts';
import { useStore, useWorkspace } from '../use-store.ts';

/** Characters of a message's words in the list. */
const most = 120;

/** The pinned messages of a channel, the newest first. Each leads to its place. */
export function Pins({ channel }: { readonly channel: ChannelView }): VNode {
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
            <span class="pin-words">${plainText(workspace, message.text).slice(0, most) || 'A message without words'}</span>
          </button>
        </li>`,
      )}
    </ul>
  </section>`;
}
