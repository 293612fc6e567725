import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { MessageFacts } from '../../workspace/protocol.ts';
import type { State } from '../state.ts';
import { useDirectory, usePart, useStore } from '../use-store.ts';
import { Message } from './message.ts';
import { toDate, toDay } from './moments.ts';

const pick = {
  messages: (state: State) => state.messages,
  readTs: (state: State) => state.readTs,
};

/** Pixels from an edge at which more messages are fetched, and within which the list counts as being at its end. */
const nearEdge = 400;
const nearEnd = 60;

/** Messages of one person within so many seconds stand together under one name. */
const together = 300;

/** The messages of the open channel. It stays at its end while the reader is there, and where the reader is otherwise. */
export function MessageList(): VNode {
  const store = useStore();
  const messages = usePart(pick.messages);
  const readTs = usePart(pick.readTs);
  const { people, me } = useDirectory();
  const zone = people.find(each => each.id === me)?.tz ?? 'UTC';
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const anchor = useRef<{ readonly ts: string; readonly top: number } | undefined>(undefined);

  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    if (isAtEnd.current && !messages?.hasNewer) element.scrollTop = element.scrollHeight;
    else keepPlace(element, anchor.current);
  }, [messages]);
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const onScroll = (): void => {
    const element = list.current;
    if (element === null) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    isAtEnd.current = below < nearEnd;
    store.setAtEnd(isAtEnd.current);
    anchor.current = firstInSight(element);
    if (element.scrollTop < nearEdge) void store.showOlder();
    if (below < nearEdge) void store.showNewer();
    if (isAtEnd.current) store.markRead();
  };
  const shown = messages?.messages ?? [];
  return html`<div class="scroll messages" ref=${list} onScroll=${onScroll} tabindex="0" role="group" aria-label="Message history">
    ${messages !== undefined && !messages.hasOlder && html`<p class="beginning">This is the beginning of the channel.</p>`}
    ${shown.flatMap((message, index) => toRows(message, shown[index - 1], { zone, readTs, me }))}
    ${
      messages?.hasNewer &&
      html`<button type="button" class="button newest" onClick=${() => {
        isAtEnd.current = true;
        void store.showNewest();
      }}>Jump to the newest messages</button>`
    }
  </div>`;
}

/** A message with the lines above it: the day, and where the unread ones begin. */
function toRows(
  message: MessageFacts,
  above: MessageFacts | undefined,
  { zone, readTs, me }: { readonly zone: string; readonly readTs: string; readonly me: string },
): VNode[] {
  const day = toDay(message.ts, zone);
  const isNewDay = above === undefined || toDay(above.ts, zone) !== day;
  const isFirstUnread =
    readTs !== '' && message.ts > readTs && message.author !== me && (above === undefined || above.ts <= readTs);
  return [
    ...(isNewDay ? [html`<h2 class="day" key=${`day ${message.ts}`}><span>${day}</span></h2>`] : []),
    ...(isFirstUnread ? [html`<p class="new-line" key="new"><span>New</span></p>`] : []),
    html`<${Message} key=${message.ts} message=${message} isFollowing=${!isNewDay && follows(message, above)} zone=${zone} />`,
  ];
}

function follows(message: MessageFacts, above: MessageFacts | undefined): boolean {
  if (above === undefined || above.author !== message.author || above.isNotice || message.isNotice) return false;
  if (above.isEphemeral !== message.isEphemeral || above.replies > 0) return false;
  return (toDate(message.ts).getTime() - toDate(above.ts).getTime()) / 1000 < together;
}

/** The first message whose head is in sight, and how far below the list's top it stands. */
function firstInSight(list: HTMLElement): { readonly ts: string; readonly top: number } | undefined {
  const { top } = list.getBoundingClientRect();
  for (const article of list.querySelectorAll<HTMLElement>('article')) {
    const distance = article.getBoundingClientRect().top - top;
    if (distance >= 0 && article.dataset.ts !== undefined) return { ts: article.dataset.ts, top: distance };
  }
  return undefined;
}

/** Scrolls so that the message stands where it stood. */
function keepPlace(list: HTMLElement, anchor: { readonly ts: string; readonly top: number } | undefined): void {
  const article = anchor && list.querySelector<HTMLElement>(`article[data-ts="${anchor.ts}"]`);
  if (!anchor || !article) return;
  list.scrollTop += article.getBoundingClientRect().top - list.getBoundingClientRect().top - anchor.top;
}
