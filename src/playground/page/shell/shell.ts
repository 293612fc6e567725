import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { writeAddress } from '../address.ts';
import { Beside } from '../beside/beside.ts';
import { type Surroundings, SurroundingsContext } from '../blocks/surroundings.ts';
import { Composer } from '../compose/composer.ts';
import { MessageList } from '../messages/message-list.ts';
import { Thread } from '../messages/thread.ts';
import type { State } from '../state.ts';
import { Tour } from '../tour/tour.ts';
import { usePart, useStore } from '../use-store.ts';
import { Announcer } from './announcer.ts';
import { ChannelHeader } from './channel-header.ts';
import { ChannelList } from './channel-list.ts';
import { Home } from './home.ts';
import { Modal } from './modal.ts';
import { Notices } from './notices.ts';
import { TopBar } from './top-bar.ts';
import { useChannelKeys } from './use-channel-keys.ts';

const pick = {
  workspace: (state: State) => state.workspace,
  directory: (state: State) => state.directory,
  channel: (state: State) => state.channel,
  thread: (state: State) => state.thread,
  isHomeOpen: (state: State) => state.isHomeOpen,
};

/** The whole client of one person, once the server has said what they see. */
export function Shell(): VNode {
  const store = useStore();
  const workspace = usePart(pick.workspace);
  const directory = usePart(pick.directory);
  const channel = usePart(pick.channel);
  const thread = usePart(pick.thread);
  const isHomeOpen = usePart(pick.isHomeOpen);
  const [isListOpen, setListOpen] = useState(false);
  const [isBesideOpen, setBesideOpen] = useState(() => window.innerWidth > 1100);
  useChannelKeys(store);
  // Before the paint: the list that a person opens at once stays open, and a page that is loaded anew finds its address.
  useLayoutEffect(() => setListOpen(false), [channel, isHomeOpen]);
  useLayoutEffect(() => {
    if (workspace === undefined) return;
    const as = workspace.people.find(each => each.id === workspace.me)?.name;
    const name = store.channel(channel)?.name;
    document.title = `${name ? `${store.channel(channel)?.kind === 'direct' ? '' : '#'}${name} – ` : ''}${as} – Muster playground`;
    history.replaceState(null, '', `/${writeAddress({ as, channel, thread })}`);
  }, [workspace?.me, channel, thread]);
  const surroundings = useMemo<Surroundings | undefined>(
    () =>
      directory && {
        workspace: directory,
        act: act => store.act(act),
        showChannel: id => void store.showChannel(id),
      },
    [store, directory],
  );
  if (surroundings === undefined) return html`<p class="waiting" role="status">Opening the workspace…</p>`;
  const columns = [
    'shell',
    isBesideOpen && 'with-beside',
    thread !== undefined && 'with-thread',
    isListOpen && 'with-list',
  ];
  return html`<${SurroundingsContext.Provider} value=${surroundings}>
    <a class="skip" href="#messages">Skip to the messages</a>
    <div class=${columns.filter(Boolean).join(' ')}>
      <${TopBar} isListOpen=${isListOpen} onList=${() => setListOpen(!isListOpen)}
        isBesideOpen=${isBesideOpen} onBeside=${() => setBesideOpen(!isBesideOpen)} />
      <${ChannelList} />
      <main class="main" id="messages" tabindex="-1" aria-label="Messages">
        ${
          isHomeOpen
            ? html`<${Home} />`
            : html`<${ChannelHeader} key=${`header ${channel}`} /><${MessageList} key=${channel} pane="channel" /><${Notices} />
              <${Composer} key=${`composer ${channel}`} channel=${channel} id="composer" />`
        }
      </main>
      ${thread !== undefined && html`<${Thread} key=${thread} threadTs=${thread} />`}
      ${isBesideOpen && html`<${Beside} onClose=${() => setBesideOpen(false)} />`}
    </div>
    <${Modal} />
    <${Announcer} />
    <${Tour} />
  </${SurroundingsContext.Provider}>`;
}
