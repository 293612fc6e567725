import type { Implementation } from '../../contract/define.ts';
import { type IncidentStatus, maxTitle } from '../../contract/incidents.ts';
import type { IncidentsService } from '../../contract/incidents-service.ts';
import type { Context } from '../call/context.ts';
import { invalidArgument } from '../call/errors.ts';
import { readText, readTime } from '../call/input.ts';
import { lastNumber } from '../store/counters.ts';
import { findMemberships } from '../store/memberships.ts';
import { fold } from '../store/tables.ts';
import { formatTime, toMicros } from '../store/time.ts';
import { assignRole, unassignRole } from './assignments.ts';
import { createIncident } from './create.ts';
import { findIncident, readIncident } from './find.ts';
import { addLabel, removeLabel } from './labels.ts';
import { listIncidentPreviews, listIncidents } from './list.ts';
import { recordEvent } from './record-event.ts';
import { toDefaultSeverity, toSeverity } from './severity.ts';
import { toIncidentSlug } from './slug.ts';
import { completeSystemTask, severityTask } from './system-tasks.ts';

/** IncidentsService on the database. */
export const incidents: Implementation<typeof IncidentsService, Context> = {
  AddLabel: addLabel,
  AssignRole: assignRole,
  CreateIncident: createIncident,
  async GetHomescreenVersion({ db }) {
    return { version: await lastNumber(db, 'homescreen'), error: '' };
  },
  async GetIncident(context, { incidentID }) {
    return { incident: await readIncident(context, (await findIncident(context, incidentID)).id), error: '' };
  },
  async GetIncidentMembership(context, { incidentID }) {
    const { id } = await findIncident(context, incidentID);
    const memberships = await findMemberships(context, [id]);
    return { assignments: memberships.get(id)?.assignments ?? [], error: '' };
  },
  async GetIncidentVersion(context, { incidentID }) {
    return { version: (await findIncident(context, incidentID)).version, error: '' };
  },
  QueryIncidentPreviews: listIncidentPreviews,
  QueryIncidents: listIncidents,
  RemoveLabel: removeLabel,
  UnassignRole: unassignRole,
  UpdateIncidentEventTime: updateEventTime,
  UpdateIncidentIsDrill: updateIsDrill,
  UpdateSeverity: updateSeverity,
  UpdateStatus: updateStatus,
  UpdateTitle: updateTitle,
};

/*
 * The operations that change an incident's own columns (docs/api-rules.md A4 and A6). A change that changes nothing is answered
 * and not recorded.
 */

/** IncidentsService.UpdateTitle; slug and address follow. */
async function updateTitle(context: Context, input: { incidentID: string; title: string }) {
  const incident = await findIncident(context, input.incidentID);
  const title = readText('title', input.title, maxTitle);
  if (title !== incident.title) {
    await recordEvent(context, incident.id, {
      change: { title, title_folded: fold(title), slug: toIncidentSlug(title) },
      items: [
        {
          kind: 'incidentTitleChanged',
          body: `Title changed to ${title}`,
          fieldValues: { title, previousTitle: incident.title },
        },
      ],
    });
  }
  return { incident: await readIncident(context, incident.id), error: '' };
}

/** IncidentsService.UpdateStatus. Resolving sets the closing time, and the end unless it is set; reopening clears both. */
async function updateStatus(context: Context, input: { incidentID: string; status: IncidentStatus }) {
  const incident = await findIncident(context, input.incidentID);
  const { status } = input;
  if (status !== incident.status) {
    const now = toMicros(context.now);
    await recordEvent(context, incident.id, {
      change:
        status === 'resolved'
          ? { status, closed_at: now, ended_at: incident.ended_at ?? now }
          : { status, closed_at: null, ended_at: null },
      items: [
        {
          kind: 'incidentStatusChanged',
          body: `Status changed to ${status}`,
          fieldValues: { status, previousStatus: incident.status },
          important: true,
        },
      ],
    });
  }
  return { incident: await readIncident(context, incident.id), error: '' };
}

async function updateSeverity(context: Context, input: { incidentID: string; severity: string }) {
  const incident = await findIncident(context, input.incidentID);
  if (input.severity.trim() === '') throw invalidArgument('severity is required');
  const severity = toSeverity(input.severity, context.options.severities);
  if (severity.label !== incident.severity) {
    const chosen = severity !== toDefaultSeverity(context.options.severities);
    await recordEvent(context, incident.id, {
      change: { severity: severity.label, severity_level: severity.level },
      items: [
        {
          kind: 'incidentSeverityChanged',
          body: `Severity changed to ${severity.label}`,
          fieldValues: { severity: severity.label, previousSeverity: incident.severity },
          important: true,
        },
        ...(chosen ? await completeSystemTask(context, incident.id, severityTask) : []),
      ],
    });
  }
  return { incident: await readIncident(context, incident.id), error: '' };
}

async function updateIsDrill(context: Context, input: { incidentID: string; isDrill: boolean }) {
  const incident = await findIncident(context, input.incidentID);
  const { isDrill } = input;
  if (isDrill !== (incident.is_drill === 1)) {
    const body = isDrill ? 'Incident is now a drill' : 'Incident is no longer a drill';
    await recordEvent(context, incident.id, {
      change: { is_drill: isDrill ? 1 : 0 },
      items: [{ kind: 'incidentIsDrillChanged', body, fieldValues: { isDrill } }],
    });
  }
  return { incident: await readIncident(context, incident.id), error: '' };
}

type IncidentTime = 'incidentStart' | 'incidentEnd';

/** IncidentsService.UpdateIncidentEventTime; newer clients call `activityItemKind` `eventName` (A1). */
async function updateEventTime(
  context: Context,
  input: { incidentID: string; eventTime: string; activityItemKind: IncidentTime | ''; eventName: IncidentTime | '' },
) {
  const incident = await findIncident(context, input.incidentID);
  const kind = input.activityItemKind || input.eventName;
  if (kind === '') throw invalidArgument('activityItemKind is required: incidentStart or incidentEnd');
  if (input.eventName !== '' && input.eventName !== kind)
    throw invalidArgument('activityItemKind and eventName differ, and mean the same: give one of them');
  const time = readTime('eventTime', input.eventTime, toMicros(context.now));
  const isStart = kind === 'incidentStart';
  const start = isStart ? time : incident.started_at;
  const end = isStart ? incident.ended_at : time;
  if (end !== null && end < start) {
    throw invalidArgument(
      `eventTime must leave the end of the incident (${formatTime(end)}) after its start (${formatTime(start)})`,
    );
  }
  if (time !== (isStart ? incident.started_at : incident.ended_at)) {
    const eventTime = formatTime(time);
    await recordEvent(context, incident.id, {
      change: isStart ? { started_at: time } : { ended_at: time },
      items: [
        {
          kind,
          body: `Incident ${isStart ? 'start' : 'end'} set to ${eventTime}`,
          fieldValues: { eventTime },
          eventAt: time,
        },
      ],
    });
  }
  return { error: '' };
}
