import { z } from 'zod';
import { defineMethod } from './define.ts';
import {
  choice,
  count,
  cursor,
  flag,
  ifSet,
  list,
  means,
  requiredChoice,
  requiredText,
  response,
  time,
} from './fields.ts';
import {
  EchoedIncidentsQuery,
  EchoedPreviewsQuery,
  IncidentPreviewsQuery,
  IncidentsQuery,
} from './incident-queries.ts';
import { holders, Incident, IncidentPreview, incidentStatuses, NewIncident } from './incidents.ts';
import { LabelInput, maxLabels } from './labels.ts';
import { Assignment } from './roles.ts';

const address = { incidentID: means(requiredText(), 'The number of the incident, in digits.') };
const withIncident = response({ incident: Incident });
const withChange = response({
  incident: Incident,
  didChange: means(
    flag(),
    'Whether the call changed anything: false when the person did or did not hold the role already.',
  ),
});
const assignment = z.object({
  ...address,
  userID: means(requiredText(), 'The id of the person, `provider:id`.'),
  role: means(
    requiredText(),
    'The name of an active role: `commander`, `investigator`, `observer`, or one of your own.',
  ),
});

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
    output: response({ version: means(count(), 'A higher number than last time: something changed.') }),
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
    output: response({ assignments: means(holders(Assignment), 'Everybody who holds a role.') }),
    errors: ['not_found'],
  }),
  GetIncidentVersion: defineMethod({
    summary: 'A number that rises when the incident, its people, tasks or timeline change.',
    effect: 'read',
    access: 'Viewer',
    input: z.object(address),
    output: response({ version: means(count(), 'A higher number than last time: something changed.') }),
    errors: ['not_found'],
  }),
  QueryIncidentPreviews: defineMethod({
    summary: 'List incidents, a page at a time.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({
      query: IncidentPreviewsQuery,
      cursor: cursor(),
      includeCustomFieldValues: means(flag(), 'Whether `fieldValues` are answered, instead of null.'),
      includeMembershipPreview: means(flag(), 'Whether `incidentMembershipPreview` is answered, instead of null.'),
      includeIncidentChannels: means(ifSet(flag()), 'Not needed: `incidentChannels` are always answered.'),
    }),
    output: response({
      incidentPreviews: means(list(IncidentPreview), 'The incidents of this page.'),
      query: EchoedPreviewsQuery,
      cursor: cursor(),
    }),
    errors: [],
  }),
  QueryIncidents: defineMethod({
    summary: 'List whole incidents, a page at a time. Deprecated: use QueryIncidentPreviews.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({ query: IncidentsQuery, cursor: cursor() }),
    output: response({
      incidents: means(list(Incident), 'The incidents of this page.'),
      query: EchoedIncidentsQuery,
      cursor: cursor(),
    }),
    errors: [],
  }),
  RemoveLabel: defineMethod({
    summary: 'Remove a label; a label that is not there changes nothing.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, label: means(requiredText(), 'The text of the label.') }),
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
      eventTime: means(time(), 'The time. Empty: now.'),
      activityItemKind: means(
        choice(['incidentStart', 'incidentEnd']),
        'Which of both times is meant. It or `eventName` is required.',
      ),
      eventName: means(
        ifSet(choice(['incidentStart', 'incidentEnd'])),
        'Another name of `activityItemKind`. When both are given they must be equal.',
      ),
    }),
    output: response({}),
    errors: ['not_found'],
  }),
  UpdateIncidentIsDrill: defineMethod({
    summary: 'Say whether the incident is a drill.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, isDrill: means(flag(), 'Whether it is an exercise; false when it is absent.') }),
    output: withIncident,
    errors: ['not_found'],
  }),
  UpdateSeverity: defineMethod({
    summary: 'Say how bad the incident is.',
    effect: 'set',
    access: 'Editor',
    input: z.object({
      ...address,
      severity: means(requiredText(), 'The label or id of a severity, whatever its case.'),
    }),
    output: withIncident,
    errors: ['not_found'],
  }),
  UpdateStatus: defineMethod({
    summary: 'Resolve or reopen an incident.',
    effect: 'set',
    access: 'Editor',
    input: z.object({
      ...address,
      status: means(requiredChoice(incidentStatuses), 'The new state; either may follow either.'),
    }),
    output: withIncident,
    errors: ['not_found'],
  }),
  UpdateTitle: defineMethod({
    summary: 'Rename an incident.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, title: means(requiredText(), 'The new title, of 1 to 500 characters.') }),
    output: withIncident,
    errors: ['not_found'],
  }),
} as const;
