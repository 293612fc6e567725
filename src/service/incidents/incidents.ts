import type { Implementation } from '../../contract/define.ts';
import type { IncidentsService } from '../../contract/incidents-service.ts';
import type { Context } from '../call/context.ts';
import { lastNumber } from '../store/counters.ts';
import { toIncident } from '../store/incident-objects.ts';
import { findMemberships } from '../store/memberships.ts';
import { assignRole, unassignRole } from './assignments.ts';
import { createIncident } from './create.ts';
import { findIncident } from './find.ts';
import { addLabel, removeLabel } from './labels.ts';
import { listIncidentPreviews, listIncidents } from './list.ts';
import { updateEventTime, updateIsDrill, updateSeverity, updateStatus, updateTitle } from './update.ts';

/** IncidentsService on the database. */
export const incidents: Implementation<typeof IncidentsService, Context> = {
  AddLabel: addLabel,
  AssignRole: assignRole,
  CreateIncident: createIncident,
  async GetHomescreenVersion({ db }) {
    return { version: await lastNumber(db, 'homescreen'), error: '' };
  },
  async GetIncident(context, { incidentID }) {
    return { incident: await toIncident(context, await findIncident(context, incidentID)), error: '' };
  },
  async GetIncidentMembership(context, { incidentID }) {
    const { id } = await findIncident(context, incidentID);
    const memberships = await findMemberships(context.db, [id], context.options.orgID);
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
