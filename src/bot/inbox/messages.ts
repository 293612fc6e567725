import { z } from 'zod';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Received } from '../dispatch/feature/arrival.ts';
import type { Act, DeliveryBody } from '../dispatch/feature/delivery.ts';
import { eventEnvelope, teamOfEvent } from '../slack/event-envelope.ts';
import type { ReceivedEdit } from './delivery-rows.ts';

/** What is read of a message (docs/slack.md 3: in a shared channel the writer may be of another workspace). */
const Message = z.object({
  user: z.string(),
  bot_id: z.string().nullish(),
  subtype: z.string().nullish(),
  user_team: z.string().nullish(),
  /** The workspace in which it was written, where that is not the writer's own. */
  source_team: z.string().nullish(),
  team: z.string().nullish(),
  ts: z.string(),
  thread_ts: z.string().nullish(),
  text: z.string().nullish(),
  edited: z.object({ ts: z.string() }).nullish(),
});
type Message = z.output<typeof Message>;

const Mention = Message.extend({ type: z.literal('app_mention'), channel: z.string() });
const inDirect = { type: z.literal('message'), channel_type: z.literal('im'), channel: z.string() };
const DirectMessage = Message.extend(inDirect);
const DirectEdit = z.object({
  ...inDirect,
  subtype: z.literal('message_changed'),
  message: Message,
  previous_message: z.object({ text: z.string().nullish() }).nullish(),
});

const Envelope = z.object({
  ...eventEnvelope,
  event: z.union([Mention, DirectEdit, DirectMessage]),
});

/** A message to the bot; with `edit` when its author has edited it. Either of the two is carried out. */
export interface ReceivedMessage {
  readonly message: Received;
  readonly edit?: ReceivedEdit;
}

/** What Slack calls the messages that people write, beside plain ones: with a file, a reply that the channel reads too, and `/me`. */
const written = ['file_share', 'thread_broadcast', 'me_message'];

/**
 * Reads an event: a person's message to the bot, as a mention or in a direct message. Undefined for every other event: messages of
 * bots, joins, deletions, and changes that Slack makes itself, such as previews of links.
 */
export function readMessage(
  body: { readonly [name: string]: unknown },
  dispatcher: Pick<Dispatcher, 'plan'>,
): ReceivedMessage | undefined {
  const { data } = Envelope.safeParse(body);
  const sent = data && toSent(data.event);
  if (!sent || sent.message.bot_id) return undefined;
  const { message, channelId } = sent;
  if (message.subtype && !written.includes(message.subtype)) return undefined;
  const teamId = message.user_team ?? message.team ?? teamOfEvent(data);
  const actor = { teamId, userId: message.user };
  const location = { channelId, threadTs: message.thread_ts ?? '', workspaceId: message.source_team ?? teamId };
  const toReceived = (key: string, act: Act): Received => {
    const delivered: DeliveryBody = { actor, location, act };
    return { key, body: delivered, plan: dispatcher.plan(act) };
  };
  // Slack gives an edit an event_id of its own (docs/slack.md 4), so the message names what the person did.
  const key = `message/${channelId}/${message.ts}`;
  const { edited } = message;
  const text = message.text ?? '';
  const received = toReceived(key, { kind: 'command', root: 'mention', text });
  if (!edited) return { message: received };
  const edit = toReceived(`${key}/edit/${edited.ts}`, { kind: 'edit', text, first: key });
  return { message: received, edit: { ...edit, writtenAt: new Date(Number(message.ts) * 1000) } };
}

interface Sent {
  readonly message: Message;
  readonly channelId: string;
}

function toSent(event: z.output<typeof Envelope>['event']): Sent | undefined {
  if (event.type === 'app_mention') return { message: event, channelId: event.channel };
  if (!('message' in event)) return { message: event, channelId: event.channel };
  const { message, previous_message: previous } = event;
  const isByAuthor = message.edited && message.text !== previous?.text;
  return isByAuthor ? { message, channelId: event.channel } : undefined;
}
