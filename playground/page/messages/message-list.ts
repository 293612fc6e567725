import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { MessageView } from '../../workspace/protocol.ts';
import type { Pane } from '../panes.ts';
import { useDirectory, usePart, useStore } from '../use-store.ts';
import { Message } from './message.ts';
import { toDate, toDay } from './moments.ts';

const labels: Readonly<Record<Pane, string>> = { channel: 'Message history', thread: 'Replies' };

/** Pixels from an edge at which more messages are fetched, and within which the list counts as being at its end. */
const nearEdge = 400;
const nearEnd = 60;

/** Messages of one person within so many seconds stand together under one name. */
const together = 300;

/** The messages of a pane. It stays at its end while the reader is there, and where the reader is otherwise. */
export function MessageList({ pane }: { readonly pane: Pane }): VNode {
  const store = useStore();
  const window = usePart(state => state.panes[pane].window);
  const target = usePart(state => state.panes[pane].target);
  // Slack counts what is unread by the channel alone.
  const readTs = usePart(state => (pane === 'channel' ? state.readTs : ''));
  const editing = usePart(state => (state.editing?.pane === pane ? state.editing.ts : undefined));
  const { people, me } = useDirectory();
  const zone = people.find(each => each.id === me)?.tz ?? 'UTC';
  const list = useRef<HTMLDivElement>(null);
  const anchor = useRef<Anchor | undefined>(undefined);
  const reached = useRef<typeof target>(undefined);
  const isAtEnd = (): boolean => store.state.panes[pane].isAtEnd;

  const askForMore = (element: HTMLElement): void => {
    // A list that nobody sees has no edges.
    if (element.clientHeight === 0) return;
    if (element.scrollTop < nearEdge) void store.showOlder(pane);
    if (toEnd(element) < nearEdge) void store.showNewer(pane);
  };
  const look = (): void => {
    const element = list.current;
    if (element === null) return;
    store.setAtEnd(pane, toEnd(element) < nearEnd);
    anchor.current = firstInSight(element);
    askForMore(element);
    if (pane === 'channel' && isAtEnd()) store.markRead();
  };
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    if (target !== reached.current) {
      reached.current = target;
      // A list that fits does not scroll, so the place is looked at here too.
      if (target !== undefined && bringIntoSight(element, target.ts)) return look();
    }
    if (isAtEnd() && !window?.hasNewer) element.scrollTop = element.scrollHeight;
    else keepPlace(element, anchor.current);
    // A list that is not full does not scroll.
    askForMore(element);
  }, [window, target]);
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd()) element.scrollTop = element.scrollHeight;
      else keepPlace(element, anchor.current);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const shown = window?.messages ?? [];
  const reader = { zone, readTs, me, isInThread: pane === 'thread', target: target?.ts, editing };
  return html`<div class="scroll messages" ref=${list} onScroll=${look} tabindex="0" role="group" aria-label=${labels[pane]}>
    ${
      pane === 'channel' &&
      window !== undefined &&
      !window.hasOlder &&
      html`<p class="beginning">This is the beginning of the channel.</p>`
    }
    ${shown.flatMap((message, index) => toRows(message, shown[index - 1], reader))}
    ${
      window?.hasNewer &&
      html`<button type="button" class="button newest" onClick=${() => store.showNewest(pane)}>Jump to the newest messages</button>`
    }
  </div>`;
}

/** Who looks, and at what. */
interface Reader {
  readonly zone: string;
  readonly readTs: string;
  readonly me: string;
  readonly isInThread: boolean;
  readonly target: string | undefined;
  /** The message whose words are being changed. */
  readonly editing: string | undefined;
}

/** A message with the lines above it: the day, and where the unread ones begin. */
function toRows(
  message: MessageView,
  above: MessageView | undefined,
  { zone, readTs, me, isInThread, target, editing }: Reader,
): VNode[] {
  const day = toDay(message.ts, zone);
  const isNewDay = above === undefined || toDay(above.ts, zone) !== day;
  const isFirstUnread =
    readTs !== '' && message.ts > readTs && message.author !== me && (above === undefined || above.ts <= readTs);
  return [
    ...(isNewDay ? [html`<h2 class="day" key=${`day ${message.ts}`}><span>${day}</span></h2>`] : []),
    ...(isFirstUnread ? [html`<p class="new-line" key="new"><span>New</span></p>`] : []),
    html`<${Message} key=${message.ts} message=${message} isFollowing=${!isNewDay && follows(message, above)} zone=${zone}
      isInThread=${isInThread} isTarget=${message.ts === target} isEditing=${message.ts === editing} />`,
  ];
}

function follows(message: MessageView, above: MessageView | undefined): boolean {
  if (above === undefined || above.author !== message.author || above.isNotice || message.isNotice) return false;
  if (above.isEphemeral !== message.isEphemeral || above.replies > 0) return false;
  return (toDate(message.ts).getTime() - toDate(above.ts).getTime()) / 1000 < together;
}

/** Pixels below what is in sight. */
function toEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number {
  return scrollHeight - scrollTop - clientHeight;
}

/** A message, and how far below the list's top it stands. */
interface Anchor {
  readonly ts: string;
  readonly top: number;
}

/** The first message whose head is in sight. */
function firstInSight(list: HTMLElement): Anchor | undefined {
  const { top } = list.getBoundingClientRect();
  for (const article of list.querySelectorAll<HTMLElement>('article')) {
    const distance = article.getBoundingClientRect().top - top;
    if (distance >= 0 && article.dataset.ts !== undefined) return { ts: article.dataset.ts, top: distance };
  }
  return undefined;
}

/** Scrolls so that the message stands where it stood. */
function keepPlace(list: HTMLElement, anchor: Anchor | undefined): void {
  const article = anchor && findArticle(list, anchor.ts);
  if (anchor && article) scrollTo(list, article, anchor.top);
}

/** Scrolls so that the message stands in the middle, and focuses it. False when it is not in the list. */
function bringIntoSight(list: HTMLElement, ts: string): boolean {
  const article = findArticle(list, ts);
  if (article === null) return false;
  scrollTo(list, article, Math.max(0, (list.clientHeight - article.offsetHeight) / 2));
  article.focus({ preventScroll: true });
  return true;
}

function findArticle(list: HTMLElement, ts: string): HTMLElement | null {
  return list.querySelector<HTMLElement>(`article[data-ts="${ts}"]`);
}

function scrollTo(list: HTMLElement, article: HTMLElement, top: number): void {
  list.scrollTop += article.getBoundingClientRect().top - list.getBoundingClientRect().top - top;
}
