import type { Intent } from './changes.ts';
import type { Complaint, Evidence } from './evidence.ts';

/** How long an archiving that somebody calls off may be on its way already, in milliseconds. */
const onItsWay = 20_000;

/**
 * A channel is archived once, when somebody said so, and while its incident is over; reopening the incident calls it off. One whose
 * time has come is archived.
 */
export function archivesTrue(evidence: Evidence): readonly Complaint[] {
  const { world, rooms } = evidence;
  return rooms.flatMap(room => {
    const channel = world.slack.channels.find(each => each.id === room.channel_id);
    if (!channel) return [];
    const archived = world.witness.archivings.filter(each => each.channelId === channel.id);
    const found = archived.flatMap(({ at }) => whyNot(evidence, room.incident_id, at));
    if (archived.length > 1) found.push(`was archived ${archived.length} times`);
    if (archived.length === 0 && isDue(evidence, room.incident_id) && !world.witness.readers.wasShared(channel.id))
      found.push('was to be archived, and was not');
    return found.map(what => `#${channel.name} ${what}`);
  });
}

/** What was said about the channel of an incident, oldest first. */
function saidOf({ intents }: Evidence, incidentID: string): readonly { readonly at: number; readonly due: number }[] {
  const isSaid = ({ kind, subject, state, outcome }: Intent) =>
    kind === 'room.archive' && subject === incidentID && state === 'done' && JSON.parse(outcome).problem === '';
  return intents
    .filter(isSaid)
    .map(({ payload, changed_at: at }) => ({ at: Date.parse(at), due: Date.parse(JSON.parse(payload).at) }))
    .toSorted((one, other) => one.at - other.at);
}

/** When an incident was opened again, in milliseconds since the epoch. */
function reopenedAt({ activity }: Evidence, incidentID: string): readonly number[] {
  return activity
    .filter(row => row.incident_id === Number(incidentID) && row.kind === 'incidentStatusChanged')
    .filter(({ fields }) => fields.status === 'active')
    .map(row => row.created_at / 1000);
}

function whyNot(evidence: Evidence, incidentID: string, at: number): string[] {
  const last = saidOf(evidence, incidentID).findLast(each => each.at < at - onItsWay);
  if (!last || Number.isNaN(last.due)) return ['was archived, and nobody wanted it'];
  if (last.due > at) return ['was archived before its time'];
  const isCalledOff = reopenedAt(evidence, incidentID).some(moment => moment > last.at && moment < at - onItsWay);
  return isCalledOff ? ['was archived, and its incident had been reopened'] : [];
}

function isDue(evidence: Evidence, incidentID: string): boolean {
  const last = saidOf(evidence, incidentID).at(-1);
  // Between a reopening and the next resolution nobody may have looked.
  return (
    last !== undefined &&
    last.due < evidence.world.time.now() - onItsWay &&
    evidence.shown.get(Number(incidentID))?.status === 'resolved' &&
    reopenedAt(evidence, incidentID).every(moment => moment < last.at)
  );
}
