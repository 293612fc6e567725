import type { ActionsBlockElement, Button as ButtonElement } from '@slack/types';
import type { Logger } from 'pino';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import { NotVisible, type Visibility } from '../../people/visibility.ts';
import type { Slack } from '../../slack/clients.ts';
import type { Refusals } from '../../slack/refusals.ts';
import { context, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { incidentSigns, severitySign, signs } from '../../text/signs.ts';
import { maxText } from '../../text/spoken.ts';
import { cutMrkdwn, toOneLine, withoutFormatting } from '../../text/words.ts';
import type { RoundPace } from '../lines/pace.ts';
import { type Bursts, burstRules, type InBurst, type Member } from '../state/burst-store.ts';
import { digest } from '../state/digests.ts';
import { incidentLabel, roomMention } from '../state/incident-name.ts';
import type { OverviewOf } from '../state/page-links.ts';
import type { Room, Rooms } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import { drillWords, mistakeName } from '../state/state-words.ts';
import type { LeasedCard, Round } from './leases.ts';
import { type OneMessage, showOneMessage } from './one-message.ts';

/** The parts of Muster that the message of a burst uses. */
export interface BurstDeps {
  readonly slack: Slack;
  readonly visibility: Visibility;
  readonly refusals: Refusals;
  readonly rooms: Rooms;
  readonly settings: Settings;
  readonly overviewOf: OverviewOf;
  readonly log: Logger;
  /** The buttons under the announcement of an incident that has no room. */
  offersOf(incident: Pick<Incident, 'incidentID'>): readonly ActionsBlockElement[];
  readonly bursts: Bursts;
  /** Another incident, or the message of its burst, is shown anew. */
  refresh(incidentID: string, isUrgent?: boolean): void;
}

/** Characters of a title in the message. */
const maxTitle = 80;

/** How the message of a burst shows an incident. `room` is its mention, `""` for none; `overview` the address of its page, `""` for none. */
export function toInBurst(
  incident: Incident,
  {
    severities,
    room,
    overview,
  }: { readonly severities: readonly string[]; readonly room: string; readonly overview: string },
): InBurst {
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

/** The message of its burst is to show an incident as it is, or not at all. */
export async function followBurst(deps: BurstDeps, room: Room, incident: Incident): Promise<void> {
  const share = await deps.visibility.share('announcement', incident, room.announcementChannelId);
  if (share === 'nothing') return leaveBurst(deps, room);
  const [overview, where] = [await deps.overviewOf(incident), roomMention(room)];
  const shown = toInBurst(incident, { severities: deps.settings.severities, room: where, overview });
  if (await deps.bursts.reword(room.incidentID, shown)) deps.refresh(room.burst ?? '');
}

/** An incident leaves the message of its burst: its readers may know nothing of it. */
export async function leaveBurst(deps: BurstDeps, { incidentID, burst = '' }: Room): Promise<void> {
  await deps.bursts.hide(incidentID);
  await deps.rooms.forgetAnnouncement(incidentID);
  deps.refresh(burst, true);
}

/** Shows the message of a burst: posts it once, edits it where it differs from what Slack shows. Its part is that of a card. */
export async function showBurst(deps: BurstDeps, burst: string, leased: LeasedCard, pace: RoundPace): Promise<Round> {
  const room = await deps.rooms.ofIncident(burst);
  const { members, begunAt } = await deps.bursts.read(burst);
  if (!room || (room.announcementTs === '' && members.length === 0)) return { shown: {}, reception: 'taken' };
  const { announcementChannelId: channel, announcementTs: ts } = room;
  const { words, isWhole } = await toWords(deps, channel, members);
  if (ts === '' && !isWhole) return { shown: {}, reception: 'later' };
  const isOver = members.every(each => each.state === 'over');
  const message: OneMessage = {
    ...{ id: burst, channel, ts, words, part: 'burst', since: begunAt, wanted: digest([words, members.length]) },
    fate: members.length === 0 ? 'gone' : ts !== '' && isOver ? 'kept' : 'asked',
    stands: async posted => {
      const waiting = await deps.bursts.stands(burst, posted);
      if (posted !== '') for (const incidentID of waiting) deps.refresh(incidentID);
    },
  };
  const round = await showOneMessage(deps, message, leased, pace);
  return isWhole || round.reception !== 'taken' ? round : { ...round, reception: 'later' };
}

/** The message for the readers of a channel. `isWhole` is false when somebody could not tell whether they may read a line, which it lacks. */
async function toWords(
  deps: BurstDeps,
  channel: string,
  members: readonly Member[],
): Promise<{ readonly words: Words; readonly isWhole: boolean }> {
  const named = members.slice(0, burstRules.named);
  const lines = await Promise.all(named.map(each => toLine(deps, channel, each)));
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
  const blocks = known.map(({ line, offer }) => section(line, offer));
  return {
    words: {
      text: cutMrkdwn(withoutFormatting(text), maxText),
      isWhole: true,
      blocks: [section(title), ...blocks, context(foot)],
    },
    isWhole: !lines.includes('unknown'),
  };
}

/** The line of an incident as those readers may see it, and the way to a room of its own; `unknown` while nobody can tell. */
async function toLine(
  { visibility, offersOf, bursts, log }: BurstDeps,
  channel: string,
  { incidentID, line, state }: Member,
): Promise<{ readonly line: string; readonly offer?: ButtonElement | undefined } | 'hidden' | 'unknown'> {
  try {
    const share = await visibility.share('announcement', { incidentID }, channel);
    if (share === 'all') {
      const offers = state === 'free' ? offersOf({ incidentID }) : [];
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
