import type { Intent } from './changes.ts';
import type { Complaint, Evidence } from './evidence.ts';

/** How long an archiving that somebody calls off may be on its way already, in milliseconds. */
const onItsWay = 20_000;
/** How long a room may be behind when it is archived, in milliseconds. */
const lastMinute = 60_000;

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
    // Whoever archives a room says no word about it, and Muster may find it archived.
    if (world.witness.presence.absences(channel.id).length > archived.length) return [];
    const found = archived.flatMap(({ at }) => whyNot(evidence, room.incident_id, at));
    if (archived.length > 1) found.push(`was archived ${archived.length} times`);
    if (archived.length === 0 && isDue(evidence, room.incident_id) && !world.witness.readers.wasShared(channel.id))
      found.push('was to be archived, and was not');
    return found.map(what => `#${channel.name} ${what}`);
  });
}

/** One word about the channel of an incident: when it was said, and the moment that it names for the archiving; `NaN` to keep the channel. */
interface Said {
  readonly at: number;
  readonly due: number;
  /** The clock that stored its end was behind: it may have ended at any time since. */
  readonly isEndUnsure: boolean;
}

/** What was said about the channel of an incident, oldest first. */
function saidOf({ intents, acts }: Evidence, incidentID: string): readonly Said[] {
  const isSaid = ({ kind, subject, state, outcome }: Intent) =>
    kind === 'room.archive' && subject === incidentID && state === 'done' && JSON.parse(outcome).problem === '';
  const storedAt = ({ key }: Intent) => acts.map(each => each.intents.get(key)).find(at => at !== undefined) ?? 0;
  return intents
    .filter(isSaid)
    .map(intent => ({
      at: Math.max(Date.parse(intent.changed_at), storedAt(intent)),
      due: Date.parse(JSON.parse(intent.payload).at),
      isEndUnsure: Date.parse(intent.changed_at) < storedAt(intent),
    }))
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
  const said = saidOf(evidence, incidentID).filter(each => each.at <= at);
  // The last word counts, or one that was still the last when the archiving was on its way.
  const counts = said.filter((_, index) => (said[index + 1]?.at ?? at) >= at - onItsWay);
  const wanted = counts.filter(({ due }) => !Number.isNaN(due));
  if (wanted.length === 0) return ['was archived, and nobody wanted it'];
  const due = wanted.filter(each => each.due <= at);
  if (due.length === 0) return ['was archived before its time'];
  const isCalledOff = (each: Said) =>
    !each.isEndUnsure && reopenedAt(evidence, incidentID).some(moment => moment > each.at && moment < at - onItsWay);
  return due.every(isCalledOff) ? ['was archived, and its incident had been reopened'] : [];
}

/**
 * Whether somebody changed an incident while its channel took nothing, or so shortly before that the room may not have read of it: nobody could
 * write there.
 */
export function isArchivedSince({ activity, world }: Evidence, incidentID: number, channelId: string): boolean {
  const moments = activity.filter(row => row.incident_id === incidentID).map(row => row.created_at / 1000);
  const absences = world.witness.presence.absences(channelId);
  return absences.some(({ from, until }) => moments.some(at => at > from - lastMinute && at < until));
}

/** Whether that is so now, so that the channel shows an earlier state. */
export function isLeftBehind(evidence: Evidence, incidentID: number, channelId: string): boolean {
  const { time, witness } = evidence.world;
  return !witness.presence.isThere(channelId, time.now()) && isArchivedSince(evidence, incidentID, channelId);
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
