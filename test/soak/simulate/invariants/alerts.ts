import type { Message } from '../../../../playground/fake-slack/fake-slack.ts';
import { alertID } from '../../../../src/bot/alerts/rules.ts';
import { isLine } from '../../../../src/bot/incident/lines/mark.ts';
import { bears } from '../people/acts.ts';
import type { Watched } from '../watchdog.ts';
import type { Complaint, Evidence } from './evidence.ts';

/** How a message begins that tells a room of an end. */
const endSign = /^🔔 The alerts? ended/;
/** How the message of an offer begins, in each of its states. */
const offerSigns = /^(🔔|✅|🔕)/;

/**
 * Each group of alerts that Muster acknowledged is one offer or one incident, and ended when its tool said so. The room reads of each end
 * once. An offer stands in its channel once.
 */
export function alertsOnce(evidence: Evidence): readonly Complaint[] {
  return evidence.world.watchdog.groups.flatMap(group =>
    ofGroup(evidence, group).map(each => `the alert “${group.title}”: ${each}`),
  );
}

function ofGroup(evidence: Evidence, group: Watched): Complaint[] {
  const { alerts, offers, incidents, world } = evidence;
  const row = alerts.find(each => each.id === alertID(group.source, group.key));
  if (!row) return ['Muster knows nothing of it'];
  const offered = offers.find(each => each.offer.id === row.offer);
  const mark = group.title.split(' ', 1)[0] ?? '';
  const channel = world.slack.channel(world.settings.announceChannel);
  const messages = channel.messages.filter(each => isOffer(each) && bears(each.text, mark));
  const own = incidents.filter(each => bears(each.title, mark));
  // Across a step of the clock nobody can tell that an alert comes back soon after its end: then it is a new one. What burns after an
  // incident is over may be declared anew.
  const most = 1 + world.plan.steps.length + own.filter(each => each.status === 'resolved').length;
  const isHeard = (group.acknowledgedAt ?? Number.POSITIVE_INFINITY) < (group.endSentAt ?? 0);
  return [
    ...(row.state === 'ended' || group.burns ? [] : ['it ended, and Muster does not know']),
    ...(isHeard && !offered ? ['it was offered to nobody'] : []),
    ...(offered?.offer.state === 'gone' ? ['it belongs to an offer that is gone'] : []),
    ...(messages.length > 1 ? [`${messages.length} messages offer it`] : []),
    ...(own.length > most ? [`it is ${own.length} incidents`] : []),
    ...(offered && !group.burns ? endOf(evidence, group, offered) : []),
  ];
}

/** How often its room, where it has one, was told of its end: with its evidence where it had ended before, else by a line. */
function endOf(
  { lines, rooms, world }: Evidence,
  group: Watched,
  { offer, alerts }: Evidence['offers'][number],
): Complaint[] {
  if (offer.state !== 'taken') return [];
  const own = lines.filter(each => each.place === 'room' && each.incident_id === offer.incident_id);
  const ends = own.filter(each => each.id.startsWith(`${offer.id}/ended/`));
  const isEvidence = own.some(each => each.words.includes(`${group.title}* · ended`));
  const most = alerts.length === 1 ? group.spells.length : alerts.length * 2;
  const room = world.slack.channels.find(
    each => each.id === rooms.find(row => row.incident_id === offer.incident_id)?.channel_id,
  );
  const standing =
    room?.messages.filter(each => each.botId !== undefined && !each.deleted && endSign.test(each.text)) ?? [];
  const told = own.filter(each => each.id.includes('/ended/'));
  return [
    ...(room && ends.length === 0 && !isEvidence ? ['nobody is told that it ended'] : []),
    ...(ends.length > most ? [`its end is told ${ends.length} times`] : []),
    ...(standing.length > told.length ? [`its end stands in Slack ${standing.length} times`] : []),
  ];
}

/**
 * An alert that burns is said where alerts are read, whatever became of its incident: by an offer, by the room of an incident that goes on, or
 * by the mute of a person. Its tool told of it twice after everything else.
 */
export function burningShown({ alerts, offers, incidents, rooms, world }: Evidence): readonly Complaint[] {
  const burning = world.watchdog.groups.filter(each => each.burns && each.acknowledgedAt !== undefined);
  return burning.flatMap(group => {
    const row = alerts.find(each => each.id === alertID(group.source, group.key));
    const offer = offers.find(each => each.offer.id === row?.offer)?.offer;
    const why = (words: string) => [`the alert “${group.title}” burns, and ${words}`];
    if (row?.state !== 'firing') return why('Muster takes it for ended');
    if (offer?.state === 'muted') return [];
    if (offer?.state === 'open') {
      const channel = world.slack.channel(world.settings.announceChannel);
      const room = rooms.find(each => each.incident_id === offer.id);
      const message = channel.messages.find(each => each.ts === room?.announcement_ts && !each.deleted);
      return message ? [] : why('its offer stands nowhere');
    }
    if (offer?.state !== 'taken') return why(`its offer is ${offer?.state ?? 'not there'}`);
    const incident = incidents.find(each => String(each.id) === offer.incident_id);
    return incident?.status === 'resolved' ? why(`its incident ${incident.id} is over`) : [];
  });
}

/** An incident without a channel of its own is told of its alerts where they are offered. */
function isOffer({ botId, ephemeralTo, deleted, threadTs, text, metadata, blocks }: Message): boolean {
  const isPublic = botId !== undefined && ephemeralTo === undefined && !deleted && !isLine({ metadata });
  return isPublic && threadTs === undefined && offerSigns.test(text) && JSON.stringify(blocks).includes('"alert.mute"');
}
