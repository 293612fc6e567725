import { z } from 'zod';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Received } from '../dispatch/feature/arrival.ts';
import type { Act } from '../dispatch/feature/delivery.ts';
import { eventEnvelope, teamOfEvent } from '../slack/event-envelope.ts';
import { toEmojiName } from '../slack/read-message.ts';

const reacted = {
  user: z.string(),
  reaction: z.string(),
  item: z.object({ type: z.literal('message'), channel: z.string(), ts: z.string() }),
  event_ts: z.string(),
};
const Added = z.object({ type: z.literal('reaction_added'), ...reacted });
const Removed = z.object({ type: z.literal('reaction_removed'), ...reacted });

const Said = z.object({
  ts: z.string(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  subtype: z.string().nullish(),
  text: z.string().nullish(),
  edited: z.object({ user: z.string().nullish(), ts: z.string() }).nullish(),
});
const inRoom = { type: z.literal('message'), channel_type: z.enum(['channel', 'group']), channel: z.string() };
const Changed = z.object({
  ...inRoom,
  subtype: z.literal('message_changed'),
  message: Said,
  previous_message: Said.partial().nullish(),
  event_ts: z.string(),
});
const Deleted = z.object({
  ...inRoom,
  subtype: z.literal('message_deleted'),
  deleted_ts: z.string(),
  event_ts: z.string(),
});

const Envelope = z.object({
  ...eventEnvelope,
  event: z.union([Added, Removed, Changed, Deleted]),
});
type RoomEvent = z.output<typeof Envelope>['event'];

/** What happened, where, by whom (`""`: Slack does not say). */
interface Happened {
  readonly channelId: string;
  readonly userId: string;
  readonly at: string;
  readonly act: Extract<Act, { kind: 'reaction' | 'change' }>;
}

/**
 * Reads an event about a message in a channel: a reaction that means something, a person's own edit of its words, or its deletion.
 * Undefined for every other event: other emoji, the bot's own marks, previews of links, and bots' edits of their own messages.
 */
export function readRoomEvent(
  body: { readonly [name: string]: unknown },
  dispatcher: Pick<Dispatcher, 'plan' | 'isMeant'>,
): Received | undefined {
  const { data } = Envelope.safeParse(body);
  const happened = data && toHappened(data.event);
  if (!happened) return undefined;
  const { channelId, userId, at, act } = happened;
  if (act.kind === 'reaction' && !dispatcher.isMeant(act.emoji, userId)) return undefined;
  const teamId = teamOfEvent(data);
  // Slack gives a repeated event the same time; another reaction of the same person has another one.
  const what = act.kind === 'reaction' ? `${act.emoji}/${act.isAdded ? 'added' : 'removed'}` : act.how;
  const key = `${act.kind}/${channelId}/${act.ts}/${userId}/${what}/${at}`;
  const location = { channelId, threadTs: '' };
  return { key, body: { actor: { teamId, userId }, location, act }, plan: dispatcher.plan(act) };
}

function toHappened(event: RoomEvent): Happened | undefined {
  if (event.type !== 'message') {
    const { user: userId, item, event_ts: at } = event;
    const isAdded = event.type === 'reaction_added';
    const act = { kind: 'reaction' as const, emoji: toEmojiName(event.reaction), isAdded, ts: item.ts };
    return { channelId: item.channel, userId, at, act };
  }
  const { channel: channelId } = event;
  if (event.subtype === 'message_deleted') return toDeletion(channelId, event.deleted_ts, event.event_ts);
  const { message, previous_message: previous } = event;
  // A message with replies leaves a stone in its place (docs/slack.md 4).
  if (message.subtype === 'tombstone') return toDeletion(channelId, message.ts, event.event_ts);
  const isByAuthor = message.edited && message.user && !message.bot_id && message.edited.user === message.user;
  if (!isByAuthor || !message.edited || message.text === previous?.text) return undefined;
  const act = { kind: 'change' as const, how: 'edited' as const, ts: message.ts };
  return { channelId, userId: message.user ?? '', at: message.edited.ts, act };
}

function toDeletion(channelId: string, ts: string, at: string): Happened {
  return { channelId, userId: '', at, act: { kind: 'change', how: 'deleted', ts } };
}
