import { z } from 'zod';
import {
  choice,
  count,
  flag,
  ifSet,
  lenient,
  list,
  means,
  open,
  orNull,
  requestList,
  requiredText,
  someone,
  text,
  time,
  unkept,
} from './fields.ts';
import { incidentTypes } from './incident-type.ts';
import { IncidentLabel, LabelInput } from './labels.ts';
import { Assignment, AssignmentPreview } from './roles.ts';
import { TaskList } from './tasks.ts';

/** States of an incident; either may follow either (docs/api-rules.md A6). */
export const incidentStatuses = ['active', 'resolved'] as const;
/** One of {@link incidentStatuses}. */
export type IncidentStatus = (typeof incidentStatuses)[number];

/** The most characters of a title (docs/api-rules.md A6). */
export const maxTitle = 500;

/** A list of people who hold roles, without the placeholder slots of some servers (docs/api-rules.md A3). */
export function holders<S extends z.ZodType<{ user: { userID: string } }>>(assignment: S) {
  return list(assignment).transform(all => all.filter(each => each.user.userID !== ''));
}

export const IncidentMembership = z.object({
  assignments: means(holders(Assignment), 'Who holds which role.'),
  totalAssignments: means(count(), 'How many assignments there are.'),
  totalParticipants: means(count(), 'How many people hold only roles that are neither important nor mandatory.'),
});
means(IncidentMembership, 'The people of an incident.');
export type IncidentMembership = z.output<typeof IncidentMembership>;

/** The important people of an incident, in previews. */
export const IncidentMembershipPreview = z.object({
  importantAssignments: means(holders(AssignmentPreview), 'Who holds the important roles.'),
  totalAssignments: means(count(), 'How many assignments there are.'),
  totalParticipants: means(count(), 'How many people hold only roles that are neither important nor mandatory.'),
});
means(IncidentMembershipPreview, 'The important people of an incident.');

/** Value of a custom field, JSON-encoded. */
export const CustomMetadataFieldValue = z.object({
  fieldID: means(count(), 'The number of the custom field.'),
  fieldUUID: means(text(), 'The id of the custom field.'),
  value: means(text(), 'Its value, as JSON in a text.'),
});
means(CustomMetadataFieldValue, 'The value of a custom field.');

/** An incident. Times are RFC 3339 and `""` when unset. */
export const Incident = z.object({
  incidentID: means(text(), 'The number of the incident, in digits.'),
  severity: means(text(), 'How bad it is: the label of a severity, see SeveritiesService.'),
  labels: means(list(IncidentLabel), 'Its labels.'),
  isDrill: means(flag(), 'Whether it is an exercise. Drills count in no figures.'),
  createdTime: means(time(), 'When it was declared.'),
  modifiedTime: means(time(), 'When it was last changed.'),
  createdByUser: means(someone(), 'The person who declared it.'),
  closedTime: means(time(), 'When it was set to resolved; empty while it is active.'),
  durationSeconds: means(
    count(),
    'Whole seconds from `incidentStart` to `incidentEnd`, or to now while there is no end.',
  ),
  status: means(open(incidentStatuses), 'Whether it goes on.'),
  title: means(text(), 'What it is about, of 1 to 500 characters.'),
  overviewURL: means(text(), 'The path of its page.'),
  incidentMembership: means(
    lenient(IncidentMembership, () => ({ assignments: [], totalAssignments: 0, totalParticipants: 0 })),
    'Its people.',
  ),
  taskList: means(
    lenient(TaskList, () => ({ tasks: [], todoCount: 0, doneCount: 0 })),
    'Its tasks.',
  ),
  heroImagePath: means(text(), 'The path of a picture. This service has none and sends an empty text.'),
  incidentStart: means(time(), 'When the trouble began: when it was declared, unless somebody said another time.'),
  incidentEnd: means(
    time(),
    'When the trouble ended: when it was resolved, unless somebody said another time. Empty: there is no end.',
  ),
  summary: means(text(), 'A summary. This service has none and sends an empty text.'),
  incidentType: means(
    open(incidentTypes),
    'Who sees it: everybody who may read incidents, or for `private` its own people.',
  ),
  refs: means(list(z.unknown()), 'Always empty here.'),
  incidentChannels: means(list(z.unknown()), 'Always empty here.'),
});
means(Incident, 'An incident, whole, with its people and tasks. After a change: as it is now.');
export type Incident = z.output<typeof Incident>;

/** An incident in lists. `fieldValues` and `incidentMembershipPreview` are null unless asked for. */
export const IncidentPreview = z.object({
  incidentID: means(text(), 'The number of the incident, in digits.'),
  title: means(text(), 'What it is about, of 1 to 500 characters.'),
  description: means(text(), 'Always empty here.'),
  summary: means(text(), 'Always empty here.'),
  slug: means(text(), 'The title as a part of an address.'),
  status: means(open(incidentStatuses), 'Whether it goes on.'),
  incidentType: means(
    open(incidentTypes),
    'Who sees it: everybody who may read incidents, or for `private` its own people.',
  ),
  severityID: means(text(), 'The id of its severity, `severity-<label>`.'),
  severityLabel: means(text(), 'How bad it is: the label of a severity.'),
  isDrill: means(flag(), 'Whether it is an exercise. Drills count in no figures.'),
  version: means(count(), 'How often it, its people, tasks and timeline have changed, its declaration included.'),
  createdTime: means(time(), 'When it was declared.'),
  modifiedTime: means(time(), 'When it was last changed.'),
  closedTime: means(time(), 'When it was set to resolved; empty while it is active.'),
  incidentStart: means(time(), 'When the trouble began: when it was declared, unless somebody said another time.'),
  incidentEnd: means(
    time(),
    'When the trouble ended: when it was resolved, unless somebody said another time. Empty: there is no end.',
  ),
  heroImagePath: means(text(), 'Always empty here.'),
  createdByUser: means(someone(), 'The person who declared it.'),
  labels: means(list(IncidentLabel), 'Its labels.'),
  fieldValues: means(
    orNull(z.array(CustomMetadataFieldValue)),
    'Values of custom fields: an empty list here, and null unless `includeCustomFieldValues` asks for them.',
  ),
  incidentMembershipPreview: means(
    orNull(IncidentMembershipPreview),
    'Its important people; null unless `includeMembershipPreview` asks for them.',
  ),
  incidentChannels: means(ifSet(list(z.unknown())), 'Always empty here.'),
});
means(IncidentPreview, 'An incident in lists.');
export type IncidentPreview = z.output<typeof IncidentPreview>;

/** The members of CreateIncident, before any rule about them. */
export const NewIncident = z.object({
  title: means(requiredText(), 'What it is about, of 1 to 500 characters.'),
  severity: means(
    text(),
    'The label or id of a severity, whatever its case. Empty: the first of the list, which is `pending` unless the installation says otherwise.',
  ),
  labels: means(requestList(LabelInput), 'Its labels, at most 200. Empty texts and repetitions are dropped.'),
  roomPrefix: means(text(), 'What the name of its channel begins with.'),
  isDrill: means(flag(), 'Whether it is an exercise.'),
  status: means(
    choice(incidentStatuses),
    '`active`, which is also meant when it is empty; `resolved` makes a retrospective incident.',
  ),
  attachCaption: means(text(), 'The title of `attachURL`, of at most 8192 characters.'),
  attachURL: means(text(), 'An address to attach to the timeline, of at most 8192 characters.'),
  incidentType: means(ifSet(choice(incidentTypes)), 'Who sees it; empty means `internal`.'),
  severityID: means(ifSet(text()), 'Another way to name the severity. Give one of both.'),
  initialStatusUpdate: means(
    ifSet(text()),
    'The first update: a note that begins with 📣. Addresses in it are attached.',
  ),
  alertGroupID: means(ifSet(text()), 'The id of a group of alerts to attach.'),
  summary: unkept('is not kept: give the words as initialStatusUpdate'),
  description: unkept('is not kept: give the words as initialStatusUpdate'),
  incidentStart: unkept('is not read here: declare the incident, then call IncidentsService.UpdateIncidentEventTime'),
  incidentEnd: unkept('is not read here: declare the incident, then call IncidentsService.UpdateIncidentEventTime'),
  statusID: unkept('is not read: give status'),
  fieldValues: unkept('is not kept, since there are no custom fields: give labels with a key'),
  fieldGroupUUID: unkept('is not kept, since there are no custom fields: leave it out'),
});
export type NewIncident = z.output<typeof NewIncident>;
