import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { writeAddress } from '../address.ts';
import { Beside } from '../beside/beside.ts';
import { type Surroundings, SurroundingsContext } from '../blocks/surroundings.ts';
import { ViewContent } from '../blocks/view-content.ts';
import { Composer } from '../compose/composer.ts';
import { MessageList } from '../messages/message-list.ts';
import { plainText } from '../messages/plain-text.ts';
import { Thread } from '../messages/thread.ts';
import type { Store } from '../store.ts';
import { Tour } from '../tour/tour.ts';
import { nameOf, usePart, useStore, useWorkspace } from '../use-store.ts';
import { ChannelHeader } from './channel-header.ts';
import { ChannelList } from './channel-list.ts';
import { stepFrom } from './channel-sections.ts';
import { Help } from './help.ts';
import { Modal } from './modal.ts';
import { TopBar } from './top-bar.ts';

/** The whole client of one person, once the server has said what they see. */
export function Shell(): VNode {
  const store = useStore();
  const workspace = usePart(state => state.workspace);
  const directory = usePart(state => state.directory);
  const channel = usePart(state => state.channel);
  const thread = usePart(state => state.thread);
  const isHomeOpen = usePart(state => state.isHomeOpen);
  const [isListOpen, setListOpen] = useState(false);
  const [isBesideOpen, setBesideOpen] = useState(() => window.innerWidth > 1100);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeys(store, () => setHelpOpen(true));
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
        isBesideOpen=${isBesideOpen} onBeside=${() => (isCovered() ? store.closeThread() : setBesideOpen(!isBesideOpen))} onHelp=${() => setHelpOpen(true)} />
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
    ${isHelpOpen && html`<${Help} onClose=${() => setHelpOpen(false)} />`}
    <${Announcer} />
    <${Tour} />
  </${SurroundingsContext.Provider}>`;
}

/** Whether a thread stands where the panel is open (style/shell.css). Who asks for the panel then wants to see it. */
function isCovered(): boolean {
  return document.querySelector('.beside')?.getClientRects().length === 0;
}

/** Alt with an arrow goes to the channel above or below in the list, Escape closes the thread, a question mark opens the help. */
function useKeys(store: Store, openHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented) return;
      if (event.key === 'Escape' && store.state.thread !== undefined) store.closeThread();
      if (event.ctrlKey || event.metaKey ? event.key === '/' : event.key === '?' && !isTyping(event.target)) {
        event.preventDefault();
        openHelp();
      }
      const step = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key];
      if (!event.altKey || step === undefined) return;
      event.preventDefault();
      const { workspace, channel } = store.state;
      const next = stepFrom(workspace?.channels ?? [], channel, step);
      if (next !== undefined) void store.showChannel(next.id);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [store]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
}

/** The app's home tab. */
function Home(): VNode {
  const { home, people, app } = useWorkspace();
  return html`<header class="channel-header"><div class="channel-title"><h1>${nameOf(people, app)}</h1><span class="tag">Home</span></div></header>
    <div class="scroll home">
      ${
        home === undefined
          ? html`<p class="waiting">The app has published no home tab. Its commands work in every channel.</p>`
          : html`<${ViewContent} key=${home.id} view=${home} formId="home" />`
      }
    </div>`;
}

/** Says why the last act had no effect, and that the workspace is not kept. */
function Notices(): VNode {
  const store = useStore();
  const problem = usePart(state => state.problem);
  const trouble = usePart(state => state.system?.troubles.workspace);
  return html`<div role="alert">
    ${trouble !== undefined && html`<p class="failure">${trouble}</p>`}
    ${
      problem !== undefined &&
      html`<div class="failure">
        <span>${problem}</span>
        <button type="button" class="icon-button" onClick=${() => store.forgetProblem()}>
          <span aria-hidden="true">✕</span><span class="out-of-sight">Close</span>
        </button>
      </div>`
    }
  </div>`;
}

/** Reads new messages of the open channel to people who cannot see them. */
function Announcer(): VNode {
  const workspace = useWorkspace();
  const newest = usePart(({ panes }) => {
    const { window } = panes.channel;
    return window?.hasNewer ? undefined : window?.messages.at(-1);
  });
  const channel = usePart(state => state.channel);
  const [known, setKnown] = useState({ channel, ts: newest?.ts });
  const [words, setWords] = useState('');
  useEffect(() => {
    if (newest === undefined || newest.ts === known.ts) return;
    if (known.channel === channel && known.ts !== undefined && newest.author !== workspace.me) {
      setWords(`${nameOf(workspace.people, newest.author)}: ${plainText(workspace, newest.text, 300)}`);
    }
    // Words about another channel, or of a server that was started anew, are of no use any more.
    else if (known.channel !== channel) setWords('');
    setKnown({ channel, ts: newest.ts });
  }, [newest?.ts, channel]);
  return html`<div class="out-of-sight" aria-live="polite">${words}</div>`;
}
