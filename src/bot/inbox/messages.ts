import { z } from 'zod';
import type { Received } from '../dispatch/arrival.ts';
import type { Act, DeliveryBody } from '../dispatch/delivery.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { ReceivedEdit } from './new-delivery.ts';

/** A mention of the bot, as far as it is read (docs/slack.md 3: in a shared channel the writer may be of another workspace). */
const Mention = z.object({
  type: z.literal('event_callback'),
  team_id: z.string(),
  authorizations: z.array(z.object({ team_id: z.string().nullish() })).nullish(),
  event: z.object({
    type: z.literal('app_mention'),
    user: z.string(),
    bot_id: z.string().nullish(),
    user_team: z.string().nullish(),
    team: z.string().nullish(),
    channel: z.string(),
    ts: z.string(),
    thread_ts: z.string().nullish(),
    text: z.string(),
    edited: z.object({ ts: z.string() }).nullish(),
  }),
});

/** A message to the bot; with `edit` when its author has edited it. Either of the two is carried out. */
export interface ReceivedMessage {
  readonly message: Received;
  readonly edit?: ReceivedEdit;
}

/** Reads an event: a person's message to the bot, or undefined for every other event and for messages of bots. */
export function readMessage(
  body: { readonly [name: string]: unknown },
  dispatcher: Pick<Dispatcher, 'plan'>,
): ReceivedMessage | undefined {
  if (body.type !== 'event_callback') return undefined;
  const { data } = Mention.safeParse(body);
  if (!data || data.event.bot_id) return undefined;
  const { event, authorizations, team_id } = data;
  const actor = {
    teamId: event.user_team ?? event.team ?? authorizations?.[0]?.team_id ?? team_id,
    userId: event.user,
  };
  const location = { channelId: event.channel, threadTs: event.thread_ts ?? '' };
  const toReceived = (key: string, act: Act): Received => {
    const delivered: DeliveryBody = { actor, location, act };
    return { key, body: delivered, plan: dispatcher.plan(act) };
  };
  // Slack gives an edit an event_id of its own (docs/slack.md 4), so the message names what the person did.
  const key = `message/${event.channel}/${event.ts}`;
  const { text, edited } = event;
  const message = toReceived(key, { kind: 'command', root: 'mention', text });
  if (!edited) return { message };
  const edit = toReceived(`${key}/edit/${edited.ts}`, { kind: 'edit', text, first: key });
  return { message, edit: { ...edit, writtenAt: new Date(Number(event.ts) * 1000) } };
}
