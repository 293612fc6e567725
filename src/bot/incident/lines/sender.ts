import type { ActionsBlockElement } from '@slack/types';
import type { People } from '../../people/directory.ts';
import { userOf } from '../../people/person.ts';
import type { Share, Subject, Visibility } from '../../people/visibility.ts';
import type { LinePlace, LineTable } from '../../schema/lines.ts';
import { sendDirectly } from '../../slack/answer.ts';
import { isPassing, type Slack, slackReason, slackRefusal } from '../../slack/clients.ts';
import { editPost, findPost, isNewest, postOnce, type SoughtPost, withdrawPost } from '../../slack/post-once.ts';
import { isOfChannel, type Reception, type Refusals } from '../../slack/refusals.ts';
import { actions, section, type Words } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import type { Channels } from '../state/channels.ts';
import { incidentLabel } from '../state/incident-name.ts';
import { reasonWords, unreadWords } from '../state/refusal-words.ts';
import type { Room, Rooms } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import { linePart } from './mark.ts';
import { withoutOwnMentions } from './mentions.ts';
import { reminderLine } from './outbox.ts';
import type { RoundPace } from './pace.ts';
import { isUrgent, type LineMessage, type RoundLines } from './store.ts';
import { lineWords, messageWords } from './words.ts';

/*
 * The sender of the outbox. It posts the lines of one incident, edits those that changed, and takes back those whose readers may no longer
 * see them, in order and at the pace of the room. Nothing else writes lines to Slack.
 */

interface SayDeps {
  readonly slack: Slack;
  readonly visibility: Visibility;
  readonly people: People;
  readonly refusals: Refusals;
  readonly lines: RoundLines;
  readonly clock: () => Date;
  readonly rooms: Rooms;
  readonly channels: Channels;
  readonly settings: Settings;
  isRoomBeingMade(incidentID: string): Promise<boolean>;
  /** The buttons that take a reader into the incident's room. */
  joinOf(incidentID: string): readonly ActionsBlockElement[];
  lineButtonsOf(line: LineTable): Promise<readonly ActionsBlockElement[]>;
}

/**
 * Posts, edits and marks the lines that Slack does not show yet as they are stored, in their order. In a busy room the lines that people
 * must notice come at once, with those before them, and the others when the pace allows it. A line that its readers may not see, or that
 * Slack refuses, is not said: the card shows the facts. The caller holds the lease of the incident's card, so one process says lines at a
 * time.
 */
export async function sayLines(
  deps: SayDeps,
  room: Room,
  pace: RoundPace,
  wanted: readonly LinePlace[],
): Promise<Reception> {
  const { lines, settings } = deps;
  const { incidentID } = room;
  // The card is the first that a room reads. The end of its making begins another round.
  if (room.cardTs === '' && (await deps.isRoomBeingMade(incidentID))) return 'taken';
  const isDue = pace.isDue('lines');
  const isAnnounced = room.announcementTs !== '';
  const places = wanted.filter(each => each !== 'announcement' || isAnnounced);
  const { linesPerHour: perHour } = settings;
  if (isDue || (await lines.waiting(isAnnounced)).isUrgent) await closeUnlessNewest(deps, room, perHour);
  for (const message of await lines.due({ places, perHour, which: isDue ? 'all' : 'urgent' })) {
    const reception = await say(deps, room, pace, message);
    if (reception === 'later') return 'later';
  }
  if (!isDue && (await lines.waiting(isAnnounced)).isAny) pace.leave('lines');
  return 'taken';
}

/** Nothing joins a message that others were posted below: people would not notice it there. */
async function closeUnlessNewest({ lines, slack }: SayDeps, room: Room, perHour: number): Promise<void> {
  const joined = await lines.joined(perHour);
  if (!joined) return;
  const { channel, threadTs } = spotOf(room, joined, modeOf(room));
  const isLast = joined.ts !== '' && (await isNewest(slack, { channel, ts: joined.ts }, threadTs));
  if (!isLast) await lines.close(joined);
}

async function say(deps: SayDeps, room: Room, pace: RoundPace, message: LineMessage): Promise<Reception> {
  const { slack, refusals, lines } = deps;
  const mode = modeOf(room);
  let { ts } = message;
  const mayBeRead = await mayRead(deps, room, message, mode);
  if (mayBeRead === undefined) return 'taken';
  if (mayBeRead) {
    const spot = spotOf(room, message, mode);
    const words = await wordsOf(deps, room, message);
    await lines.mark(message);
    // Another process may have heard that the room takes posts again.
    if (reminderLine.dutyOf(message.id) !== undefined) refusals.forget(spot.channel);
    let refusal: unknown;
    const write = async () => {
      ts = await writeLine(slack, message, spot, words);
      pace.wrote('lines', isUrgent(message));
      if (message.place === 'room' && isUrgent(message)) pace.toldRoom();
    };
    const call = { method: ts === '' ? 'chat.postMessage' : 'chat.update', channel: spot.channel };
    const reception = await refusals.attempt(call, write, error => {
      refusal = error;
    });
    if (reception === 'later') return 'later';
    if (reception === 'refused' && ts === '' && message.place === 'room') lines.passOn(message);
    if (message.place === 'room' && spot.channel === room.channelId)
      await recordReception(deps, room, reception, refusal);
    // The answer to a person says so where the room is known to read nothing.
    if (refusal !== undefined && message.place === 'room' && room.refusal === undefined)
      await tellUnsaid(deps, room, message, refusal);
    const isShut = reception === 'refused' && (refusal === undefined || isOfChannel(slackReason(refusal)));
    if (isShut) {
      lines.refused(message);
      return 'taken';
    }
  }
  lines.said(message, ts);
  return 'taken';
}

/** Remembers whether Slack takes posts in the room. */
async function recordReception(
  { channels }: SayDeps,
  room: Room,
  reception: Reception,
  refusal: unknown,
): Promise<void> {
  const word = refusal === undefined ? '' : slackReason(refusal);
  if (reception === 'taken' ? room.refusal !== undefined : isOfChannel(word))
    await channels.recordPost(room.channelId, word);
}

/**
 * Whether a message is for the people of its place: they see the incident, and want lines. Undefined while that is not known: a later round
 * says it.
 */
async function mayRead(
  { visibility }: SayDeps,
  room: Room,
  message: LineMessage,
  mode: string,
): Promise<boolean | undefined> {
  const { incidentID, channelId, announcementChannelId } = room;
  const { place, channel, audience } = message;
  // A line in a former room gives the number alone.
  if (audience === 'channel' && channel !== channelId) return true;
  // A message that is there is corrected, also in a room that is quiet.
  if (audience === 'room' && mode === 'quiet' && message.ts === '' && !message.mayAlreadyExist) return false;
  // The card or the announcement is there.
  if (place === 'origin' && (channel === channelId || channel === announcementChannelId)) return false;
  const share = await visibility.share(place === 'room' ? 'line' : 'announcement', { incidentID }, channel);
  return share === 'unknown' ? undefined : share === 'all';
}

function spotOf(room: Room, { place, channel, thread }: LineMessage, mode: string): Spot {
  if (place === 'announcement') return { channel, threadTs: room.announcementTs, isBroadcast: isBroadcast(room) };
  if (place === 'origin') return { channel, threadTs: thread, isBroadcast: false };
  const isBelowCard = mode === 'thread' && channel === room.channelId;
  return { channel, threadTs: isBelowCard ? room.cardTs : '', isBroadcast: false };
}

async function wordsOf({ rooms, people, joinOf, lineButtonsOf }: SayDeps, room: Room, message: LineMessage) {
  const { place, audience } = message;
  const lines = await withoutOwnMentions(people, message.lines);
  const [first] = lines;
  if (first === undefined) return lineWords(lines);
  const buttons = first.offers === '' ? [] : await lineButtonsOf(first);
  if (audience === 'room') {
    const words = lineWords(lines, await lineSubject(rooms, room));
    return buttons.length === 0 ? words : { ...words, blocks: [section(words.text), actions(buttons)] };
  }
  const isOpen = place === 'origin' && room.channelName !== '';
  return messageWords(first, isOpen ? joinOf(room.incidentID) : buttons);
}

/** News of an incident of a burst that has no room stay in the thread: a hundred ends are no hundred messages. */
function isBroadcast({ burst = '', channelId }: Room): boolean {
  return burst === '' || channelId !== '';
}

function modeOf({ receipts = 'channel' }: Room): string {
  return receipts;
}

/**
 * Takes back the messages about an incident outside its room whose readers may no longer know of it. A line in the room says so where Slack
 * does not let Muster take one back. Throws what passes.
 */
export async function withdrawHidden(
  { slack, lines, visibility, clock }: SayDeps,
  room: Room,
  subject: Subject,
): Promise<void> {
  const { incidentID } = room;
  const shares = new Map<string, Promise<Share>>();
  const shareOf = (channel: string) => {
    const share = shares.get(channel) ?? visibility.share('announcement', subject, channel);
    shares.set(channel, share);
    return share;
  };
  for (const message of await lines.outside()) {
    const { id, channel, place } = message;
    // A message that a member posted in the room belongs to the room.
    if (place === 'posted' && channel === room.channelId) continue;
    // While that is not known, the message stays: it was for those readers when it was posted.
    if (['all', 'unknown'].includes(await shareOf(channel))) continue;
    try {
      const ts = message.ts || (await findPost(slack, toSought(message, spotOf(room, message, ''))));
      if (ts !== undefined) await withdrawPost(slack, { channel, ts });
    } catch (error) {
      if (isPassing(error)) throw error;
      const words = `${signs.private} This channel is private, but my message in <#${channel}> still shows the incident, and I could not delete it: ${reasonWords(error)} Delete it there.`;
      const now = clock();
      const line = { id: `left/${id}`, incidentID, actor: '', askedAt: now, doneAt: now, words, isOwnMessage: true };
      await lines.add({ ...line, audience: 'channel' });
    }
    lines.said(message, '');
  }
}

/** Tells the people who made the changes, in a direct message, that their room was not told. It makes one attempt. */
async function tellUnsaid(
  { slack, channels }: SayDeps,
  { incidentID }: Room,
  { channel, lines }: LineMessage,
  error: unknown,
): Promise<void> {
  const isPrivate = await channels.isKnownPrivate(channel);
  const text = `Your change is done. ${unreadWords({ incidentID, channelId: channel, isPrivate }, slackReason(error), error)}`;
  for (const owner of new Set(lines.map(each => each.actor))) {
    // Nothing more can be done for a person whom Slack does not reach.
    const user = userOf(owner);
    if (user !== '') await sendDirectly(slack, user, text).catch(() => undefined);
  }
}

/** The place of a message of lines. */
interface Spot {
  readonly channel: string;
  /** `""` for none. */
  readonly threadTs: string;
  /** The channel reads the reply too. */
  readonly isBroadcast: boolean;
}

/**
 * Posts a message, or edits it; posts it again if a person deleted it. Returns its time, `""` for a message that was withdrawn before it was
 * posted. Throws Slack's refusals.
 */
async function writeLine(slack: Slack, message: LineMessage, spot: Spot, words: Words): Promise<string> {
  const { ts, mayAlreadyExist } = message;
  const post = { ...toSought(message, spot), words };
  const edit = (standing: string) => editPost(slack, { channel: spot.channel, ts: standing }, words);
  if (ts === '') {
    const posted = await (message.isWithdrawn ? findPost(slack, post) : postOnce(slack, post));
    if (posted === undefined) return '';
    // It may have the words from before its last change.
    if (mayAlreadyExist) await edit(posted);
    return posted;
  }
  try {
    await edit(ts);
    return ts;
  } catch (error) {
    if (slackRefusal(error) !== 'message_not_found') throw error;
    return await postOnce(slack, { ...post, part: `${post.part} after ${ts}`, mayAlreadyExist: true });
  }
}

function toSought({ id: intent, mayAlreadyExist, begunAt: since }: LineMessage, spot: Spot): SoughtPost {
  const { channel, threadTs, isBroadcast } = spot;
  return { channel, threadTs, isBroadcast, intent, part: linePart, mayAlreadyExist, since };
}

/** The beginning of a room's lines, as mrkdwn: it names the incident where other incidents share its channel; `""` where none does. */
export async function lineSubject(rooms: Rooms, room: Room): Promise<string> {
  const stored = await rooms.find(room.incidentID);
  return (stored?.isOnlyIncident ?? true) ? '' : `*${incidentLabel(room.incidentID, 'Incident')}:* `;
}
