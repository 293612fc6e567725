import type { Incident } from '../../contract/incidents.ts';
import type { Context } from '../call/context.ts';
import type { ActivityRow } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';
import { toMoment } from './moments.ts';

/** The most timeline items that a picture looks at. */
const mostPoints = 5000;

/** A timeline item as far as the course of an incident needs it. */
export interface Point {
  readonly kind: ActivityRow['kind'];
  readonly at: Date;
  readonly important: boolean;
}

/** A stretch between two moments of an incident. */
export interface Phase {
  readonly name: 'to detection' | 'to declaration' | 'to resolution' | 'active';
  readonly from: Date;
  readonly until: Date;
}

/** The course of an incident: its moments, and the phases between them, in order and without gaps. */
export interface Course {
  readonly started: Date;
  /** The earliest time before the declaration of which the timeline speaks, if there is one. */
  readonly detected: Date | undefined;
  readonly declared: Date;
  readonly resolved: Date | undefined;
  /** The end of the last phase: the resolution, or now. */
  readonly until: Date;
  readonly phases: readonly Phase[];
}

/**
 * The items of an incident's timeline by their event time, at most {@link mostPoints}. Links in notes are part of their notes.
 */
export async function readPoints({ db }: Context, incidentID: number): Promise<Point[]> {
  const rows = await db
    .selectFrom('activity')
    .select(['kind', 'event_at', 'tags'])
    .where('incident_id', '=', incidentID)
    .where(where =>
      where.or([where('kind', '!=', 'contextAttached'), where('field_values', 'not like', '%"activityItemID"%')]),
    )
    .orderBy('event_at')
    .orderBy('created_at')
    .orderBy('seq')
    .limit(mostPoints)
    .execute();
  return rows.map(row => ({
    kind: row.kind,
    at: new Date(row.event_at / 1000),
    important: row.tags.includes('"important"'),
  }));
}

/**
 * The course of an incident. Nothing records when an incident was detected, so the earliest note or link between start and
 * declaration counts as that. Moments that contradict their order, as in an incident written down afterwards, make no phase.
 */
export function toCourse(
  incident: Pick<Incident, 'incidentStart' | 'incidentEnd' | 'closedTime' | 'createdTime' | 'status'>,
  points: readonly Point[],
  now: Date,
): Course {
  const declared = toMoment(incident.createdTime) ?? now;
  const started = toMoment(incident.incidentStart) ?? declared;
  const ended = toMoment(incident.incidentEnd) ?? toMoment(incident.closedTime);
  const resolved = incident.status === 'resolved' ? ended : undefined;
  const until = resolved ?? now;
  const signs = points.filter(({ kind, at }) => isSign(kind) && at >= started && at < declared);
  const detected = signs[0]?.at;
  const phases: Phase[] = [];
  let from = started;
  const add = (name: Phase['name'], end: Date | undefined) => {
    if (!end || end <= from || end > until) return;
    phases.push({ name, from, until: end });
    from = end;
  };
  add('to detection', detected);
  add('to declaration', declared);
  add(resolved ? 'to resolution' : 'active', until);
  return { started, detected, declared, resolved, until, phases };
}

function isSign(kind: string): boolean {
  return kind === 'userNote' || kind === 'contextAttached';
}

/** The moments of the course that are known, in order of time. */
export function listMoments(course: Course): { name: string; at: Date }[] {
  const { started, detected, declared, resolved } = course;
  return [
    { name: 'Started', at: started },
    ...(detected ? [{ name: 'First noted', at: detected }] : []),
    { name: 'Declared', at: declared },
    ...(resolved ? [{ name: 'Resolved', at: resolved }] : []),
  ].sort((one, other) => toMicros(one.at) - toMicros(other.at));
}
