import type { Button as ButtonElement } from '@slack/types';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { NotVisible, type Subject } from '../../people/visibility.ts';
import type { AlertOfferTable } from '../../schema/alerts.ts';
import { context, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { incidentSigns, severitySign, signs } from '../../text/signs.ts';
import { maxText } from '../../text/spoken.ts';
import { cutMrkdwn, toOneLine, withoutFormatting } from '../../text/words.ts';
import type { RoundPace } from '../lines/pace.ts';
import { withdrawHidden } from '../lines/sender.ts';
import { isOffer } from '../state/alert-store.ts';
import { type BurstLine, type BurstMember, burstRules, isBurst } from '../state/burst-store.ts';
import { digest } from '../state/digests.ts';
import { incidentLabel, roomMention } from '../state/incident-name.ts';
import type { Room } from '../state/room-store.ts';
import { drillWords, mistakeName } from '../state/state-words.ts';
import { offerWords } from './alert-words.ts';
import type { RoundDeps } from './deps.ts';
import type { LeasedCard, Round } from './leases.ts';
import { type OneMessage, showOneMessage } from './messages.ts';

/*
 * Messages that announce a group. One tells of a burst of incidents, another one offers to declare an incident for some alerts. Each is a row
 * among the rooms, though it is no incident, so that the loop that shows cards shows it too.
 */

/** Whether a row among the rooms is the message of a group. */
export function isGroupMessage(id: string): boolean {
  return isBurst(id) || isOffer(id);
}

/** Shows the message of a group: posts it once, and edits it where Slack shows other words. It uses the card's part of the lease. */
export function showGroupMessage(deps: RoundDeps, id: string, leased: LeasedCard, pace: RoundPace): Promise<Round> {
  return isBurst(id) ? showBurst(deps, id, leased, pace) : showAlertOffer(deps, id, leased, pace);
}

/** Takes an incident out of the messages outside its room whose readers may no longer know of it. */
export async function hideOutside(deps: RoundDeps, room: Room, subject: Subject): Promise<void> {
  await withdrawHidden(deps, room, subject);
  // An offer that is shown again does not name the incident then.
  for (const { id, channel } of await deps.alerts.naming(subject.incidentID))
    if (!['all', 'unknown'].includes(await deps.visibility.share('announcement', subject, channel)))
      deps.refresh(id, true);
}

/** Characters of a title in the message of a burst. */
const maxTitle = 80;

/** How the message of a burst shows an incident. `room` is its mention, `""` for none; `overview` the address of its page, `""` for none. */
export function toBurstLine(
  incident: Incident,
  {
    severities,
    room,
    overview,
  }: { readonly severities: readonly string[]; readonly room: string; readonly overview: string },
): BurstLine {
  const { incidentID, title, severity, status } = incident;
  const isOver = status === 'resolved';
  const mistake = isMistake(incident);
  const number = `#${toMrkdwn(incidentID, 40)}`;
  const words = [
    mistake ? signs.undone : isOver ? incidentSigns.resolved : severitySign(severities, severity),
    drillWords(incident, `${incidentSigns.drill} Drill`),
    overview === '' ? number : `<${overview}|${number}>`,
    toMrkdwn(toOneLine(title), maxTitle),
  ].filter(each => each !== '');
  const state = mistake ? mistakeName.toLowerCase() : `${toMrkdwn(severity, 40)}${isOver ? ', resolved' : ''}`;
  const line = `${words.join(' ')} · ${state}${room === '' ? '' : ` – ${room}`}`;
  return { line, state: isOver ? 'over' : room === '' ? 'free' : 'taken' };
}

/** Brings the line of an incident in the message of its burst up to date, or removes it from readers who may not know of the incident. */
export async function followBurst(deps: RoundDeps, room: Room, incident: Incident): Promise<void> {
  const share = await deps.visibility.share('announcement', incident, room.announcementChannelId);
  if (share === 'nothing') return leaveBurst(deps, room);
  const [overview, where] = [await deps.overviewOf(incident), roomMention(room)];
  const line = toBurstLine(incident, { severities: deps.settings.severities, room: where, overview });
  if (await deps.bursts.reword(room.incidentID, line)) deps.refresh(room.burst ?? '');
}

/** An incident leaves the message of its burst: its readers may know nothing of it. */
export async function leaveBurst(deps: RoundDeps, { incidentID, burst = '' }: Room): Promise<void> {
  await deps.bursts.hide(incidentID);
  await deps.rooms.forgetAnnouncement(incidentID);
  deps.refresh(burst, true);
}

async function showBurst(deps: RoundDeps, burst: string, leased: LeasedCard, pace: RoundPace): Promise<Round> {
  const room = await deps.rooms.ofIncident(burst);
  const { members, begunAt } = await deps.bursts.read(burst);
  if (!room || (room.announcementTs === '' && members.length === 0)) return { shown: {}, reception: 'taken' };
  const { announcementChannelId: channel, announcementTs: ts } = room;
  const { words, isWhole } = await burstWords(deps, channel, members);
  if (ts === '' && !isWhole) return { shown: {}, reception: 'later' };
  const isOver = members.every(each => each.state === 'over');
  const message: OneMessage = {
    ...{ id: burst, channel, ts, words, part: 'burst', since: begunAt, wanted: digest([words, members.length]) },
    fate: members.length === 0 ? 'gone' : ts !== '' && isOver ? 'kept' : 'asked',
    posted: async time => {
      const waiting = await deps.bursts.posted(burst, time);
      if (time !== '') for (const incidentID of waiting) deps.refresh(incidentID);
    },
  };
  const round = await showOneMessage(deps, message, leased, pace);
  return isWhole || round.reception !== 'taken' ? round : { ...round, reception: 'later' };
}

/** The message of a burst for the readers of a channel. `isWhole` is false when it lacks a line, since it is not known who may read it. */
async function burstWords(
  deps: RoundDeps,
  channel: string,
  members: readonly BurstMember[],
): Promise<{ readonly words: Words; readonly isWhole: boolean }> {
  const named = members.slice(0, burstRules.named);
  const lines = await Promise.all(named.map(each => memberLine(deps, channel, each)));
  const known = lines.filter(each => typeof each === 'object');
  const total = members.length - lines.filter(each => each === 'hidden').length;
  const over = members.filter(each => each.state === 'over').length;
  const count = `${total} ${total === 1 ? 'incident' : 'incidents'}`;
  const end = over === 0 ? '' : over >= total ? ', all over' : `, ${over} over`;
  const title = `${incidentSigns.declared} *${count}* came together from outside Slack${end}`;
  const rest = total - known.length;
  const more = rest === 0 ? '' : `And ${rest} more. `;
  const foot = `${more}\`/incident list\` shows all. Look for news in this thread.`;
  const text = [title, ...known.map(each => each.line), foot].join('\n');
  const blocks = [section(title), ...known.map(({ line, offer }) => section(line, offer)), context(foot)];
  return {
    words: { text: cutMrkdwn(withoutFormatting(text), maxText), isWhole: true, blocks },
    isWhole: !lines.includes('unknown'),
  };
}

/**
 * The line of an incident for the readers of a channel, and the button that makes a room for it; `unknown` while it is not known who may read
 * it.
 */
async function memberLine(
  { visibility, offersOf, bursts, log }: RoundDeps,
  channel: string,
  { incidentID, line, state }: BurstMember,
): Promise<{ readonly line: string; readonly offer?: ButtonElement | undefined } | 'hidden' | 'unknown'> {
  try {
    const share = await visibility.share('announcement', { incidentID }, channel);
    if (share === 'all') {
      const offers = state === 'free' ? offersOf(incidentID) : [];
      return { line, offer: offers.find(each => each.type === 'button') };
    }
    const number = toMrkdwn(incidentID, 40);
    if (share !== 'nothing') return { line: `${signs.private} ${incidentLabel(incidentID, 'Incident')} (#${number})` };
  } catch (err) {
    log.info({ err, incident: incidentID }, 'burst: could not tell who may read of an incident');
    if (!(err instanceof NotVisible)) return 'unknown';
  }
  await bursts.hide(incidentID);
  return 'hidden';
}

async function showAlertOffer(deps: RoundDeps, id: string, leased: LeasedCard, pace: RoundPace): Promise<Round> {
  const room = await deps.rooms.ofIncident(id);
  const offered = await deps.alerts.read(id);
  if (!room || !offered) return { shown: {}, reception: 'taken' };
  const { announcementChannelId: channel } = room;
  const { state } = offered.offer;
  const incident = await offerIncident(deps, offered.offer, channel);
  if (incident === undefined) return { shown: {}, reception: 'later' };
  const { severities } = deps.settings;
  const outsiders = await deps.visibility.outsidersIn(channel);
  const before = incident === '' ? undefined : await deps.knownStates.read(offered.offer.after);
  const isReopenable = before?.status === 'resolved' && !isMistake(before);
  const buttons = deps.alertButtonsOf({ ...offered.offer, after: isReopenable ? offered.offer.after : '' });
  const words = offerWords(offered, { severities, incident, buttons, outsiders });
  const message: OneMessage = {
    ...{ id, channel, words, part: 'offer', wanted: digest(words), since: new Date(offered.offer.begun_at) },
    ts: room.announcementTs,
    // An offer that ended, or was taken up, asks nothing.
    fate: state === 'open' ? 'asked' : state === 'gone' ? 'gone' : 'kept',
    posted: announcementTs => deps.rooms.keep({ ...room, announcementTs }),
  };
  const round = await showOneMessage(deps, message, leased, pace);
  // Its message names the room as soon as there is one.
  const isComing = state === 'taken' && (await deps.isRoomBeingMade(offered.offer.incident_id));
  return isComing && round.reception === 'taken' ? { ...round, reception: 'later' } : round;
}

/** The incident of an offer, or of the time before, as the readers of a channel may know it; undefined while that is not known. */
async function offerIncident(
  { visibility, rooms }: RoundDeps,
  { state, incident_id, after }: AlertOfferTable,
  channel: string,
): Promise<string | undefined> {
  const incidentID = state === 'taken' ? incident_id : after;
  if (incidentID === '') return '';
  try {
    const share = await visibility.share('announcement', { incidentID }, channel);
    if (share !== 'all') return share === 'stub' && !isProvisional(incidentID) ? incidentLabel(incidentID) : '';
  } catch (error) {
    // A message that asks people something does not wait.
    return error instanceof NotVisible || state === 'open' ? '' : undefined;
  }
  const where = roomMention(await rooms.ofIncident(incidentID));
  const name = isProvisional(incidentID) ? 'a new incident' : incidentLabel(incidentID);
  return where === '' ? name : `${name} ${where}`;
}
