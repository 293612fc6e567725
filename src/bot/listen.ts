import { hash } from 'node:crypto';
import type { App, RespondFn } from '@slack/bolt';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Arrival } from './arrival.ts';
import type { Words } from './blocks.ts';
import type { Frame } from './frame.ts';
import type { Draft } from './memory/drafts.ts';
import { type FieldValue, type Luggage, toFilled } from './modal.ts';
import { createSeenLately } from './replay-guard.ts';
import { toSourceMessage } from './source-message.ts';

/** What is being done after it was acknowledged. */
export interface WorkInFlight {
  idle(): Promise<void>;
}

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

/**
 * Hands every delivery to the frame. Each is acknowledged first, but for a form's problems and for words that need no work,
 * which ride in the acknowledgement; a delivery that was seen lately is acknowledged and dropped.
 */
export function listen(bolt: App, frame: Frame, deps: { clock: () => Date; log: Logger }): WorkInFlight {
  const seen = createSeenLately();
  const inFlight = new Set<Promise<void>>();

  /** Goes on after the acknowledgement; whatever the frame itself could not answer is in the log. */
  function goOn(arrival: Arrival, work: () => Promise<void>): void {
    const began = performance.now();
    const running = work()
      .then(() => arrival.log.info({ ms: Math.round(performance.now() - began) }, 'done'))
      .catch(error => arrival.log.error({ err: error }, 'a delivery failed, and so did the answer about it'))
      .finally(() => inFlight.delete(running));
    inFlight.add(running);
  }

  function toArrival(facts: Omit<Arrival, 'now' | 'log' | 'replaceable' | 'draft'> & Partial<Arrival>): Arrival {
    const log = deps.log.child({ delivery: facts.key, user: facts.actor.userId, channel: facts.place.channelId });
    return { now: deps.clock(), replaceable: false, draft: undefined, ...facts, log };
  }

  const isNew = (key: string) => seen.isNew(key, deps.clock());

  /** An acknowledgement that does not arrive is Slack's to notice: what the person did is carried out all the same. */
  async function acknowledge(ack: () => Promise<unknown>): Promise<void> {
    try {
      await ack();
    } catch (error) {
      deps.log.warn({ err: error }, 'an acknowledgement could not be sent');
    }
  }

  bolt.command(/^\//, async ({ command, ack, respond }) => {
    const key = `command/${digest(command.trigger_id)}`;
    if (!isNew(key)) return ack();
    const root = command.command.slice(1);
    const plan = frame.command(root, command.text);
    if ('words' in plan) {
      await ack({ response_type: 'ephemeral', ...toMessage(plan.words) });
      deps.log.info({ delivery: key, user: command.user_id }, 'answered at once');
      return;
    }
    await acknowledge(ack);
    const arrival = toArrival({
      actor: { teamId: command.team_id, userId: command.user_id },
      place: { channelId: command.channel_id, threadTs: '' },
      key,
      triggerId: command.trigger_id,
      respond: toRespond(respond),
      draft: { kind: 'command', root, text: command.text },
    });
    goOn(arrival, () => plan.run(arrival));
  });

  bolt.action(/.*/, async ({ action, body, ack, respond }) => {
    await acknowledge(ack);
    const pressed = Pressed.parse(action);
    if (body.type !== 'block_actions') return;
    const container = body.message?.ts ?? body.view?.id ?? '';
    const key = `press/${digest([container, pressed.action_id, pressed.block_id, pressed.action_ts, body.user.id].join('/'))}`;
    if (!isNew(key)) return;
    const threadTs = toThread(body.message ?? { ...body.container, ts: body.container?.message_ts });
    const arrival = toArrival({
      actor: { teamId: body.user.team_id ?? body.team?.id ?? '', userId: body.user.id },
      place: { channelId: body.channel?.id ?? '', threadTs },
      key,
      triggerId: body.trigger_id,
      respond: body.response_url ? toRespond(respond, threadTs) : undefined,
      replaceable: body.container?.is_ephemeral === true,
    });
    const menuValue = pressed.block_id.slice(pressed.block_id.indexOf('|') + 1);
    const picked = pressed.selected_user ?? pressed.selected_option?.value ?? '';
    goOn(arrival, () => frame.press(pressed.action_id, pressed.value ?? menuValue, picked, arrival));
  });

  bolt.view(/.*/, async ({ body, view, ack }) => {
    const now = deps.clock();
    const luggage = toLuggage(view.private_metadata);
    const values: Readonly<Record<string, Readonly<Record<string, FieldValue>>>> = view.state.values;
    const filled = toFilled(values);
    const modalId = view.callback_id;
    const problems = frame.problems(modalId, filled, luggage.state, now);
    if (problems) return ack({ response_action: 'errors', errors: { ...problems } });
    await acknowledge(ack);
    const draft: Draft = { kind: 'form', modal: modalId, state: luggage.state, filled };
    const arrival = toArrival({
      actor: { teamId: body.user.team_id ?? body.team?.id ?? '', userId: body.user.id },
      place: { channelId: luggage.channelId, threadTs: luggage.threadTs },
      key: `form/${digest(view.id)}`,
      triggerId: '',
      respond: undefined,
      draft,
      now,
    });
    goOn(arrival, () => frame.submit(modalId, filled, luggage.state, arrival));
  });

  bolt.shortcut(/.*/, async ({ shortcut, ack, respond }) => {
    await acknowledge(ack);
    const key = `shortcut/${digest(shortcut.trigger_id)}`;
    if (!isNew(key)) return;
    const isMessage = shortcut.type === 'message_action';
    const message = isMessage ? toSourceMessage(shortcut.channel.id, shortcut.message) : undefined;
    const teamId = 'team_id' in shortcut.user ? shortcut.user.team_id : undefined;
    const arrival = toArrival({
      actor: { teamId: teamId ?? shortcut.team?.id ?? '', userId: shortcut.user.id },
      place: { channelId: message?.channelId ?? '', threadTs: message?.threadTs ?? '' },
      key,
      triggerId: shortcut.trigger_id,
      respond: isMessage ? toRespond(respond, message?.threadTs) : undefined,
      draft: message && { kind: 'message', shortcut: shortcut.callback_id, message },
    });
    goOn(arrival, () => frame.shortcut(shortcut.callback_id, message, arrival));
  });

  bolt.event('app_mention', async ({ event, body, context }) => {
    const key = `event/${body.event_id}`;
    if (!event.user || event.bot_id || !isNew(key)) return;
    const plan = frame.command('mention', event.text);
    const arrival = toArrival({
      // The writer's own workspace, which in a shared channel is not the one that the event is sent to.
      actor: { teamId: event.user_team ?? event.team ?? context.teamId ?? body.team_id, userId: event.user },
      place: { channelId: event.channel, threadTs: event.thread_ts ?? '' },
      key,
      triggerId: '',
      respond: undefined,
      draft: { kind: 'command', root: 'mention', text: event.text },
    });
    goOn(arrival, () => ('words' in plan ? frame.say(plan.words, arrival) : plan.run(arrival)));
  });

  bolt.error(async error => {
    deps.log.error({ err: error }, 'a delivery could not be taken');
    throw error;
  });

  return {
    idle: async () => {
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
  };
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
