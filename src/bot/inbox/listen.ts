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
import { z } from 'zod';
import { isOfSharedMessage } from '../dispatch/answers/shared-message.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import { type Act, type Delivery, noReply, type Reply } from '../dispatch/feature/delivery.ts';
import { menuValueOf } from '../dispatch/feature/feature.ts';
import { type FieldValue, toFilled, toFormMetadata, toOffered } from '../dispatch/forms/modal.ts';
import type { Actor } from '../people/person.ts';
import { answerOpenly } from '../slack/answer.ts';
import { type ChannelEvent, isRoomTalk, type RoomTalk, toChannelEvent, toRoomTalk } from '../slack/channel-events.ts';
import { isDirectMessage } from '../slack/channel-ids.ts';
import { type Home, refusalLevel, type Slack, slackReason } from '../slack/clients.ts';
import { eventEnvelope, isForAnother, teamOfEvent } from '../slack/event-envelope.ts';
import { Pressed, whyUnknown } from '../slack/http-receiver.ts';
import { toEmojiName } from '../slack/read-message.ts';
import { toSourceMessage } from '../slack/source-message.ts';
import { sentence } from '../text/blocks.ts';
import { toMessage } from '../text/spoken.ts';
import type { EditedMessage } from './delivery-store.ts';
import type { Inbox } from './inbox.ts';

/**
 * Parses every delivery of Slack's and hands it to the inbox, which stores it before it is acknowledged. A form's problems, and
 * words that need no work, ride in the acknowledgement.
 */
export function listen(
  bolt: App,
  dispatcher: Dispatcher,
  inbox: Pick<Inbox, 'isNew' | 'take' | 'takeStored'>,
  deps: { channels: ChannelFollower; home: Slack; clock: () => Date; log: Logger },
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
  async function receive(ack: () => Promise<unknown>, ...delivered: Parameters<Inbox['take']>): Promise<void> {
    await (inbox.isNew(delivered[0].key) ? acknowledge(ack, inbox.take(...delivered)) : ack());
  }

  bolt.command(/^\//, async ({ command, ack, respond }) => {
    const delivery = toCommand(command, deps.home);
    const plan = dispatcher.plan(delivery.act);
    if ('words' in plan) {
      await ack({ response_type: 'ephemeral', ...toMessage(plan.words) });
      deps.log.info({ delivery: delivery.key, user: command.user_id }, 'delivery: answered at once');
      return;
    }
    const reply = { triggerId: command.trigger_id, respond: toRespond(respond), replaceable: false };
    await receive(ack, delivery, reply, plan);
  });

  bolt.action(/.*/, async ({ action, body, ack, respond }) => {
    if (body.type !== 'block_actions') return ack();
    const pressed = Pressed.parse(action);
    const delivery = toPress(pressed, body, deps.home);
    const reply = {
      triggerId: body.trigger_id,
      respond: body.response_url ? toRespond(respond, delivery.location.threadTs) : undefined,
      replaceable:
        !isOfSharedMessage(pressed.value) &&
        (body.container?.is_ephemeral === true || isDirectMessage(delivery.location.channelId)),
    };
    await receive(ack, delivery, reply);
  });

  bolt.view(/.*/, async ({ body, view, ack }) => {
    const delivery = toForm(view, body, deps.home);
    const { modal, filled, state } = delivery.act;
    const problems = dispatcher.problems(modal, filled, state, deps.clock());
    if (problems) return ack({ response_action: 'errors', errors: { ...problems } });
    await acknowledge(ack, inbox.take(delivery, noReply));
  });

  bolt.shortcut(/.*/, async ({ shortcut, ack, respond }) => {
    const delivery = toShortcut(shortcut, deps.home);
    const isMessage = shortcut.type === 'message_action';
    const reply = {
      triggerId: shortcut.trigger_id,
      respond: isMessage ? toRespond(respond, delivery.location.threadTs) : undefined,
      replaceable: false,
    };
    await receive(ack, delivery, reply);
  });

  takeEvents(bolt, dispatcher, deps, (ack, delivery) => acknowledge(ack, inbox.takeStored(delivery)));

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
  { channels, home, clock, log }: { channels: ChannelFollower; home: Slack; clock: () => Date; log: Logger },
  take: (ack: () => Promise<void>, delivery: Delivery | EditedMessage) => Promise<void>,
): void {
  const processEvent = bolt.processEvent.bind(bolt);
  const answered = new Map<string, number>();
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
    const delivery = readMessage(body) ?? readRoomEvent(body, dispatcher) ?? readHomeOpened(body);
    if (delivery) return take(() => event.ack(), delivery);
    const { data: byApp } = AppMention.safeParse(body);
    if (byApp && byApp.event.user !== home.identity.botUserId) {
      await event.ack();
      return answerApp({ home, clock, log }, byApp.event, answered);
    }
    const change = toChannelEvent(body, home);
    if (change) await channels.take(change);
    const isTalk = !change && isRoomTalk(body);
    const talk = isTalk ? toRoomTalk(body) : undefined;
    if (talk) channels.hear(talk);
    if (change || isTalk) await event.ack();
    else await processEvent(event);
  };
}

/** The pause between two answers to one app in one channel, in milliseconds: two apps do not answer each other without an end. */
const appPause = 3_600_000;

/** Tells an app or a workflow that mentions Muster that it takes commands of people. `answered` has when each was told last, by app and channel. */
async function answerApp(
  { home, clock, log }: { readonly home: Slack; readonly clock: () => Date; readonly log: Logger },
  { channel, ts, thread_ts: thread, bot_id: app }: z.output<typeof AppMention>['event'],
  answered: Map<string, number>,
): Promise<void> {
  log.info({ app, channel }, 'delivery: passed over a mention by an app');
  const now = clock();
  for (const [each, at] of answered) if (now.getTime() - at >= appPause) answered.delete(each);
  if (answered.has(`${app}/${channel}`)) return;
  answered.set(`${app}/${channel}`, now.getTime());
  const words = sentence(
    'Only people can give me commands, and an app or a workflow wrote this. I did nothing: mention me yourself.',
  );
  const post = { channel, threadTs: thread || ts, words, intent: `mention/${channel}/${ts}`, part: 'app' };
  await answerOpenly(home, { ...post, mayAlreadyExist: false, since: now }).catch(error =>
    log[refusalLevel(error)]({ reason: slackReason(error), channel }, 'delivery: could not answer an app'),
  );
}

function toCommand(command: SlashCommand, home: Home): Delivery {
  const { user_id, team_id, enterprise_id = '' } = command;
  return {
    key: `command/${digest(command.trigger_id)}`,
    actor: toActor({ user: { id: user_id }, team: { id: team_id }, enterprise: { id: enterprise_id } }, home),
    location: { channelId: command.channel_id, threadTs: '', workspaceId: command.team_id },
    act: { kind: 'command', root: command.command.slice(1), text: command.text },
  };
}

function toPress(pressed: z.output<typeof Pressed>, body: BlockAction, here: Home): Delivery {
  const container = body.message?.ts ?? body.view?.id ?? '';
  const act = [container, pressed.action_id, pressed.block_id, pressed.action_ts, body.user.id].join('/');
  const threadTs = toThread(body.message ?? { ...body.container, ts: body.container?.message_ts });
  const home = body.view?.type === 'home' ? body.view : undefined;
  const view = body.view?.type === 'modal' ? body.view : undefined;
  const form = view && toOpenForm(view);
  const { state: _, ...opened } = toFormMetadata(view?.private_metadata ?? '');
  return {
    key: `press/${digest(act)}`,
    actor: toActor(body, here),
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
}

function toForm(view: ViewOutput, body: SlackViewAction, home: Home) {
  const { state: _, ...location } = toFormMetadata(view.private_metadata);
  const act = { kind: 'form' as const, ...toOpenForm(view) };
  return { key: `form/${digest(view.id)}`, actor: toActor(body, home), location, act };
}

/** A form with what its fields hold. */
function toOpenForm({ callback_id: modal, private_metadata, state, blocks }: ViewOutput) {
  const values: Readonly<Record<string, Readonly<Record<string, FieldValue>>>> = state.values;
  return { modal, state: toFormMetadata(private_metadata).state, filled: toFilled(values), offered: toOffered(blocks) };
}

function toShortcut(shortcut: SlackShortcut, home: Home): Delivery {
  const message =
    shortcut.type === 'message_action' ? toSourceMessage(shortcut.channel.id, shortcut.message) : undefined;
  return {
    key: `shortcut/${digest(shortcut.trigger_id)}`,
    actor: toActor(shortcut, home),
    location: {
      channelId: message?.channelId ?? '',
      threadTs: message?.threadTs ?? '',
      ...workspaceOf(shortcut),
    },
    act: { kind: 'shortcut', id: shortcut.callback_id, message },
  };
}

/** Who acted, and where, in an interaction. An app of an organisation is told no workspace where there is no channel (docs/slack.md 3). */
interface Acted {
  readonly user: { readonly id: string; readonly team_id?: string };
  readonly team?: { readonly id?: string } | null;
  /** The organisation of the workspace. */
  readonly enterprise?: { readonly id?: string } | null;
}

function toActor({ user, team, enterprise }: Acted, { identity, workspaces }: Home): Actor {
  const isOurs = (id: string) => [identity.teamId, ...workspaces.formerHomes].includes(id) || workspaces.has(id);
  const userId = user.id;
  const named = [user.team_id ?? '', team?.id ?? ''].filter(id => id !== '');
  const another = named.find(id => !isOurs(id));
  // Of another workspace of the same organisation, the profile of the person tells who they are.
  if (another !== undefined && !isOurs(enterprise?.id ?? '')) return { teamId: another, userId, isOutside: true };
  return { teamId: named[0] ?? '', userId };
}

/** The workspace in which a person acted: that of the channel, else their own. */
function workspaceOf({ user, team }: Acted): { readonly workspaceId?: string } {
  const workspaceId = team?.id ?? user.team_id;
  return workspaceId === undefined ? {} : { workspaceId };
}

/** Answers where it was asked: in the thread, when it was one. */
function toRespond(respond: RespondFn, threadTs = ''): NonNullable<Reply['respond']> {
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

const HomeOpened = z.object({
  ...eventEnvelope,
  event: z.object({
    type: z.literal('app_home_opened'),
    tab: z.literal('home'),
    user: z.string(),
    event_ts: z.string(),
    /** What was published before. Its metadata is the digest of that (`dispatch/surfaces/home.ts`). */
    view: z.object({ private_metadata: z.string().nullish(), hash: z.string().nullish() }).nullish(),
  }),
});

/** Reads the event of a person who opens the home tab; undefined for every other event. */
function readHomeOpened(body: { readonly [name: string]: unknown }): Delivery | undefined {
  const { data } = HomeOpened.safeParse(body);
  if (!data) return undefined;
  const { user: userId, event_ts: at, view } = data.event;
  const teamId = teamOfEvent(data);
  const act = { kind: 'home' as const, home: { shown: view?.private_metadata ?? '', hash: view?.hash ?? '' } };
  const location = { channelId: '', threadTs: '', tab: 'home' as const };
  return { key: `home/${userId}/${at}`, actor: { teamId, userId }, location, act };
}

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

const RoomChange = z.object({ ...eventEnvelope, event: z.union([Added, Removed, Changed, Deleted]) });

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
function readRoomEvent(body: { readonly [name: string]: unknown }, dispatcher: Dispatcher): Delivery | undefined {
  const { data } = RoomChange.safeParse(body);
  const happened = data && toHappened(data);
  if (!happened) return undefined;
  const { channelId, userId, at, act } = happened;
  if (act.kind === 'reaction' && !dispatcher.isMeant(act.emoji, userId)) return undefined;
  const teamId = teamOfEvent(data);
  // Slack gives a repeated event the same time; another reaction of the same person has another one.
  const what = act.kind === 'reaction' ? `${act.emoji}/${act.isAdded ? 'added' : 'removed'}` : act.how;
  const key = `${act.kind}/${channelId}/${act.ts}/${userId}/${what}/${at}`;
  const location = { channelId, threadTs: '' };
  return { key, actor: { teamId, userId }, location, act };
}

function toHappened({ event }: z.output<typeof RoomChange>): Happened | undefined {
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
/** A mention by an app, such as a workflow. */
const AppMention = z.object({
  event: z.object({
    type: z.literal('app_mention'),
    channel: z.string(),
    ts: z.string(),
    thread_ts: z.string().nullish(),
    bot_id: z.string(),
    user: z.string().nullish(),
  }),
});

const inDirect = { type: z.literal('message'), channel_type: z.literal('im'), channel: z.string() };
const DirectMessage = Message.extend(inDirect);
const DirectEdit = z.object({
  ...inDirect,
  subtype: z.literal('message_changed'),
  message: Message,
  previous_message: z.object({ text: z.string().nullish() }).nullish(),
});

const MessageEvent = z.object({ ...eventEnvelope, event: z.union([Mention, DirectEdit, DirectMessage]) });

/** Slack's names for the messages that people write, apart from plain ones: with a file, a reply that the channel reads too, and `/me`. */
const written = ['file_share', 'thread_broadcast', 'me_message'];

/**
 * Reads an event: a person's message to the bot, as a mention or in a direct message. Undefined for every other event: messages of
 * bots, joins, deletions, and changes that Slack makes itself, such as previews of links.
 */
export function readMessage(body: { readonly [name: string]: unknown }): Delivery | EditedMessage | undefined {
  const { data } = MessageEvent.safeParse(body);
  const sent = data && toSent(data.event);
  if (!sent || sent.message.bot_id) return undefined;
  const { message, channelId } = sent;
  if (message.subtype && !written.includes(message.subtype)) return undefined;
  const teamId = message.user_team ?? message.team ?? teamOfEvent(data);
  const actor = { teamId, userId: message.user };
  const location = { channelId, threadTs: message.thread_ts ?? '', workspaceId: message.source_team ?? teamId };
  // Slack gives an edit an event_id of its own (docs/slack.md 4), so the message names what the person did.
  const key = `message/${channelId}/${message.ts}`;
  const { edited } = message;
  const text = message.text ?? '';
  const first: Delivery = { key, actor, location, act: { kind: 'command', root: 'mention', text } };
  if (!edited) return first;
  const act = { kind: 'edit' as const, text, first: key };
  const edit = { key: `${key}/edit/${edited.ts}`, actor, location, act };
  return { message: first, edit, writtenAt: new Date(Number(message.ts) * 1000) };
}

function toSent(
  event: z.output<typeof MessageEvent>['event'],
): { readonly message: Message; readonly channelId: string } | undefined {
  if (event.type === 'app_mention') return { message: event, channelId: event.channel };
  if (!('message' in event)) return { message: event, channelId: event.channel };
  const { message, previous_message: previous } = event;
  const isByAuthor = message.edited && message.text !== previous?.text;
  return isByAuthor ? { message, channelId: event.channel } : undefined;
}
