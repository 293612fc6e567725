import type { ActionsBlockElement } from '@slack/types';
import { isProvisional } from '../../journal/provisional-id.ts';
import { NotVisible, type Visibility } from '../../people/visibility.ts';
import type { AlertOfferTable } from '../../schema/alerts.ts';
import { type Slack, slackRefusal } from '../../slack/clients.ts';
import type { Reception, Refusals } from '../../slack/refusals.ts';
import type { RoundPace } from '../lines/pace.ts';
import type { Alerts } from '../state/alert-store.ts';
import { beingWritten, digest } from '../state/digests.ts';
import { incidentLabel } from '../state/incident-name.ts';
import { roomMention } from '../state/room-mention.ts';
import type { Rooms } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import { offerWords } from './alert-words.ts';
import type { LeasedCard, Round } from './leases.ts';
import { editBoard, findBoard, postBoard, withdrawBoard } from './write.ts';

/** The parts of Muster that the message of an offer uses. */
export interface OfferDeps {
  readonly slack: Slack;
  readonly visibility: Pick<Visibility, 'share'>;
  readonly refusals: Refusals;
  readonly rooms: Pick<Rooms, 'ofIncident' | 'keep'>;
  readonly settings: Pick<Settings, 'severities'>;
  readonly alerts: Pick<Alerts, 'read' | 'naming'>;
  /** Shows a message anew, soon. */
  refresh(id: string, isUrgent?: boolean): void;
  /** The buttons under the message of an offer in that state. */
  alertButtonsOf(offer: Pick<AlertOfferTable, 'id' | 'state'>): readonly ActionsBlockElement[];
}

/** Shows the message of an offer: posts it once, edits it where it differs from what Slack shows. Its part is that of a card. */
export async function showAlertOffer(deps: OfferDeps, id: string, leased: LeasedCard, pace: RoundPace): Promise<Round> {
  const room = await deps.rooms.ofIncident(id);
  const offered = await deps.alerts.read(id);
  if (!room || !offered) return { shown: {}, reception: 'taken' };
  const { announcementChannelId: channel, announcementTs: ts } = room;
  const { state } = offered.offer;
  const incident = await incidentWords(deps, offered.offer, channel);
  if (incident === undefined) return { shown: {}, reception: 'later' };
  const { severities } = deps.settings;
  const words = offerWords(offered, { severities, incident, buttons: deps.alertButtonsOf(offered.offer) });
  const wanted = digest(words);
  const before = leased.shown.card;
  if ((ts !== '' || state !== 'open') && wanted === before) return { shown: { card: wanted }, reception: 'taken' };
  if (!pace.isDue('card')) {
    pace.leave('card');
    return { shown: { card: before === beingWritten.card ? '' : before }, reception: 'taken' };
  }
  const once = { channel, intent: id, mayStand: true, since: new Date(offered.offer.begun_at) };
  const post = async (part: string) => {
    const posted = await postBoard(deps.slack, { ...once, words, part });
    await deps.rooms.keep({ ...room, announcementTs: posted });
    // One that stood already may say something else.
    await editBoard(deps.slack, { channel, ts: posted }, words);
  };
  const withdraw = async (posted: string) => {
    await withdrawBoard(deps.slack, { channel, ts: posted });
    await deps.rooms.keep({ ...room, announcementTs: '' });
  };
  const edit = async () => {
    await editBoard(deps.slack, { channel, ts }, words).catch(async error => {
      if (slackRefusal(error) !== 'message_not_found') throw error;
      // Nobody misses one that asks nothing any more.
      if (state === 'open') await post(`offer after ${ts}`);
    });
  };
  // One that ended, or was taken up, before it was posted asks nobody anything. A process that died may have posted it.
  const settle = async () => {
    const posted = await findBoard(deps.slack, { ...once, part: 'offer' });
    if (posted === undefined) return;
    if (state === 'gone') return await withdraw(posted);
    await deps.rooms.keep({ ...room, announcementTs: posted });
    await editBoard(deps.slack, { channel, ts: posted }, words);
  };
  const [method, write] =
    ts === ''
      ? state === 'open'
        ? (['chat.postMessage', () => post('offer')] as const)
        : (['chat.update', settle] as const)
      : state === 'gone'
        ? (['chat.delete', () => withdraw(ts)] as const)
        : (['chat.update', edit] as const);
  pace.wrote('card');
  const reception: Reception = await deps.refusals.attempt({ method, channel }, write);
  return { shown: { card: reception === 'taken' ? wanted : '' }, reception };
}

/** The messages of offers whose readers may no longer know of an incident are shown anew: they do not name it then. */
export async function hideInOffers(
  { alerts, visibility, refresh }: Pick<OfferDeps, 'alerts' | 'visibility' | 'refresh'>,
  incidentID: string,
): Promise<void> {
  for (const { id, channel } of await alerts.naming(incidentID))
    if ((await visibility.share('announcement', { incidentID }, channel)) !== 'all') refresh(id, true);
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
