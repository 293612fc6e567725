import { hash } from 'node:crypto';
import type {
  App,
  BlockAction,
  RespondFn,
  SlackShortcut,
  SlackViewAction,
  SlashCommand,
  ViewOutput,
} from '@slack/bolt';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { isOfSharedMessage } from '../dispatch/answers/shared-message.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Arrival, Received } from '../dispatch/feature/arrival.ts';
import type { DeliveryBody } from '../dispatch/feature/delivery.ts';
import { menuValueOf } from '../dispatch/feature/feature.ts';
import { type FieldValue, toFilled, toFormMetadata, toOffered } from '../dispatch/forms/modal.ts';
import type { Actor } from '../people/person.ts';
import { type ChannelEvent, isRoomTalk, type RoomTalk, toChannelEvent, toRoomTalk } from '../slack/channel-events.ts';
import { isDirectMessage } from '../slack/channel-ids.ts';
import type { Home } from '../slack/clients.ts';
import { isForAnother } from '../slack/event-envelope.ts';
import { Pressed, whyUnknown } from '../slack/payload.ts';
import { toSourceMessage } from '../slack/source-message.ts';
import { toMessage } from '../text/spoken.ts';
import { readHomeOpened } from './home-opened.ts';
import type { Inbox } from './inbox.ts';
import { type ReceivedMessage, readMessage } from './messages.ts';
import { readRoomEvent } from './room-events.ts';

/**
 * Parses every delivery of Slack's and hands it to the inbox, which stores it before it is acknowledged. A form's problems, and
 * words that need no work, ride in the acknowledgement.
 */
export function listen(
  bolt: App,
  dispatcher: Dispatcher,
  inbox: Pick<Inbox, 'isNew' | 'take' | 'takeStored'>,
  deps: { channels: ChannelFollower; home: Home; clock: () => Date; log: Logger },
): void {
  /** Slack does not repeat an acknowledged act. If the acknowledgement cannot be sent, the act is carried out anyway. */
  async function acknowledge(ack: () => Promise<unknown>, taken: Promise<void>): Promise<void> {
    await taken;
    try {
      await ack();
    } catch (err) {
      deps.log.warn({ err }, 'delivery: an acknowledgement could not be sent');
    }
  }

  bolt.command(/^\//, async ({ command, ack, respond }) => {
    const received = toCommand(command, dispatcher);
    const { plan } = received;
    if ('words' in plan) {
      await ack({ response_type: 'ephemeral', ...toMessage(plan.words) });
      deps.log.info({ delivery: received.key, user: command.user_id }, 'delivery: answered at once');
      return;
    }
    if (!inbox.isNew(received.key)) return ack();
    const handles = { triggerId: command.trigger_id, respond: toRespond(respond), replaceable: false };
    await acknowledge(ack, inbox.take({ ...received, handles }));
  });

  bolt.action(/.*/, async ({ action, body, ack, respond }) => {
    if (body.type !== 'block_actions') return ack();
    const pressed = Pressed.parse(action);
    const received = toPress(pressed, body, dispatcher);
    if (!inbox.isNew(received.key)) return ack();
    const handles = {
      triggerId: body.trigger_id,
      respond: body.response_url ? toRespond(respond, received.body.location.threadTs) : undefined,
      replaceable:
        !isOfSharedMessage(pressed.value) &&
        (body.container?.is_ephemeral === true || isDirectMessage(received.body.location.channelId)),
    };
    await acknowledge(ack, inbox.take({ ...received, handles }));
  });

  bolt.view(/.*/, async ({ body, view, ack }) => {
    const received = toForm(view, body, dispatcher);
    const { modal, filled, state } = received.act;
    const problems = dispatcher.problems(modal, filled, state, deps.clock());
    if (problems) return ack({ response_action: 'errors', errors: { ...problems } });
    await acknowledge(ack, inbox.take(received));
  });

  bolt.shortcut(/.*/, async ({ shortcut, ack, respond }) => {
    const received = toShortcut(shortcut, dispatcher);
    if (!inbox.isNew(received.key)) return ack();
    const isMessage = shortcut.type === 'message_action';
    const handles = {
      triggerId: shortcut.trigger_id,
      respond: isMessage ? toRespond(respond, received.body.location.threadTs) : undefined,
      replaceable: false,
    };
    await acknowledge(ack, inbox.take({ ...received, handles }));
  });

  takeEvents(bolt, dispatcher, deps, (ack, { message, edit }) => acknowledge(ack, inbox.takeStored(message, edit)));

  bolt.error(async err => {
    deps.log.error({ err }, 'delivery: could not be taken');
    throw err;
  });
}

/** What follows the events about channels, and what people say in them. */
interface ChannelFollower {
  take(event: ChannelEvent): Promise<void>;
  hear(talk: RoomTalk): void;
}

/**
 * Takes events before Bolt, which acknowledges them before any listener sees them (docs/slack.md 2): an event that is not
 * acknowledged comes again. Payloads that Muster does not know are acknowledged: Bolt would fail on some, and leave others
 * without an answer.
 */
function takeEvents(
  bolt: App,
  dispatcher: Dispatcher,
  { channels, home, log }: { channels: ChannelFollower; home: Home; log: Logger },
  take: (ack: () => Promise<void>, received: ReceivedMessage) => Promise<void>,
): void {
  const processEvent = bolt.processEvent.bind(bolt);
  bolt.processEvent = async event => {
    const { body } = event;
    const why = whyUnknown(body);
    if (why !== undefined) {
      log.warn({ why }, 'delivery: passed over a payload that Muster does not know');
      return event.ack();
    }
    if (body.type !== 'event_callback') return processEvent(event);
    if (isForAnother(body, home)) {
      log.warn('delivery: passed over an event for another installation of the app');
      return event.ack();
    }
    const received = readMessage(body, dispatcher);
    if (received) return take(() => event.ack(), received);
    const heard = readRoomEvent(body, dispatcher) ?? readHomeOpened(body, dispatcher);
    if (heard) return take(() => event.ack(), { message: heard });
    const change = toChannelEvent(body, home);
    if (change) await channels.take(change);
    const isTalk = !change && isRoomTalk(body);
    const talk = isTalk ? toRoomTalk(body) : undefined;
    if (talk) channels.hear(talk);
    if (change || isTalk) await event.ack();
    else await processEvent(event);
  };
}

function toReceived(key: string, body: DeliveryBody, dispatcher: Dispatcher): Received {
  return { key, body, plan: dispatcher.plan(body.act) };
}

function toCommand(command: SlashCommand, dispatcher: Dispatcher): Received {
  const body: DeliveryBody = {
    actor: { teamId: command.team_id, userId: command.user_id },
    location: { channelId: command.channel_id, threadTs: '', workspaceId: command.team_id },
    act: { kind: 'command', root: command.command.slice(1), text: command.text },
  };
  return toReceived(`command/${digest(command.trigger_id)}`, body, dispatcher);
}

function toPress(pressed: z.output<typeof Pressed>, body: BlockAction, dispatcher: Dispatcher): Received {
  const container = body.message?.ts ?? body.view?.id ?? '';
  const act = [container, pressed.action_id, pressed.block_id, pressed.action_ts, body.user.id].join('/');
  const threadTs = toThread(body.message ?? { ...body.container, ts: body.container?.message_ts });
  const home = body.view?.type === 'home' ? body.view : undefined;
  const view = body.view?.type === 'modal' ? body.view : undefined;
  const form = view && toOpenForm(view);
  const { state: _, ...opened } = toFormMetadata(view?.private_metadata ?? '');
  const delivered: DeliveryBody = {
    actor: toActor(body),
    location: {
      channelId: body.channel?.id ?? '',
      threadTs,
      ...workspaceOf(body),
      ...(home ? { tab: 'home' as const } : {}),
      // Where the form was opened, its answer goes.
      ...(form ? opened : {}),
    },
    act: {
      kind: 'press',
      actionId: pressed.action_id,
      value: pressed.value ?? menuValueOf(pressed.block_id),
      picked: pressed.selected_user ?? pressed.selected_option?.value ?? '',
      ...(home ? { home: { shown: home.private_metadata, hash: home.hash } } : {}),
      ...(form ? { form: { ...form, viewId: view.id, hash: view.hash } } : {}),
    },
  };
  return toReceived(`press/${digest(act)}`, delivered, dispatcher);
}

function toForm(view: ViewOutput, body: SlackViewAction, dispatcher: Dispatcher) {
  const { state: _, ...location } = toFormMetadata(view.private_metadata);
  const act = { kind: 'form' as const, ...toOpenForm(view) };
  return { ...toReceived(`form/${digest(view.id)}`, { actor: toActor(body), location, act }, dispatcher), act };
}

/** A form with what its fields hold. */
function toOpenForm({ callback_id: modal, private_metadata, state, blocks }: ViewOutput) {
  const values: Readonly<Record<string, Readonly<Record<string, FieldValue>>>> = state.values;
  return { modal, state: toFormMetadata(private_metadata).state, filled: toFilled(values), offered: toOffered(blocks) };
}

function toShortcut(shortcut: SlackShortcut, dispatcher: Dispatcher): Received {
  const message =
    shortcut.type === 'message_action' ? toSourceMessage(shortcut.channel.id, shortcut.message) : undefined;
  const body: DeliveryBody = {
    actor: toActor(shortcut),
    location: {
      channelId: message?.channelId ?? '',
      threadTs: message?.threadTs ?? '',
      ...workspaceOf(shortcut),
    },
    act: { kind: 'shortcut', id: shortcut.callback_id, message },
  };
  return toReceived(`shortcut/${digest(shortcut.trigger_id)}`, body, dispatcher);
}

/** Who acted, and where, in an interaction. An app of an organisation is told no workspace where there is no channel (docs/slack.md 3). */
interface Acted {
  readonly user: { readonly id: string; readonly team_id?: string };
  readonly team?: { readonly id?: string } | null;
}

function toActor({ user, team }: Acted): Actor {
  return { teamId: user.team_id ?? team?.id ?? '', userId: user.id };
}

/** The workspace in which somebody acted: that of the channel, else their own. */
function workspaceOf({ user, team }: Acted): { readonly workspaceId?: string } {
  const workspaceId = team?.id ?? user.team_id;
  return workspaceId === undefined ? {} : { workspaceId };
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

/** Trigger ids and the like are secrets for a while; a digest names the delivery as well and can be logged and stored. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}
