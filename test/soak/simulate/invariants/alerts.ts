import { alertID } from '../../../../src/bot/alerts/rules.ts';
import type { Message } from '../../../../src/fake-slack/fake-slack.ts';
import { bears } from '../acts.ts';
import type { Watched } from '../watchdog.ts';
import type { Complaint, Evidence } from './evidence.ts';

/** What tells a room that its alerts ended. */
const end = /The alerts? ended/;

/**
 * Each group of alerts that Muster acknowledged is one offer or one incident, and ended where its tool told so. The room reads of each end
 * once. What is offered stands in the channel once.
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
  const offer = offers.find(each => each.id === row.offer);
  const mark = group.title.split(' ', 1)[0] ?? '';
  const channel = world.slack.channel(world.settings.announceChannel);
  const offered = channel.messages.filter(each => isOffer(each) && bears(each.text, mark));
  const own = incidents.filter(each => bears(each.title, mark));
  const isHeard = group.acknowledgedAt !== undefined && group.acknowledgedAt < (group.endSentAt ?? Infinity);
  return [
    ...(row.state === 'ended' ? [] : [`Muster says that it is ${row.state}, and it ended`]),
    ...(isHeard && !offer ? ['it is offered to nobody, and no incident'] : []),
    ...(offer?.state === 'gone' ? ['it belongs to an offer that is gone'] : []),
    ...(offered.length > 1 ? [`${offered.length} messages offer it`] : []),
    ...(own.length > 1 ? [`it is ${own.length} incidents`] : []),
    ...(offer ? ends(evidence, group, offer) : []),
  ];
}

/** The times that its room was told of its end. */
function ends({ lines, world, alerts }: Evidence, group: Watched, offer: Evidence['offers'][number]): Complaint[] {
  if (offer.state !== 'taken') return [];
  const groups = alerts.filter(each => each.offer === offer.id);
  const rows = lines.filter(each => each.place === 'room' && each.id.startsWith(`${offer.id}/ended/`));
  const most = groups.length * 2;
  const said = world.slack.channels
    .flatMap(each => each.messages)
    .filter(each => !each.deleted && end.test(each.text) && rows.some(row => row.words !== '' && row.ts === each.ts));
  const told = rows.filter(each => each.ts !== '' && each.ts !== '?');
  return [
    ...(rows.length === 0 ? ['nobody is told that it ended'] : []),
    ...(groups.length === 1 && rows.length > group.spells.length ? [`its end is told ${rows.length} times`] : []),
    ...(rows.length > most ? [`the end of its ${groups.length} groups is told ${rows.length} times`] : []),
    ...(said.length > told.length ? [`its end stands in Slack ${said.length} times`] : []),
  ];
}

function isOffer({ botId, ephemeralTo, deleted, threadTs, text }: Message): boolean {
  const isPublic = botId !== undefined && ephemeralTo === undefined && !deleted && threadTs === undefined;
  return isPublic && !/Incident \d+ \(/.test(text);
}
