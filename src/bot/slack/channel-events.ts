import { z } from 'zod';
import { type Home, isHome } from './clients.ts';

/** What is known of a channel (docs/slack.md 8). */
export interface ChannelRecord {
  readonly name: string;
  readonly isPrivate: boolean;
  /** Another organisation is in it, or is invited. */
  readonly isShared: boolean;
  readonly isArchived: boolean;
  readonly isDeleted: boolean;
}

/** What an event says about a channel. `at` is in epoch milliseconds. */
export type ChannelEvent =
  | { readonly channelId: string; readonly at: number; readonly change: Partial<ChannelRecord> }
  | {
      readonly channelId: string;
      readonly at: number;
      readonly userId: string;
      readonly isMember: boolean;
      /** They joined on their own: nobody invited them. */
      readonly isOwn?: true;
    }
  /** Muster itself was taken out of it; `by` is the Slack id of who did that, `""` where Slack does not say. */
  | { readonly channelId: string; readonly at: number; readonly leftBy: string }
  /** It has another id now. */
  | { readonly channelId: string; readonly at: number; readonly newId: string };

const Body = z.object({
  type: z.literal('event_callback'),
  event_time: z.number().nullish(),
  event: z.object({
    type: z.string(),
    subtype: z.string().nullish(),
    channel: z.union([z.string(), z.object({ id: z.string(), name: z.string().nullish() })]),
    user: z.string().nullish(),
    actor_id: z.string().nullish(),
    inviter: z.string().nullish(),
    is_ext_shared: z.boolean().nullish(),
    connected_team_id: z.string().nullish(),
    event_ts: z.string().nullish(),
  }),
});

const IdChange = z.object({
  type: z.literal('event_callback'),
  event_time: z.number().nullish(),
  event: z.object({ type: z.literal('channel_id_changed'), old_channel_id: z.string(), new_channel_id: z.string() }),
});

/** A person wrote in a channel. */
export interface RoomTalk {
  readonly channelId: string;
  readonly userId: string;
  /** As Slack encodes it. */
  readonly text: string;
}

const Written = z.object({
  type: z.literal('event_callback'),
  event: z.object({
    type: z.literal('message'),
    channel_type: z.enum(['channel', 'group']),
    channel: z.string(),
    user: z.string(),
    text: z.string().nullish(),
    bot_id: z.null().optional(),
    subtype: z.enum(['file_share', 'thread_broadcast', 'me_message']).nullish(),
  }),
});

const AnyTalk = z.object({
  type: z.literal('event_callback'),
  event: z.union([
    z.object({ type: z.literal('message'), channel_type: z.enum(['channel', 'group']) }),
    z.object({ type: z.enum(['reaction_added', 'reaction_removed']) }),
  ]),
});

/** The part of an event that is about a channel itself; undefined for everything else. A conversion comes as a message. */
export function toChannelEvent(body: unknown, home: Home): ChannelEvent | undefined {
  const { data: moved } = IdChange.safeParse(body);
  if (moved) {
    const { old_channel_id: channelId, new_channel_id: newId } = moved.event;
    return { channelId, at: (moved.event_time ?? 0) * 1000, newId };
  }
  const { data } = Body.safeParse(body);
  if (!data) return undefined;
  const { event } = data;
  const channelId = typeof event.channel === 'string' ? event.channel : event.channel.id;
  const at = Math.floor(Number(event.event_ts ?? data.event_time ?? 0) * 1000);
  if (event.type === 'member_joined_channel' || event.type === 'member_left_channel') {
    const isMember = event.type === 'member_joined_channel';
    const own = isMember && !event.inviter ? { isOwn: true as const } : {};
    return event.user ? { channelId, at, userId: event.user, isMember, ...own } : undefined;
  }
  // Slack tells nobody's leaving to an app that has left itself: it has these events of its own.
  if (event.type === 'channel_left' || event.type === 'group_left')
    return { channelId, at, leftBy: event.actor_id ?? '' };
  const name = typeof event.channel === 'string' ? undefined : (event.channel.name ?? undefined);
  // Between workspaces of one organisation nobody else reads it. Slack is asked who does.
  if (event.type === 'channel_shared' && isHome(home, event.connected_team_id ?? ''))
    return { channelId, at, change: {} };
  const change = toChange(event.type === 'message' ? (event.subtype ?? '') : event.type, name, event.is_ext_shared);
  return change && { channelId, at, change };
}

/** Whether an event is a message in a channel, or a reaction: the bot hears all of them for the few that mean something. */
export function isRoomTalk(body: unknown): boolean {
  return AnyTalk.safeParse(body).success;
}

/** What a person wrote in a channel; undefined for every other talk: reactions, edits, and messages of bots and of Slack itself. */
export function toRoomTalk(body: unknown): RoomTalk | undefined {
  const { data } = Written.safeParse(body);
  return data && { channelId: data.event.channel, userId: data.event.user, text: data.event.text ?? '' };
}

function toChange(type: string, name: string | undefined, isShared: boolean | null | undefined) {
  switch (type) {
    case 'channel_archive':
    case 'group_archive':
      return { isArchived: true };
    case 'channel_unarchive':
    case 'group_unarchive':
      return { isArchived: false };
    case 'channel_deleted':
    case 'group_deleted':
      return { isDeleted: true };
    case 'channel_rename':
    case 'group_rename':
      return name === undefined ? {} : { name };
    case 'channel_shared':
      return { isShared: true };
    case 'channel_unshared':
      return { isShared: isShared === true };
    case 'channel_convert_to_private':
      return { isPrivate: true };
    // Slack is asked whether it is: this alone opens nothing.
    case 'channel_convert_to_public':
      return {};
    default:
      return undefined;
  }
}
