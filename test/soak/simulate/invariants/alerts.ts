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
  // Across a step of the clock nobody can tell that an alert comes back soon after its end: then it is a new one.
  const most = 1 + world.plan.steps.length;
  const isHeard = (group.acknowledgedAt ?? Number.POSITIVE_INFINITY) < (group.endSentAt ?? 0);
  return [
    ...(row.state === 'ended' ? [] : ['it ended, and Muster does not know']),
    ...(isHeard && !offered ? ['it was offered to nobody'] : []),
    ...(offered?.offer.state === 'gone' ? ['it belongs to an offer that is gone'] : []),
    ...(messages.length > most ? [`${messages.length} messages offer it`] : []),
    ...(own.length > most ? [`it is ${own.length} incidents`] : []),
    ...(offered ? endOf(evidence, group, offered) : []),
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

/** An incident without a channel of its own is told of its alerts where they are offered. */
function isOffer({ botId, ephemeralTo, deleted, threadTs, text, metadata }: Message): boolean {
  const isPublic = botId !== undefined && ephemeralTo === undefined && !deleted && !isLine({ metadata });
  return isPublic && threadTs === undefined && offerSigns.test(text);
}
