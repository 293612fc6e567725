import type { Channel, FakeSlackBase, Message, Person } from '../fake-slack/fake-slack.ts';
import { type Looking, toMessageView } from './app-face.ts';
import type { MessagePage, PinPage } from './protocol.ts';
import { Refusal } from './refusal.ts';

/** Messages of one page: so few that a browser draws them while it scrolls. */
const pageSize = 30;

/** Where a message is. */
export interface MessagePlace {
  readonly channel: string;
  readonly ts: string;
}

/** A channel that Slack shows a person. */
export function openChannel(slack: FakeSlackBase, person: Person, id: string): Channel {
  const channel = slack.channels.find(each => each.id === id);
  if (channel === undefined || !person.canOpen(channel)) throw new Refusal('You cannot see this channel.');
  return channel;
}

/** A message that Slack shows a person. */
export function readMessage(slack: FakeSlackBase, person: Person, { channel: id, ts }: MessagePlace): Message {
  const message = openChannel(slack, person, id).messages.find(each => each.ts === ts);
  if (message === undefined || !person.canRead(message)) throw new Refusal('This message is no longer there.');
  return message;
}

/** Which messages of a channel or thread: the newest ones before a time, the oldest ones after one, or those around one. */
export interface MessageQuery {
  readonly channel: string;
  readonly threadTs?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly around?: string | undefined;
}

/** Messages of a channel or thread that a person sees, oldest first. */
export function listMessages(looking: Looking, query: MessageQuery): MessagePage {
  const { slack, person } = looking;
  const { before, after, around } = query;
  const channel = openChannel(slack, person, query.channel);
  const all = channel.messages.filter(message => isIn(message, query.threadTs) && person.canRead(message));
  const toFacts = (messages: readonly Message[]) => messages.map(message => toMessageView(looking, channel, message));
  const from =
    after !== undefined ? firstAfter(all, after) : around !== undefined ? halfBefore(all, around) : undefined;
  if (from !== undefined) {
    const messages = toFacts(all.slice(from, from + pageSize));
    return { messages, hasOlder: from > 0, hasNewer: from + pageSize < all.length };
  }
  const older = before === undefined ? all : all.filter(message => message.ts < before);
  return { messages: toFacts(older.slice(-pageSize)), hasOlder: older.length > pageSize };
}

function firstAfter(messages: readonly Message[], ts: string): number {
  const index = messages.findIndex(message => message.ts > ts);
  return index < 0 ? messages.length : index;
}

/** Where a page begins that has the message of a time, or its place, in its middle. */
function halfBefore(messages: readonly Message[], ts: string): number {
  const index = messages.findIndex(message => message.ts >= ts);
  return Math.max(0, (index < 0 ? messages.length : index) - pageSize / 2);
}

/** The pinned messages of a channel that a person sees, the newest first. */
export function listPins(looking: Looking, channelId: string): PinPage {
  const { slack, person } = looking;
  const channel = openChannel(slack, person, channelId);
  const pinned = channel.messages.filter(message => message.pinned && person.canRead(message));
  return { messages: pinned.toReversed().map(message => toMessageView(looking, channel, message)) };
}

/** Whether a message is in the thread, or in the channel outside of threads when none is named. */
function isIn({ ts, threadTs: of, subtype }: Message, threadTs: string | undefined): boolean {
  if (threadTs === undefined) return of === undefined || of === ts || subtype === 'thread_broadcast';
  return of === threadTs || ts === threadTs;
}
