import type { ActionsBlockElement } from '@slack/types';
import { isProvisional } from '../../journal/provisional-id.ts';
import { NotVisible, type Subject, type Visibility } from '../../people/visibility.ts';
import type { AlertOfferTable } from '../../schema/alerts.ts';
import type { Slack } from '../../slack/clients.ts';
import type { Refusals } from '../../slack/refusals.ts';
import type { RoundPace } from '../lines/pace.ts';
import { withdrawHidden } from '../lines/say.ts';
import { type Alerts, isOffer } from '../state/alert-store.ts';
import { isBurst } from '../state/burst-store.ts';
import { digest } from '../state/digests.ts';
import { incidentLabel, roomMention } from '../state/incident-name.ts';
import type { Room, Rooms } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import { offerWords } from './alert-words.ts';
import { type BurstDeps, showBurst } from './burst.ts';
import type { LeasedCard, Round } from './leases.ts';
import { type OneMessage, showOneMessage } from './one-message.ts';

/* Messages that are rows among the rooms and no incidents: they tell of several, or offer one. */

/** The parts of Muster that they use. */
export interface SeveralDeps extends BurstDeps, OfferDeps {
  readonly rooms: BurstDeps['rooms'] & OfferDeps['rooms'];
}

/** Whether a row among the rooms is such a message. */
export function isSeveral(id: string): boolean {
  return isBurst(id) || isOffer(id);
}

/** Shows such a message: posts it once, edits it where it differs from what Slack shows. */
export function showSeveral(deps: SeveralDeps, id: string, leased: LeasedCard, pace: RoundPace): Promise<Round> {
  return isBurst(id) ? showBurst(deps, id, leased, pace) : showAlertOffer(deps, id, leased, pace);
}

/** Takes an incident out of messages outside its room whose readers may no longer know of it. */
export async function hideOutside(
  deps: SeveralDeps & Parameters<typeof withdrawHidden>[0],
  room: Room,
  subject: Subject,
): Promise<void> {
  await withdrawHidden(deps, room, subject);
  await hideInOffers(deps, subject);
}

/** The parts of Muster that the message of an offer uses. */
interface OfferDeps {
  readonly slack: Slack;
  readonly visibility: Visibility;
  readonly refusals: Refusals;
  readonly rooms: Rooms;
  readonly settings: Settings;
  readonly alerts: Alerts;
  /** Shows a message anew, soon. */
  refresh(id: string, isUrgent?: boolean): void;
  /** The buttons under the message of an offer in that state. */
  alertButtonsOf(offer: Pick<AlertOfferTable, 'id' | 'state'>): readonly ActionsBlockElement[];
}

/** Shows the message of an offer: posts it once, edits it where it differs from what Slack shows. Its part is that of a card. */
async function showAlertOffer(deps: OfferDeps, id: string, leased: LeasedCard, pace: RoundPace): Promise<Round> {
  const room = await deps.rooms.ofIncident(id);
  const offered = await deps.alerts.read(id);
  if (!room || !offered) return { shown: {}, reception: 'taken' };
  const { announcementChannelId: channel } = room;
  const { state } = offered.offer;
  const incident = await incidentWords(deps, offered.offer, channel);
  if (incident === undefined) return { shown: {}, reception: 'later' };
  const { severities } = deps.settings;
  const words = offerWords(offered, { severities, incident, buttons: deps.alertButtonsOf(offered.offer) });
  const message: OneMessage = {
    ...{ id, channel, words, part: 'offer', wanted: digest(words), since: new Date(offered.offer.begun_at) },
    ts: room.announcementTs,
    // One that ended, or was taken up, asks nobody anything.
    fate: state === 'open' ? 'asked' : state === 'gone' ? 'gone' : 'kept',
    stands: announcementTs => deps.rooms.keep({ ...room, announcementTs }),
  };
  return await showOneMessage(deps, message, leased, pace);
}

/** The messages of offers whose readers may no longer know of an incident are shown anew: they do not name it then. */
async function hideInOffers({ alerts, visibility, refresh }: OfferDeps, subject: Subject): Promise<void> {
  for (const { id, channel } of await alerts.naming(subject.incidentID))
    if (!['all', 'unknown'].includes(await visibility.share('announcement', subject, channel))) refresh(id, true);
}

/** The incident of an offer, or of the time before, as the readers of a channel may know it; undefined while nobody can tell. */
async function incidentWords(
  { visibility, rooms }: OfferDeps,
  { state, incident_id, after }: AlertOfferTable,
  channel: string,
): Promise<string | undefined> {
  const incidentID = state === 'taken' ? incident_id : after;
  if (incidentID === '') return '';
  try {
    if ((await visibility.share('announcement', { incidentID }, channel)) !== 'all') return '';
  } catch (error) {
    // What asks a person something does not wait.
    return error instanceof NotVisible || state === 'open' ? '' : undefined;
  }
  const where = roomMention(await rooms.ofIncident(incidentID));
  const name = isProvisional(incidentID) ? 'a new incident' : incidentLabel(incidentID);
  return where === '' ? name : `${name} ${where}`;
}
