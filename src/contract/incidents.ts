import { z } from 'zod';
import { defineMethod } from './define.ts';
import {
  choice,
  count,
  cursor,
  flag,
  ifSet,
  lenient,
  list,
  open,
  orNull,
  requestList,
  requiredChoice,
  requiredText,
  response,
  someone,
  text,
  unkept,
} from './fields.ts';
import {
  EchoedIncidentsQuery,
  EchoedPreviewsQuery,
  IncidentPreviewsQuery,
  IncidentsQuery,
} from './incident-queries.ts';
import { incidentTypes } from './incident-type.ts';
import { IncidentLabel, LabelInput, maxLabels } from './labels.ts';
import { Assignment, AssignmentPreview } from './roles.ts';
import { TaskList } from './tasks.ts';

/** States of an incident; either may follow either (docs/api-rules.md A6). */
export const incidentStatuses = ['active', 'resolved'] as const;
/** One of {@link incidentStatuses}. */
export type IncidentStatus = (typeof incidentStatuses)[number];

/** The most characters of a title (docs/api-rules.md A6). */
export const maxTitle = 500;

/** A list of people who hold roles, without the placeholder slots of some servers (docs/api-rules.md A3). */
function holders<S extends z.ZodType<{ user: { userID: string } }>>(assignment: S) {
  return list(assignment).transform(all => all.filter(each => each.user.userID !== ''));
}

/** The people of an incident. */
export const IncidentMembership = z.object({
  assignments: holders(Assignment),
  totalAssignments: count(),
  totalParticipants: count(),
});
/** The people of an incident. */
export type IncidentMembership = z.output<typeof IncidentMembership>;

/** The important people of an incident, in previews. */
export const IncidentMembershipPreview = z.object({
  importantAssignments: holders(AssignmentPreview),
  totalAssignments: count(),
  totalParticipants: count(),
});

/** Value of a custom field, JSON-encoded. */
export const CustomMetadataFieldValue = z.object({ fieldID: count(), fieldUUID: text(), value: text() });

/** An incident. Times are RFC 3339 and `""` when unset. */
export const Incident = z.object({
  incidentID: text(),
  severity: text(),
  labels: list(IncidentLabel),
  isDrill: flag(),
  createdTime: text(),
  modifiedTime: text(),
  createdByUser: someone(),
  closedTime: text(),
  durationSeconds: count(),
  status: open(incidentStatuses),
  title: text(),
  overviewURL: text(),
  incidentMembership: lenient(IncidentMembership, () => ({
    assignments: [],
    totalAssignments: 0,
    totalParticipants: 0,
  })),
  taskList: lenient(TaskList, () => ({ tasks: [], todoCount: 0, doneCount: 0 })),
  heroImagePath: text(),
  incidentStart: text(),
  incidentEnd: text(),
  summary: text(),
  incidentType: open(incidentTypes),
  refs: list(z.unknown()),
  incidentChannels: list(z.unknown()),
});
/** An incident. */
export type Incident = z.output<typeof Incident>;

/** An incident in lists. `fieldValues` and `incidentMembershipPreview` are null unless asked for. */
export const IncidentPreview = z.object({
  incidentID: text(),
  title: text(),
  description: text(),
  summary: text(),
  slug: text(),
  status: open(incidentStatuses),
  incidentType: open(incidentTypes),
  severityID: text(),
  severityLabel: text(),
  isDrill: flag(),
  version: count(),
  createdTime: text(),
  modifiedTime: text(),
  closedTime: text(),
  incidentStart: text(),
  incidentEnd: text(),
  heroImagePath: text(),
  createdByUser: someone(),
  labels: list(IncidentLabel),
  fieldValues: orNull(z.array(CustomMetadataFieldValue)),
  incidentMembershipPreview: orNull(IncidentMembershipPreview),
  incidentChannels: ifSet(list(z.unknown())),
});
/** An incident in lists. */
export type IncidentPreview = z.output<typeof IncidentPreview>;

const address = { incidentID: requiredText() };
const withIncident = response({ incident: Incident });
const withChange = response({ incident: Incident, didChange: flag() });
const assignment = z.object({ ...address, userID: requiredText(), role: requiredText() });

/** The members of CreateIncident, before any rule about them. */
export const NewIncident = z.object({
  title: requiredText(),
  severity: text(),
  labels: requestList(LabelInput),
  roomPrefix: text(),
  isDrill: flag(),
  status: choice(incidentStatuses),
  attachCaption: text(),
  attachURL: text(),
  incidentType: ifSet(choice(incidentTypes)),
  severityID: ifSet(text()),
  initialStatusUpdate: ifSet(text()),
  alertGroupID: ifSet(text()),
  summary: unkept('is not kept: give the words as initialStatusUpdate'),
  description: unkept('is not kept: give the words as initialStatusUpdate'),
  incidentStart: unkept('is not read here: declare the incident, then call IncidentsService.UpdateIncidentEventTime'),
  incidentEnd: unkept('is not read here: declare the incident, then call IncidentsService.UpdateIncidentEventTime'),
  statusID: unkept('is not read: give status'),
  fieldValues: unkept('is not kept, since there are no custom fields: give labels with a key'),
  fieldGroupUUID: unkept('is not kept, since there are no custom fields: leave it out'),
});
/** The members of CreateIncident. */
export type NewIncident = z.output<typeof NewIncident>;

/** Incidents (docs/incident-api.md, IncidentsService). */
export const IncidentsService = {
  AddLabel: defineMethod({
    summary: `Add a label; a label already there changes nothing. An incident has at most ${maxLabels}.`,
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, label: LabelInput }),
    output: withIncident,
    errors: ['not_found'],
  }),
  AssignRole: defineMethod({
    summary: 'Give a person a role. `didChange` is false when they hold it already.',
    effect: 'set',
    access: 'Editor',
    input: assignment,
    output: withChange,
    errors: ['not_found'],
  }),
  CreateIncident: defineMethod({
    summary: 'Declare an incident; status `resolved` makes a retrospective one.',
    effect: 'create',
    access: 'Editor',
    input: NewIncident,
    output: withIncident,
    errors: [],
  }),
  GetHomescreenVersion: defineMethod({
    summary: 'A number that rises when any incident or role changes.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({}),
    output: response({ version: count() }),
    errors: [],
  }),
  GetIncident: defineMethod({
    summary: 'Get an incident.',
    effect: 'read',
    access: 'Viewer',
    input: z.object(address),
    output: withIncident,
    errors: ['not_found'],
  }),
  GetIncidentMembership: defineMethod({
    summary: 'List everybody who holds a role in an incident.',
    effect: 'read',
    access: 'Viewer',
    input: z.object(address),
    output: response({ assignments: holders(Assignment) }),
    errors: ['not_found'],
  }),
  GetIncidentVersion: defineMethod({
    summary: 'A number that rises when the incident, its people, tasks or timeline change.',
    effect: 'read',
    access: 'Viewer',
    input: z.object(address),
    output: response({ version: count() }),
    errors: ['not_found'],
  }),
  QueryIncidentPreviews: defineMethod({
    summary: 'List incidents, a page at a time.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({
      query: IncidentPreviewsQuery,
      cursor: cursor(),
      includeCustomFieldValues: flag(),
      includeMembershipPreview: flag(),
      includeIncidentChannels: ifSet(flag()),
    }),
    output: response({ incidentPreviews: list(IncidentPreview), query: EchoedPreviewsQuery, cursor: cursor() }),
    errors: [],
  }),
  QueryIncidents: defineMethod({
    summary: 'List whole incidents, a page at a time. Deprecated: use QueryIncidentPreviews.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ query: IncidentsQuery, cursor: cursor() }),
    output: response({ incidents: list(Incident), query: EchoedIncidentsQuery, cursor: cursor() }),
    errors: [],
  }),
  RemoveLabel: defineMethod({
    summary: 'Remove a label; a label that is not there changes nothing.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, label: requiredText() }),
    output: withIncident,
    errors: ['not_found'],
  }),
  UnassignRole: defineMethod({
    summary: 'Take a role from a person. `didChange` is false when they did not hold it.',
    effect: 'set',
    access: 'Editor',
    input: assignment,
    output: withChange,
    errors: ['not_found'],
  }),
  UpdateIncidentEventTime: defineMethod({
    summary: 'Say when the incident started or ended.',
    effect: 'set',
    access: 'Editor',
    input: z.object({
      ...address,
      eventTime: text(),
      activityItemKind: choice(['incidentStart', 'incidentEnd']),
      eventName: ifSet(choice(['incidentStart', 'incidentEnd'])),
    }),
    output: response({}),
    errors: ['not_found'],
  }),
  UpdateIncidentIsDrill: defineMethod({
    summary: 'Say whether the incident is a drill.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, isDrill: flag() }),
    output: withIncident,
    errors: ['not_found'],
  }),
  UpdateSeverity: defineMethod({
    summary: 'Say how bad the incident is.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, severity: requiredText() }),
    output: withIncident,
    errors: ['not_found'],
  }),
  UpdateStatus: defineMethod({
    summary: 'Resolve or reopen an incident.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, status: requiredChoice(incidentStatuses) }),
    output: withIncident,
    errors: ['not_found'],
  }),
  UpdateTitle: defineMethod({
    summary: 'Rename an incident.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, title: requiredText() }),
    output: withIncident,
    errors: ['not_found'],
  }),
} as const;
