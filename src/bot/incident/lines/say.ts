import type { ActionsBlockElement } from '@slack/types';
import type { People } from '../../people/directory.ts';
import { userOf } from '../../people/person.ts';
import type { Share, Subject, Visibility } from '../../people/visibility.ts';
import type { LineOffer, LinePlace } from '../../schema/lines.ts';
import { sendDirectly } from '../../slack/answer.ts';
import { isPassing, type Slack, slackReason } from '../../slack/clients.ts';
import { isNewest } from '../../slack/post-once.ts';
import { isOfChannel, type Reception, type Refusals } from '../../slack/refusals.ts';
import { actions, section } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import type { Channels } from '../state/channels.ts';
import { reasonWords, unreadWords } from '../state/refusal-words.ts';
import type { Room, Rooms } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import { withoutOwnMentions } from './own-acts.ts';
import type { RoundPace } from './pace.ts';
import { isUrgent, type LineMessage, type RoundLines } from './store.ts';
import { lineSubject } from './subject.ts';
import { lineWords, messageWords } from './words.ts';
import { type Spot, withdrawLine, writeLine } from './write.ts';

/** The parts of Muster that saying lines uses. */
export interface SayDeps {
  readonly slack: Slack;
  readonly visibility: Visibility;
  readonly people: People;
  readonly refusals: Refusals;
  readonly lines: RoundLines;
  readonly clock: () => Date;
  readonly rooms: Rooms;
  readonly channels: Pick<Channels, 'notePost'>;
  readonly settings: Settings;
  /** Whether the incident's room is being made. */
  isRoomBeingMade(incidentID: string): Promise<boolean>;
  /** The buttons that take a reader into the incident's room. */
  joinOf(incidentID: string): readonly ActionsBlockElement[];
  /** The buttons of the act that a line offers. */
  lineButtonsOf(offers: LineOffer, incidentID: string): Promise<readonly ActionsBlockElement[]>;
}

/**
 * Posts, edits and marks the lines that Slack does not show as they are to be, in their order. In a busy room those that people must notice
 * come at once, with what came before them, and the others when the pace allows it. What its readers may not see, or Slack refuses, is not
 * said: the card shows the same. The caller holds the lease of the incident's card, so one process says lines at a time.
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

/** Nothing joins a message that others were posted below: nobody would see it there. */
async function closeUnlessNewest({ lines, slack, settings }: SayDeps, room: Room, perHour: number): Promise<void> {
  const joined = await lines.joined(perHour);
  if (!joined) return;
  const { channel, threadTs } = spotOf(room, joined, modeOf(room, settings));
  const isLast = joined.ts !== '' && (await isNewest(slack, { channel, ts: joined.ts }, threadTs));
  if (!isLast) await lines.close(joined);
}

async function say(deps: SayDeps, room: Room, pace: RoundPace, message: LineMessage): Promise<Reception> {
  const { slack, refusals, lines } = deps;
  const mode = modeOf(room, deps.settings);
  let { ts } = message;
  const mayBeRead = await mayRead(deps, room, message, mode);
  if (mayBeRead === undefined) return 'taken';
  if (mayBeRead) {
    const spot = spotOf(room, message, mode);
    const words = await wordsOf(deps, room, message);
    await lines.mark(message);
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
    if (message.place === 'room' && spot.channel === room.channelId) await noteWhether(deps, room, reception, refusal);
    // The answer to a person says so where the room is known to read nothing.
    if (refusal !== undefined && message.place === 'room' && room.refusal === undefined)
      await tellUnsaid(slack, room, message, refusal);
  }
  lines.said(message, ts);
  return 'taken';
}

/** Remembers whether the room reads what is posted there. */
async function noteWhether({ channels }: SayDeps, room: Room, reception: Reception, refusal: unknown): Promise<void> {
  const word = refusal === undefined ? '' : slackReason(refusal);
  if (reception === 'taken' ? room.refusal !== undefined : isOfChannel(word))
    await channels.notePost(room.channelId, word);
}

/**
 * Whether a message is for the people of its place: they see the incident, and want lines. Undefined while nobody can tell: a later round says
 * it.
 */
async function mayRead(
  { visibility }: SayDeps,
  room: Room,
  message: LineMessage,
  mode: string,
): Promise<boolean | undefined> {
  const { incidentID, channelId, announcementChannelId } = room;
  const { place, channel, audience } = message;
  // What a former room reads gives the number alone.
  if (audience === 'channel' && channel !== channelId) return true;
  // What stands is still corrected in a room that is quiet.
  if (audience === 'room' && mode === 'quiet' && message.ts === '' && !message.mayStand) return false;
  // The card or the announcement stands there.
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
  if (audience === 'room') {
    const words = lineWords(lines, await lineSubject(rooms, room));
    const buttons = first.offers === '' ? [] : await lineButtonsOf(first.offers, room.incidentID);
    return buttons.length === 0 ? words : { ...words, blocks: [section(words.text), actions(buttons)] };
  }
  const isOpen = place === 'origin' && room.channelName !== '';
  return messageWords(first, isOpen ? joinOf(room.incidentID) : []);
}

/** News of an incident of a burst that nobody has taken up stay in the thread: a hundred ends are no hundred messages. */
function isBroadcast({ burst = '', channelId }: Room): boolean {
  return burst === '' || channelId !== '';
}

function modeOf(room: Room, settings: SayDeps['settings']): string {
  return room.receipts || settings.receipts;
}

/**
 * Takes back what people outside the room read of an incident, where they may know nothing of it any more. Where Slack does not let Muster
 * take a message back, a line in the room says so. Throws what passes.
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
    // What a member posted in its room belongs to the room.
    if (place === 'posted' && channel === room.channelId) continue;
    // While nobody can tell, what stands stays: it was for those readers when it was posted.
    if (['all', 'unknown'].includes(await shareOf(channel))) continue;
    try {
      await withdrawLine(slack, message, spotOf(room, message, ''));
    } catch (error) {
      if (isPassing(error)) throw error;
      const words = `${signs.private} This channel is private, but my message in <#${channel}> still shows the incident, and I could not delete it: ${reasonWords(error)} Delete it there.`;
      const now = clock();
      const line = { id: `left/${id}`, incidentID, actor: '', askedAt: now, doneAt: now, words, isAlone: true };
      await lines.add({ ...line, audience: 'channel' });
    }
    lines.said(message, '');
  }
}

/** Tells the people who made the changes, in a direct message, that their room was not told. What Slack refuses again is not told again. */
async function tellUnsaid(
  slack: Slack,
  { incidentID }: Room,
  { channel, lines }: LineMessage,
  error: unknown,
): Promise<void> {
  const text = `Your change is done. ${unreadWords({ incidentID, channelId: channel }, slackReason(error), error)}`;
  for (const owner of new Set(lines.map(each => each.actor))) {
    // Nothing more can be done for a person whom Slack does not reach.
    const user = userOf(owner);
    if (user !== '') await sendDirectly(slack, user, text).catch(() => undefined);
  }
}
