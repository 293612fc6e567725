import type { Api } from '../../../contract/contract.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import type { Known } from '../../../db/known.ts';
import { slackReason, slackRefusal } from '../../slack/clients.ts';
import type { AttemptedCall, Reception } from '../../slack/refusals.ts';
import { actions, context, toMrkdwn, type Words } from '../../text/blocks.ts';
import { incidentColor, signs } from '../../text/signs.ts';
import { maxText } from '../../text/spoken.ts';
import { cutMrkdwn, withoutFormatting } from '../../text/words.ts';
import { type ElsewhereDeps, noteElsewhere } from '../lines/elsewhere.ts';
import { followOrigin } from '../lines/origin.ts';
import type { Outages } from '../lines/outage.ts';
import type { RoundPace } from '../lines/pace.ts';
import { learnSaid, type SaidDeps } from '../lines/said-elsewhere.ts';
import { type SayDeps, sayLines } from '../lines/say.ts';
import type { Alerts } from '../state/alert-store.ts';
import type { Channels } from '../state/channels.ts';
import { beingWritten, digest, nothingShown, type ShownPart } from '../state/digests.ts';
import { incidentLabel } from '../state/incident-name.ts';
import { reasonWords } from '../state/refusal-words.ts';
import type { Room, Rooms } from '../state/room-store.ts';
import type { Updates } from '../state/update-store.ts';
import { followBurst, leaveBurst } from './burst.ts';
import { type CardRows, toCard } from './card.ts';
import { type CardInputDeps, readCardInput } from './card-input.ts';
import { announcementParts, incidentTopic, partsBlocks, partsText } from './card-view.ts';
import type { Answered, LeasedCard, Round } from './leases.ts';
import { type NextDeps, showNextSteps } from './next-steps/next-steps.ts';
import { hideOutside, type SeveralDeps } from './several.ts';
import { partedWords, stubWords } from './unregistered-card.ts';
import { editBoard, postBoard, withdrawBoard } from './write.ts';

/** What showing an incident needs. */
export interface ShowDeps extends SayDeps, CardInputDeps, CardRows, ElsewhereDeps, SaidDeps, NextDeps, SeveralDeps {
  readonly channels: Channels;
  readonly api: Api;
  readonly rooms: Rooms;
  readonly alerts: Alerts;
  readonly updates: Updates;
  readonly settings: SayDeps['settings'] &
    CardInputDeps['settings'] &
    NextDeps['settings'] &
    ElsewhereDeps['settings'] &
    SeveralDeps['settings'];
  readonly outages: Outages;
  /** Makes the incident private in the API if its room is, and follows what is owed of it. Throws the RpcError. */
  follow(incident: Incident, read: ReadOnce): Promise<void>;
}

/** The parts that read each thing once, for one act or one round of the board. */
export type ReadOnce = Pick<ShowDeps, 'rooms' | 'channels' | 'visibility' | 'updates' | 'alerts'> & {
  readonly known: Known;
};

/** The room of an announced incident, as its announcement shows it. */
export type AnnouncedRoom = Pick<Room, 'channelId' | 'channelName'>;

/**
 * The announcement: what others need to know, and the way to the room, with *Join* while the incident goes on. While an active incident
 * has no room, its buttons offer one.
 */
export async function toAnnouncement(
  deps: CardInputDeps & Pick<ShowDeps, 'offersOf' | 'joinOf'>,
  incident: Incident,
  { channelId, channelName }: AnnouncedRoom,
  isArchived = false,
): Promise<Words> {
  const way = { channelId: channelName === '' ? '' : channelId, isArchived };
  const parts = announcementParts(await readCardInput(deps, incident), way);
  const blocks = partsBlocks(parts);
  const color = incidentColor(deps.settings.severities, incident, isMistake(incident));
  const offers = channelId === '' && incident.status !== 'resolved' ? deps.offersOf(incident) : [];
  if (offers.length === 0) {
    const isOpen = way.channelId !== '' && !isArchived && incident.status !== 'resolved';
    const join = isOpen ? [actions(deps.joinOf(incident.incidentID))] : [];
    return { text: partsText(parts), isWhole: true, blocks: [...blocks, ...join], color };
  }
  const hint = offerHint(incident.incidentID);
  const text = cutMrkdwn(`${partsText(parts)}\n${withoutFormatting(hint)}`, maxText);
  return { text, isWhole: true, blocks: [...blocks, context(hint), actions(offers)], color };
}

/** The sentence that says how an incident without a room gets one. */
function offerHint(incidentID: string): string {
  return `It has no channel. If another app made one already, invite me there and type \`/incident link ${toMrkdwn(incidentID, 40)}\` in it.`;
}

/** One part of a room, as it is to be. */
interface Part {
  readonly name: ShownPart;
  readonly content: unknown;
  readonly call: AttemptedCall;
  /** Readers who may not see the incident must not read what is there meanwhile. */
  readonly isHiding: boolean;
  write(): Promise<unknown>;
}

/**
 * Tells an incident's room what changed, through Muster and elsewhere, and shows the incident as it is now, where that differs from
 * `before`. `version` is the card's; where the last change made it, its answer is the incident. The pace of a busy room leaves parts for a later round. Throws the RpcError when it cannot be read, or
 * made as private as its room.
 */
export async function showIncident(
  deps: ShowDeps & ReadOnce,
  incidentID: string,
  { version, shown: before }: LeasedCard,
  pace: RoundPace,
  answered?: Answered,
): Promise<Round> {
  const room = await deps.rooms.ofIncident(incidentID);
  if (!room) return { shown: {}, reception: 'taken' };
  const told = await sayLines(deps, room, pace, ['room']);
  pace.readState();
  const isNow = answered?.version === version;
  const { incident } = isNow ? answered : await deps.api.IncidentsService.GetIncident({ incidentID });
  if ((await deps.outages.answers(incidentID)) !== '') await sayLines(deps, room, pace, ['room']);
  const said = await learnSaid(deps, incident, deps.clock());
  const others = said === 'later' ? 'unsettled' : await noteElsewhere(deps, room, incident, { version, ...said });
  await followOrigin(deps, room, incident);
  const taking = { method: 'chat.delete', channel: room.announcementChannelId };
  const hidden = await deps.refusals.attempt(taking, () => hideOutside(deps, room, incident));
  await deps.follow(incident, deps);
  const shown: Partial<Record<ShownPart, string>> = {};
  const show = async ({ name, content, call, isHiding, write }: Part): Promise<Reception> => {
    const wanted = digest(content);
    shown[name] = wanted;
    if (wanted === before[name]) return 'taken';
    if (!isHiding && !pace.isDue(name)) {
      pace.leave(name);
      shown[name] = before[name] === beingWritten[name] ? '' : before[name];
      return 'taken';
    }
    pace.wrote(name);
    let refusal: unknown;
    const reception = await deps.refusals.attempt(call, write, error => {
      refusal = error;
    });
    if (reception !== 'taken') shown[name] = '';
    if (reception === 'refused' && refusal !== undefined && name === 'card') await tellOld(deps, room, refusal);
    return reception;
  };
  const inRoom = await Promise.all((await toRoomParts(deps, room, incident)).map(show));
  await partFrom(deps, room);
  // Only now it is known whether the room is archived. Another process may know better than what this one remembers.
  const isArchived = inRoom.includes('refused') && deps.refusals.isArchived(room.channelId);
  const elsewhere = await Promise.all((await toAnnouncementPart(deps, room, incident, isArchived)).map(show));
  // An announcement that somebody deleted stands elsewhere since.
  const current = (await deps.rooms.ofIncident(incidentID)) ?? room;
  // Nobody is asked into the room of a mistake.
  const saying = isMistake(incident) ? { ...deps, joinOf: () => [] } : deps;
  const more = told === 'later' ? told : await sayLines(saying, current, pace, ['room', 'announcement', 'origin']);
  // It stands below the line about the end.
  const isTold = told !== 'later' && more !== 'later' && others === 'learned';
  const next = isTold ? await showNextSteps(deps, room, incident) : 'later';
  const all = [told, hidden, more, ...inRoom, ...elsewhere, next, ...(said === 'later' ? [said] : [])];
  return { shown, reception: (['later', 'refused'] as const).find(each => all.includes(each)) ?? 'taken' };
}

/**
 * Tells the room that its card is old and why: once for each card and reason. Where the room reads nothing either, the answers to those who
 * act say so (`Room.refusal`), and the log.
 */
async function tellOld({ lines, clock }: ShowDeps, room: Room, error: unknown): Promise<void> {
  const { incidentID, cardTs } = room;
  const now = clock();
  const words = `${signs.warning} The card is out of date, and I cannot change it: ${reasonWords(error)} See \`/incident status\`, and tell your Muster administrator if this goes on.`;
  const line = {
    id: `old card/${incidentID}/${cardTs}/${slackReason(error)}`,
    incidentID,
    actor: '',
    words,
    isAlone: true,
  };
  await lines.add({ ...line, askedAt: now, doneAt: now, audience: 'channel' });
}

/** Tells the room of an incident that the API does not know what became of it, and hides it from readers who may not see it. */
export async function showUnregistered(deps: ShowDeps, incidentID: string, pace: RoundPace): Promise<Round> {
  const room = await deps.rooms.ofIncident(incidentID);
  const reception = room ? await sayLines(deps, room, pace, ['room']) : 'taken';
  await hideFromOutsiders(deps, incidentID);
  return { shown: nothingShown, reception };
}

async function toRoomParts(deps: ShowDeps, room: Room, incident: Incident): Promise<readonly Part[]> {
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

/** A card that was written while its channel was parted from the incident says so. */
async function partFrom(deps: ShowDeps, { incidentID, channelId: channel, cardTs: ts }: Room): Promise<void> {
  if (ts === '' || (await deps.rooms.ofIncident(incidentID))?.channelId === channel) return;
  const call = { method: 'chat.update', channel };
  await deps.refusals.attempt(call, () => editBoard(deps.slack, { channel, ts }, partedWords(incidentID)));
}

/** The announcement as its readers may see it. When they may see nothing of the incident, it is taken back. */
async function toAnnouncementPart(
  deps: ShowDeps,
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
      // Nobody misses the announcement of what is over.
      await deps.rooms.forgetAnnouncement(room.incidentID);
    });
  };
  const call = { method: 'chat.update', channel };
  return [{ name: 'announcement', content: words, call, isHiding: share !== 'all', write }];
}

/** Takes an announcement back from readers who may know nothing of the incident. */
async function takeBackAnnouncement(deps: ShowDeps, room: Room): Promise<void> {
  await withdrawBoard(deps.slack, { channel: room.announcementChannelId, ts: room.announcementTs });
  await deps.rooms.forgetAnnouncement(room.incidentID);
}

/** Posts a message that somebody deleted once more, and pins it if it is the card. Throws any other error of the update. */
async function postAgain(
  { slack, rooms, refusals }: ShowDeps,
  room: Room,
  part: 'card' | 'announcement',
  words: Words,
  error: unknown,
): Promise<void> {
  if (slackRefusal(error) !== 'message_not_found') throw error;
  const [channel, gone] =
    part === 'card' ? [room.channelId, room.cardTs] : [room.announcementChannelId, room.announcementTs];
  const since = new Date(Number(gone) * 1000);
  const post = { channel, words, intent: room.incidentID, part: `${part} after ${gone}`, mayStand: true, since };
  const ts = await postBoard(slack, post);
  const known = (await rooms.ofIncident(room.incidentID)) ?? room;
  if (part === 'announcement') return rooms.keep({ ...known, announcementTs: ts });
  await rooms.keep({ ...known, cardTs: ts });
  await refusals.attempt({ method: 'pins.add', channel }, () => slack.once.pins.add({ channel, timestamp: ts }));
}

/** Hides what Slack shows of an incident that the API cannot show from readers who may no longer see it. True when it wrote something. */
export async function hideFromOutsiders(deps: ShowDeps, incidentID: string): Promise<boolean> {
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
  { slack, visibility, channels }: ShowDeps,
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
