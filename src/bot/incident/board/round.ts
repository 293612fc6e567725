import { isUnread } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import { slackReason, slackRefusal } from '../../slack/clients.ts';
import type { AttemptedCall, Reception } from '../../slack/refusals.ts';
import type { Words } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { learnNotes, tellOfElsewhere } from '../lines/elsewhere.ts';
import { followOrigin } from '../lines/origin.ts';
import { oldCardMark } from '../lines/outbox.ts';
import type { RoundPace } from '../lines/pace.ts';
import { sayLines } from '../lines/sender.ts';
import { type BoardDigests, beingWritten, digest, noDigests, refusedPart, type ShownPart } from '../state/digests.ts';
import { incidentLabel } from '../state/incident-name.ts';
import { reasonWords } from '../state/refusal-words.ts';
import type { Room } from '../state/room-store.ts';
import { toAnnouncement, toCard } from './card.ts';
import { incidentTopic } from './card-view.ts';
import type { RoundDeps } from './deps.ts';
import { followBurst, hideOutside, isGroupMessage, leaveBurst } from './group-messages.ts';
import type { ChangeAnswer, LeasedCard, Round } from './leases.ts';
import { editBoard, postBoard, withdrawBoard } from './messages.ts';
import { showNextSteps } from './next-steps/next-steps.ts';
import { partedWords, stubWords } from './unregistered-card.ts';

/*
 * One round of the board of an incident. It tells the room what changed, through Muster and elsewhere, and then shows the incident as it is
 * now: the card, the topic, the announcement, and the next steps. A part is written only if Slack shows something else there.
 */

/** One part of a room, with the content that it should have. */
interface Part {
  readonly name: ShownPart;
  readonly content: unknown;
  readonly call: AttemptedCall;
  /** Readers who may not see the incident must not read what is there meanwhile. */
  readonly isHiding: boolean;
  write(): Promise<unknown>;
}

/** Writes the parts of one room that differ from `before`, as far as the pace allows, and tells what Slack shows in each afterwards. */
class PartWriter {
  readonly #deps: RoundDeps;
  readonly #room: Room;
  readonly #before: BoardDigests;
  readonly #pace: RoundPace;
  /** The digests of the parts that were looked at; `""` where Slack shows something else. */
  readonly shown: Partial<Record<ShownPart, string>> = {};

  constructor(deps: RoundDeps, room: Room, before: BoardDigests, pace: RoundPace) {
    this.#deps = deps;
    this.#room = room;
    this.#before = before;
    this.#pace = pace;
  }

  write(parts: readonly Part[]): Promise<readonly Reception[]> {
    return Promise.all(parts.map(each => this.#write(each)));
  }

  async #write({ name, content, call, isHiding, write }: Part): Promise<Reception> {
    const [before, wanted] = [this.#before[name], digest(content)];
    this.shown[name] = wanted;
    if (wanted === before) return 'taken';
    if (!isHiding && !this.#pace.isDue(name)) {
      this.#pace.leave(name);
      this.shown[name] = before === beingWritten[name] ? '' : before;
      return 'taken';
    }
    this.#pace.wrote(name);
    let refusal: unknown;
    const reception = await this.#deps.refusals.attempt(call, write, error => {
      refusal = error;
    });
    if (reception !== 'taken') this.shown[name] = reception === 'refused' ? refusedPart : '';
    if (reception === 'refused' && refusal !== undefined && name === 'card')
      await tellOld(this.#deps, this.#room, refusal);
    return reception;
  }
}

/**
 * Shows an incident, and tells its room what changed. `answered` is the answer to the last change; where that change made the card's
 * version, it is the incident, which is not read then. Throws the RpcError when the incident cannot be read, or made as private as its room.
 */
export async function showIncident(
  deps: RoundDeps,
  incidentID: string,
  { version, shown: before }: LeasedCard,
  pace: RoundPace,
  answered?: ChangeAnswer,
): Promise<Round> {
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room) return { shown: {}, reception: 'taken' };
  if (room.refusal === undefined) deps.refusals.forgetPosts(room.channelId);
  const told = await sayLines(deps, room, pace, ['room']);
  pace.readState();
  const isNow = answered?.version === version;
  const { incident } = isNow ? answered : await deps.api.IncidentsService.GetIncident({ incidentID });
  if ((await deps.outages.answers(incidentID)) !== '') await sayLines(deps, room, pace, ['room']);
  const said = await learnNotes(deps, incident, deps.clock());
  const others = said === 'later' ? 'unsettled' : await tellOfElsewhere(deps, room, incident, { version, ...said });
  await followOrigin(deps, room, incident);
  const taking = { method: 'chat.delete', channel: room.announcementChannelId };
  const hidden = await deps.refusals.attempt(taking, () => hideOutside(deps, room, incident));
  await deps.follow(incident, deps);
  const writer = new PartWriter(deps, room, before, pace);
  const inRoom = await writer.write(await toRoomParts(deps, room, incident));
  await showParted(deps, room);
  // Only now it is known whether the room is archived. Another process may know better than what this one remembers.
  const isArchived = inRoom.includes('refused') && deps.refusals.isArchived(room.channelId);
  const elsewhere = await writer.write(await toAnnouncementPart(deps, room, incident, isArchived));
  // An announcement that a person deleted has another message since.
  const current = (await deps.rooms.ofIncident(incidentID)) ?? room;
  // The lines of a mistake have no button *Join*.
  const saying = isMistake(incident) ? { ...deps, joinOf: () => [] } : deps;
  const more = told === 'later' ? told : await sayLines(saying, current, pace, ['room', 'announcement', 'origin']);
  // The next steps come below the line about the end.
  const isTold = told !== 'later' && more !== 'later' && others === 'learned';
  const next = isTold ? await showNextSteps(deps, room, incident, version) : 'later';
  if (next === 'refused' && writer.shown.card !== undefined) writer.shown.card = refusedPart;
  const all = [told, hidden, more, ...inRoom, ...elsewhere, next, ...(said === 'later' ? [said] : [])];
  const reception = (['later', 'refused'] as const).find(each => all.includes(each)) ?? 'taken';
  return { shown: writer.shown, reception };
}

/**
 * Tells the room that its card is old and why: once for each card and reason. Where the room reads nothing either, the answers to those who
 * act say so (`Room.refusal`), and the log.
 */
async function tellOld({ lines, clock }: RoundDeps, room: Room, error: unknown): Promise<void> {
  const { incidentID, cardTs } = room;
  const now = clock();
  const words = `${signs.warning} The card is out of date, and I cannot change it: ${reasonWords(error)} See \`/incident status\`, and tell your Muster administrator if this goes on.`;
  const id = `${oldCardMark}${incidentID}/${cardTs}/${slackReason(error)}`;
  const line = { id, incidentID, actor: '', words, isOwnMessage: true, askedAt: now, doneAt: now };
  await lines.add({ ...line, audience: 'channel' });
}

/** Tells the room of an incident that is not registered yet how it stands, and hides it from readers who may not see it. */
export async function showUnregistered(deps: RoundDeps, incidentID: string, pace: RoundPace): Promise<Round> {
  const room = await deps.rooms.ofIncident(incidentID);
  const reception = room ? await sayLines(deps, room, pace, ['room']) : 'taken';
  await hideFromOutsiders(deps, incidentID);
  return { shown: noDigests, reception };
}

/**
 * After a round that failed with `error`: hides from outsiders what they may no longer read, and, where the API does not answer, says so on
 * the card and in the room. Returns the digests of what Slack shows now, of those in `shown`. What fails is logged.
 */
export async function showWithoutApi(
  deps: RoundDeps,
  incidentID: string,
  shown: Partial<BoardDigests>,
  pace: RoundPace,
  error: unknown,
): Promise<Partial<BoardDigests>> {
  const attempt = async <T>(work: () => Promise<T>, otherwise: T, failure: string): Promise<T> => {
    try {
      return await work();
    } catch (err) {
      deps.log.warn({ err, incident: incidentID }, failure);
      return otherwise;
    }
  };
  const isHidden =
    !isGroupMessage(incidentID) &&
    (await attempt(() => hideFromOutsiders(deps, incidentID), true, 'card: could not be hidden from outsiders'));
  const known = isHidden ? noDigests : shown;
  if (!isUnread(error)) return known;
  const stale = isHidden
    ? {}
    : await attempt(() => showStale(deps, incidentID, shown), { card: '' }, 'card: could not be marked as old');
  const tell = async () => {
    const room = (await deps.outages.goesOn(incidentID)) ? await deps.rooms.ofIncident(incidentID) : undefined;
    if (room) await sayLines(deps, room, pace, ['room']);
  };
  await attempt(tell, undefined, 'card: could not tell the room of an outage');
  return { ...known, ...stale };
}

/**
 * Shows the card as the API last had it, with its age. Returns the digest of the card; nothing when there is no card or no snapshot. Throws
 * Slack's refusals.
 */
async function showStale(
  deps: RoundDeps,
  incidentID: string,
  before: Partial<BoardDigests>,
): Promise<Partial<BoardDigests>> {
  const room = await deps.rooms.ofIncident(incidentID);
  const whole = (await deps.snapshots.get(incidentID))?.whole;
  if (!room || room.cardTs === '' || !whole) return {};
  const { channelId: channel, cardTs: ts } = room;
  if ((await deps.visibility.share('card', whole.incident, channel)) !== 'all') return {};
  const words = await toCard(deps, whole.incident, whole.seenAt);
  const card = digest(words);
  if (card === before.card) return {};
  await editBoard(deps.slack, { channel, ts }, words);
  return { card };
}

async function toRoomParts(deps: RoundDeps, room: Room, incident: Incident): Promise<readonly Part[]> {
  const { channelId: channel, cardTs: ts } = room;
  const isOurs = channel === '' || (await deps.visibility.share('card', incident, channel)) === 'all';
  const words = isOurs ? await toCard(deps, incident) : stubWords(incident.incidentID);
  const card: Part = {
    name: 'card',
    content: words,
    call: { method: 'chat.update', channel },
    isHiding: !isOurs,
    write: () =>
      editBoard(deps.slack, { channel, ts }, words).catch(error => postAgain(deps, room, 'card', words, error)),
  };
  return [
    ...(channel === '' || ts === '' ? [] : [card]),
    ...(room.channelName === '' || room.isLinked ? [] : [await toTopic(deps, room, incident)]),
  ];
}

/** Says on a card that its channel no longer follows the incident, if the two were parted while the card was written. */
async function showParted(deps: RoundDeps, { incidentID, channelId: channel, cardTs: ts }: Room): Promise<void> {
  if (ts === '' || (await deps.rooms.ofIncident(incidentID))?.channelId === channel) return;
  const call = { method: 'chat.update', channel };
  await deps.refusals.attempt(call, () => editBoard(deps.slack, { channel, ts }, partedWords(incidentID)));
}

/** The announcement as its readers may see it. When they may see nothing of the incident, it is taken back. */
async function toAnnouncementPart(
  deps: RoundDeps,
  room: Room,
  incident: Incident,
  isArchived: boolean,
): Promise<readonly Part[]> {
  const { announcementChannelId: channel, announcementTs: ts } = room;
  if (room.burst) {
    await followBurst(deps, room, incident);
    return [];
  }
  if (channel === '' || ts === '') return [];
  const share = await deps.visibility.share('announcement', incident, channel);
  if (share === 'nothing') {
    const call = { method: 'chat.delete', channel };
    const write = () => takeBackAnnouncement(deps, room);
    return [{ name: 'announcement', content: 'taken back', call, isHiding: true, write }];
  }
  const words =
    share === 'all' ? await toAnnouncement(deps, incident, room, isArchived) : stubWords(incident.incidentID);
  const write = async () => {
    await editBoard(deps.slack, { channel, ts }, words).catch(async error => {
      if (incident.status !== 'resolved') return postAgain(deps, room, 'announcement', words, error);
      if (slackRefusal(error) !== 'message_not_found') throw error;
      // The announcement of an incident that is over is not posted again.
      await deps.rooms.forgetAnnouncement(room.incidentID);
    });
  };
  const call = { method: 'chat.update', channel };
  return [{ name: 'announcement', content: words, call, isHiding: share !== 'all', write }];
}

/** Takes an announcement back from readers who may know nothing of the incident. */
async function takeBackAnnouncement(deps: RoundDeps, room: Room): Promise<void> {
  await withdrawBoard(deps.slack, { channel: room.announcementChannelId, ts: room.announcementTs });
  await deps.rooms.forgetAnnouncement(room.incidentID);
}

/** Posts a message that a person deleted once more, and pins it if it is the card. Throws any other error of the update. */
async function postAgain(
  { slack, rooms, refusals }: RoundDeps,
  room: Room,
  part: 'card' | 'announcement',
  words: Words,
  error: unknown,
): Promise<void> {
  if (slackRefusal(error) !== 'message_not_found') throw error;
  const [channel, gone] =
    part === 'card' ? [room.channelId, room.cardTs] : [room.announcementChannelId, room.announcementTs];
  const since = new Date(Number(gone) * 1000);
  const post = { channel, words, intent: room.incidentID, part: `${part} after ${gone}`, mayAlreadyExist: true, since };
  const ts = await postBoard(slack, post);
  const known = (await rooms.ofIncident(room.incidentID)) ?? room;
  if (part === 'announcement') return rooms.keep({ ...known, announcementTs: ts });
  await rooms.keep({ ...known, cardTs: ts });
  await refusals.attempt({ method: 'pins.add', channel }, () => slack.once.pins.add({ channel, timestamp: ts }));
}

/** Hides what Slack shows of an incident that the API cannot show from readers who may no longer see it. True when it wrote something. */
async function hideFromOutsiders(deps: RoundDeps, incidentID: string): Promise<boolean> {
  const { slack, rooms, visibility } = deps;
  const room = await rooms.ofIncident(incidentID);
  if (!room) return false;
  await hideOutside(deps, room, room);
  const { channelId, cardTs, announcementChannelId, announcementTs } = room;
  // It may have been registered while this round waited.
  const stub = stubWords(room.incidentID);
  const isHidden = cardTs !== '' && (await visibility.share('card', { incidentID }, channelId)) !== 'all';
  if (isHidden) await editBoard(slack, { channel: channelId, ts: cardTs }, stub);
  if (announcementTs === '' && !room.burst) return isHidden;
  const share = await visibility.share('announcement', { incidentID }, announcementChannelId);
  if (room.burst) {
    if (share === 'nothing') await leaveBurst(deps, room);
    return isHidden || share === 'nothing';
  }
  const place = { channel: announcementChannelId, ts: announcementTs };
  if (share === 'all') return isHidden;
  if (share === 'nothing') await takeBackAnnouncement(deps, room);
  else await editBoard(slack, place, stub);
  return true;
}

/** One try: when Slack limits it, the topic is set with the next change or when the card is caught up. */
async function toTopic(
  { slack, visibility, channels }: RoundDeps,
  { channelId: channel }: Room,
  incident: Incident,
): Promise<Part> {
  const isOurs = (await visibility.share('topic', incident, channel)) === 'all';
  const topic = isOurs
    ? incidentTopic(incident, await channels.isKnownPrivate(channel))
    : incidentLabel(incident.incidentID, 'Incident');
  const call = { method: 'conversations.setTopic', channel };
  const write = () => slack.once.conversations.setTopic({ channel, topic });
  return { name: 'topic', content: topic, call, isHiding: !isOurs, write };
}
