import { incidentTopic } from '../../../../src/bot/incident/board/card-view.ts';
import { incidentLabel } from '../../../../src/bot/incident/state/incident-name.ts';
import { isLeftBehind } from './archives.ts';
import { cardsTrue } from './cards.ts';
import type { Complaint, Evidence } from './evidence.ts';
import { changesTold } from './told.ts';

/**
 * Card, announcement and topic of each incident say what the API says, whoever changed it last, and its room was told once of each
 * change from elsewhere that lasted.
 */
export function roomsTrue(evidence: Evidence): readonly Complaint[] {
  return [...cardsTrue(evidence), ...topicsTrue(evidence), ...changesTold(evidence)];
}

/** What of it is not true of the incidents that live or are announced in a channel. */
export function untrueIn(evidence: Evidence, channelId: string): readonly Complaint[] {
  const rooms = evidence.rooms.filter(each => [each.channel_id, each.announcement_channel_id].includes(channelId));
  const incidents = evidence.incidents.filter(({ id }) => rooms.some(each => each.incident_id === String(id)));
  const own = { ...evidence, rooms, incidents };
  return [...cardsTrue(own), ...topicsTrue(own)];
}

/** The topic; where people of another organisation read, the number of the incident alone. Slack may refuse it for good. */
function topicsTrue(evidence: Evidence): readonly Complaint[] {
  const { world, rooms, shown } = evidence;
  if (world.plan.refusals.length > 0) return [];
  return rooms.flatMap(room => {
    const incident = shown.get(Number(room.incident_id));
    if (!incident || room.channel_name === '') return [];
    if (isLeftBehind(evidence, Number(room.incident_id), room.channel_id)) return [];
    const { id, name, topic, isExtShared, isPrivate, members } = world.slack.channel(room.channel_id);
    // Slack lets nobody set the topic who is not there.
    if (!members.has(world.slack.botUserId)) return [];
    const [whole, bare] = [incidentTopic(incident, isPrivate), incidentLabel(incident.incidentID, 'Incident')];
    const allowed = world.witness.readers.isUntold(id) ? [whole, bare] : [isExtShared ? bare : whole];
    return allowed.includes(topic) ? [] : [`the topic of #${name} is “${topic}” in place of “${allowed[0]}”`];
  });
}
