import { hash } from 'node:crypto';
import type { App, RespondFn } from '@slack/bolt';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Arrival } from '../dispatch/arrival.ts';
import type { Delivered } from '../dispatch/delivery.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import { type FieldValue, type Luggage, toFilled } from '../dispatch/modal.ts';
import { toSourceMessage } from '../slack/source-message.ts';
import type { Words } from '../text/blocks.ts';
import type { Inbox } from './inbox.ts';

const Luggaged = z.object({ state: z.unknown(), channelId: z.string(), threadTs: z.string() });

/** Everything a press may carry, whatever was pressed. */
const Pressed = z.object({
  action_id: z.string(),
  block_id: z.string(),
  action_ts: z.string(),
  value: z.string().optional(),
  selected_user: z.string().nullish(),
  selected_option: z.object({ value: z.string() }).nullish(),
});

/** A mention of the bot, as far as it is read (docs/slack.md 3: in a shared channel the writer may be of another workspace). */
const Mention = z.object({
  type: z.literal('event_callback'),
  event_id: z.string(),
  team_id: z.string(),
  authorizations: z.array(z.object({ team_id: z.string().nullish() })).nullish(),
  event: z.object({
    type: z.literal('app_mention'),
    user: z.string(),
    bot_id: z.string().nullish(),
    user_team: z.string().nullish(),
    team: z.string().nullish(),
    channel: z.string(),
    thread_ts: z.string().nullish(),
    text: z.string(),
  }),
});

/**
 * Hands every delivery to the inbox, which stores it, and acknowledges it then; a form's problems, and words that need no
 * work, ride in the acknowledgement.
 */
export function listen(
  bolt: App,
  dispatcher: Dispatcher,
  inbox: Inbox,
  deps: { clock: () => Date; log: Logger },
): void {
  /**
   * Acknowledges what is taken: Slack delivers none of it again, so it is stored before. An acknowledgement that does not
   * arrive is Slack's to notice: what the person did is carried out all the same.
   */
  async function acknowledge(ack: () => Promise<unknown>, taken: Promise<void>): Promise<void> {
    await taken;
    try {
      await ack();
    } catch (error) {
      deps.log.warn({ err: error }, 'an acknowledgement could not be sent');
    }
  }

  bolt.command(/^\//, async ({ command, ack, respond }) => {
    const key = `command/${digest(command.trigger_id)}`;
    if (!inbox.isNew(key)) return ack();
    const root = command.command.slice(1);
    const plan = dispatcher.command(root, command.text);
    if ('words' in plan) {
      await ack({ response_type: 'ephemeral', ...toMessage(plan.words) });
      deps.log.info({ delivery: key, user: command.user_id }, 'answered at once');
      return;
    }
    const delivered: Delivered = {
      actor: { teamId: command.team_id, userId: command.user_id },
      place: { channelId: command.channel_id, threadTs: '' },
      act: { kind: 'command', root, text: command.text },
    };
    const means = { triggerId: command.trigger_id, respond: toRespond(respond), replaceable: false };
    await acknowledge(ack, inbox.take(key, delivered, means));
  });

  bolt.action(/.*/, async ({ action, body, ack, respond }) => {
    if (body.type !== 'block_actions') return ack();
    const pressed = Pressed.parse(action);
    const container = body.message?.ts ?? body.view?.id ?? '';
    const key = `press/${digest([container, pressed.action_id, pressed.block_id, pressed.action_ts, body.user.id].join('/'))}`;
    if (!inbox.isNew(key)) return ack();
    const threadTs = toThread(body.message ?? { ...body.container, ts: body.container?.message_ts });
    const menuValue = pressed.block_id.slice(pressed.block_id.indexOf('|') + 1);
    const delivered: Delivered = {
      actor: { teamId: body.user.team_id ?? body.team?.id ?? '', userId: body.user.id },
      place: { channelId: body.channel?.id ?? '', threadTs },
      act: {
        kind: 'press',
        actionId: pressed.action_id,
        value: pressed.value ?? menuValue,
        picked: pressed.selected_user ?? pressed.selected_option?.value ?? '',
      },
    };
    const means = {
      triggerId: body.trigger_id,
      respond: body.response_url ? toRespond(respond, threadTs) : undefined,
      replaceable: body.container?.is_ephemeral === true,
    };
    await acknowledge(ack, inbox.take(key, delivered, means));
  });

  bolt.view(/.*/, async ({ body, view, ack }) => {
    const now = deps.clock();
    const luggage = toLuggage(view.private_metadata);
    const values: Readonly<Record<string, Readonly<Record<string, FieldValue>>>> = view.state.values;
    const filled = toFilled(values);
    const modal = view.callback_id;
    const problems = dispatcher.problems(modal, filled, luggage.state, now);
    if (problems) return ack({ response_action: 'errors', errors: { ...problems } });
    const delivered: Delivered = {
      actor: { teamId: body.user.team_id ?? body.team?.id ?? '', userId: body.user.id },
      place: { channelId: luggage.channelId, threadTs: luggage.threadTs },
      act: { kind: 'form', modal, state: luggage.state, filled },
    };
    await acknowledge(ack, inbox.takeForm(`form/${digest(view.id)}`, delivered, now));
  });

  bolt.shortcut(/.*/, async ({ shortcut, ack, respond }) => {
    const key = `shortcut/${digest(shortcut.trigger_id)}`;
    if (!inbox.isNew(key)) return ack();
    const isMessage = shortcut.type === 'message_action';
    const message = isMessage ? toSourceMessage(shortcut.channel.id, shortcut.message) : undefined;
    const teamId = 'team_id' in shortcut.user ? shortcut.user.team_id : undefined;
    const delivered: Delivered = {
      actor: { teamId: teamId ?? shortcut.team?.id ?? '', userId: shortcut.user.id },
      place: { channelId: message?.channelId ?? '', threadTs: message?.threadTs ?? '' },
      act: { kind: 'shortcut', id: shortcut.callback_id, message },
    };
    const means = {
      triggerId: shortcut.trigger_id,
      respond: isMessage ? toRespond(respond, message?.threadTs) : undefined,
      replaceable: false,
    };
    await acknowledge(ack, inbox.take(key, delivered, means));
  });

  // Bolt acknowledges an event before any listener sees it (docs/slack.md 2), so a mention is taken before Bolt does.
  const processEvent = bolt.processEvent.bind(bolt);
  bolt.processEvent = async received => {
    const data = toMention(received.body);
    if (!data) return processEvent(received);
    const { event, authorizations } = data;
    const taken = inbox.takeStored(`event/${data.event_id}`, {
      actor: {
        teamId: event.user_team ?? event.team ?? authorizations?.[0]?.team_id ?? data.team_id,
        userId: event.user,
      },
      place: { channelId: event.channel, threadTs: event.thread_ts ?? '' },
      act: { kind: 'command', root: 'mention', text: event.text },
    });
    await acknowledge(() => received.ack(), taken);
  };

  bolt.error(async error => {
    deps.log.error({ err: error }, 'a delivery could not be taken');
    throw error;
  });
}

/** Undefined for everything else, and for what a bot wrote, which is nobody's wish. */
function toMention(body: { readonly [name: string]: unknown }): z.output<typeof Mention> | undefined {
  if (body.type !== 'event_callback') return undefined;
  const { data } = Mention.safeParse(body);
  return data?.event.bot_id ? undefined : data;
}

function toMessage(words: Words) {
  return { text: words.text, ...(words.blocks ? { blocks: [...words.blocks] } : {}) };
}

/** Answers where it was asked: in the thread, when it was one. */
function toRespond(respond: RespondFn, threadTs = ''): NonNullable<Arrival['respond']> {
  return async (words, how) => {
    await respond({
      response_type: 'ephemeral',
      replace_original: how === 'replace',
      unfurl_links: false,
      unfurl_media: false,
      ...(threadTs !== '' && how === 'add' ? { thread_ts: threadTs } : {}),
      ...toMessage(words),
    });
  };
}

/** The thread a message is a reply in; `""` for one that merely has replies, whose thread is its own. */
function toThread(message: { readonly [name: string]: unknown }): string {
  const { thread_ts: thread, ts } = message;
  return typeof thread === 'string' && thread !== ts ? thread : '';
}

/** What an open form carries; nothing that a form knows when it is from another version. */
function toLuggage(metadata: string): Luggage {
  try {
    return Luggaged.parse(JSON.parse(metadata));
  } catch {
    return { state: undefined, channelId: '', threadTs: '' };
  }
}

/** Trigger ids and the like are secrets for a while; a digest names the delivery as well and can be logged and stored. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}
