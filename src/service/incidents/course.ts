import type { ActivityItem } from '../../contract/activity.ts';
import { toMoment } from '../store/time.ts';

/** A stretch between two moments of an incident; `resolved` is one after which the incident was reopened. */
export interface Phase {
  readonly name: 'to detection' | 'to declaration' | 'to resolution' | 'active' | 'resolved';
  readonly from: Date;
  readonly until: Date;
}

/** The course of an incident: its moments, and the phases between them, in order and without gaps. */
export interface Course {
  readonly started: Date;
  /** The earliest time before the declaration that the timeline names, if there is one. */
  readonly detected: Date | undefined;
  readonly declared: Date;
  readonly resolved: Date | undefined;
  /** The end of the last phase: the resolution, or now. */
  readonly until: Date;
  readonly phases: readonly Phase[];
  readonly reopened: readonly Date[];
  /** In order, without gaps; one stretch when the severity never changed. */
  readonly severities: readonly { readonly severity: string; readonly from: Date; readonly until: Date }[];
}

/**
 * The course of an incident. `turns` are its changes of status and severity, oldest first. Nothing records when an incident was
 * detected, so the earliest note or link between start and declaration counts as that. Moments less than a second apart are one,
 * since a person gives whole seconds. Moments that contradict their order, as in an incident written down afterwards, make no phase.
 */
export function toCourse(
  incident: Readonly<Record<'incidentStart' | 'incidentEnd' | 'closedTime' | 'createdTime' | 'status', string>> & {
    readonly severity?: string;
  },
  detected: Date | undefined,
  turns: readonly ActivityItem[],
  now: Date,
): Course {
  const created = toMoment(incident.createdTime) ?? now;
  const started = toMoment(incident.incidentStart) ?? created;
  const declared = Math.abs(started.getTime() - created.getTime()) < 1000 ? started : created;
  const ended = toMoment(incident.incidentEnd) ?? toMoment(incident.closedTime);
  const resolved = incident.status === 'resolved' ? ended : undefined;
  const until = resolved ?? now;
  const phases: Phase[] = [];
  let from = started;
  const add = (name: Phase['name'], end: Date | undefined) => {
    if (!end || end <= from || end > until) return;
    phases.push({ name, from, until: end });
    from = end;
  };
  add('to detection', detected);
  add('to declaration', declared);
  const reopened: Date[] = [];
  let closed: Date | undefined;
  for (const { activityKind, eventTime, fieldValues } of turns) {
    const at = new Date(eventTime);
    if (activityKind !== 'incidentStatusChanged' || at >= until) continue;
    if (fieldValues.status === 'resolved') closed ??= at;
    else if (closed) {
      add('to resolution', closed);
      add('resolved', at);
      reopened.push(at);
      closed = undefined;
    }
  }
  add(resolved ? 'to resolution' : 'active', until);
  const severities = toSeverities(incident.severity ?? '', turns, started, until);
  return { started, detected, declared, resolved, until, phases, reopened, severities };
}

function toSeverities(last: string, turns: readonly ActivityItem[], started: Date, until: Date): Course['severities'] {
  const changes = turns.filter(
    ({ activityKind, fieldValues }) =>
      activityKind === 'incidentSeverityChanged' && typeof fieldValues.previousSeverity === 'string',
  );
  let from = started;
  const stretches = changes.map(({ eventTime, fieldValues }) => {
    const end = new Date(Math.min(until.getTime(), Math.max(from.getTime(), Date.parse(eventTime))));
    const stretch = { severity: String(fieldValues.previousSeverity), from, until: end };
    from = end;
    return stretch;
  });
  return [...stretches, { severity: last, from, until }];
}

/** The moments of the course that are known, in order of time. */
export function listMoments({ started, detected, declared, resolved, reopened }: Course): { name: string; at: Date }[] {
  return [
    { name: 'Started', at: started },
    ...(detected ? [{ name: 'First noted', at: detected }] : []),
    { name: 'Declared', at: declared },
    ...reopened.map(at => ({ name: 'Reopened', at })),
    ...(resolved ? [{ name: 'Resolved', at: resolved }] : []),
  ].sort((one, other) => one.at.getTime() - other.at.getTime());
}
