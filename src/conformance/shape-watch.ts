import { z } from 'zod';
import type { Transport } from '../client/transport.ts';
import { activityKinds } from '../contract/activity.ts';
import { orderFields } from '../contract/incident-queries.ts';
import type { Rule } from './check.ts';

/** Something in an answer that breaks an official client. */
interface ShapeFault {
  readonly rule: Rule;
  readonly words: string;
}

/**
 * Holds every success to what the official clients can read (docs/api-rules.md A1). Our own client reads leniently and would
 * not notice. That `heroImagePath` is always there is our decision, because newer servers dropped it.
 */
export function watchShapes(inner: Transport) {
  const seen = new Map<string, number>();
  const faults = new Map<string, ShapeFault[]>();
  const look = (operation: string, body: string) => {
    const shape = officialShapes[operation];
    if (shape === undefined) return;
    seen.set(operation, (seen.get(operation) ?? 0) + 1);
    const known = faults.get(operation) ?? [];
    for (const fault of findFaults(shape, body)) {
      if (!known.some(each => each.rule === fault.rule)) known.push(fault);
    }
    faults.set(operation, known);
  };
  return {
    transport: (async request => {
      const response = await inner(request);
      const operation = /\/([A-Za-z]+\.[A-Za-z]+)$/.exec(request.path)?.[1];
      if (operation !== undefined && response.status === 200) look(operation, response.body);
      return response;
    }) satisfies Transport,
    /** The number of successes of an operation. */
    seen: (operation: string) => seen.get(operation) ?? 0,
    /** The first fault of each rule. */
    faults: (operation: string) => faults.get(operation) ?? [],
  };
}

function findFaults(shape: (typeof officialShapes)[string], body: string): ShapeFault[] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [{ rule: 'required', words: 'expected JSON; got something else' }];
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues.map(issue => ({
    rule: issue.path.at(-1) === 'heroImagePath' ? 'ours' : 'required',
    words: `${issue.path.join('.')}: ${issue.message}`,
  }));
}

/*
 * What the official clients need, as one set of schemas: the members that the Node client requires, not null and inside its
 * enumerations, and whole numbers where the Go client decodes into int (docs/api-rules.md A1, "What both clients need from
 * responses").
 */

const time = z.string().regex(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z)?$/);
const setTime = time.min(1);
const direction = z.enum(['ASC', 'DESC', '']);
const user = z.object({ userID: z.string(), name: z.string(), photoURL: z.string() });
const cursor = z.object({ nextValue: z.string(), hasMore: z.boolean() });
const label = z.object({ label: z.string(), description: z.string(), colorHex: z.string() });
const attachment = z.object({
  attachmentID: z.string(),
  attachedByUserID: z.string(),
  sourceURL: z.string(),
  useSourceURL: z.boolean(),
  path: z.string(),
  uploadTime: z.string(),
  deletedTime: z.string(),
  contentType: z.string(),
  fileType: z.enum(['file', 'video', 'image', 'audio', 'screenshare', '']),
  ext: z.string(),
  contentLength: z.int(),
  displayType: z.enum(['list', 'embed', '']),
  downloadURL: z.string(),
  hasThumbnail: z.boolean(),
  thumbnailURL: z.string(),
  sHA512: z.string(),
  attachmentErr: z.string(),
});
const activityItem = z.object({
  activityItemID: z.string(),
  incidentID: z.string(),
  user,
  subjectUser: user,
  createdTime: setTime,
  eventTime: setTime,
  activityKind: z.enum([...activityKinds, '']),
  body: z.string(),
  url: z.string(),
  tags: z.array(z.enum(['important', 'starred', ''])),
  immutable: z.boolean(),
  fieldValues: z.record(z.string(), z.unknown()),
  attachments: z.array(attachment),
});
const role = z.object({
  roleID: z.int().nullish(),
  orgID: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  important: z.boolean(),
  mandatory: z.boolean(),
  archived: z.boolean(),
  createdAt: setTime,
  updatedAt: time.nullish(),
});
const assignment = z.object({ user, role, roleID: z.int() });
const membership = z.object({
  assignments: z.array(assignment),
  totalAssignments: z.int(),
  totalParticipants: z.int(),
});
const task = z.object({
  taskID: z.string(),
  text: z.string(),
  status: z.enum(['todo', 'progress', 'done', '']),
  authorUser: user.nullish(),
  assignedUser: user.nullish(),
  createdTime: setTime,
  modifiedTime: setTime,
  immutable: z.boolean(),
});
const taskList = z.object({ tasks: z.array(task), todoCount: z.int(), doneCount: z.int() });
const incident = z.object({
  incidentID: z.string(),
  severity: z.string(),
  labels: z.array(label),
  isDrill: z.boolean(),
  createdTime: setTime,
  modifiedTime: setTime,
  createdByUser: user,
  closedTime: time,
  durationSeconds: z.int().min(0),
  status: z.enum(['active', 'resolved', '']),
  title: z.string(),
  overviewURL: z.string(),
  incidentMembership: membership.nullish(),
  taskList,
  heroImagePath: z.string(),
  incidentStart: setTime,
  incidentEnd: time,
  summary: z.string(),
});
const preview = z.object({
  incidentID: z.string(),
  title: z.string(),
  description: z.string(),
  summary: z.string(),
  slug: z.string(),
  status: z.enum(['active', 'resolved', '']),
  incidentType: z.enum(['internal', 'private', '']),
  severityID: z.string(),
  severityLabel: z.string(),
  isDrill: z.boolean(),
  version: z.int(),
  createdTime: setTime,
  modifiedTime: setTime,
  closedTime: time,
  incidentStart: setTime,
  incidentEnd: time,
  heroImagePath: z.string(),
  createdByUser: user,
  labels: z.array(label),
  fieldValues: z.array(z.object({ fieldID: z.int(), value: z.string() })).nullish(),
  incidentMembershipPreview: z
    .object({
      importantAssignments: z.array(z.object({ user, roleID: z.int() })),
      totalAssignments: z.int(),
      totalParticipants: z.int(),
    })
    .nullish(),
});
const knownUser = z.object({
  userID: z.string(),
  internalUserID: z.string(),
  email: z.string(),
  modifiedTime: z.string(),
  name: z.string(),
  photoURL: z.string(),
  grafanaUserID: z.string(),
  grafanaLogin: z.string(),
  slackUserID: z.string(),
  slackTeamID: z.string(),
  msTeamsUserID: z.string(),
});

const error = z.literal('');
const withItem = z.object({ activityItem, error });
const withIncident = z.object({ incident, error });
const withChange = z.object({ incident, didChange: z.boolean(), error });
const withTask = z.object({ incidentID: z.string(), task, taskList, error });
const withVersion = z.object({ version: z.int(), error });
const nothing = z.object({ error });

/** The shape of every operation's success, by `<Service>.<Operation>`. */
export const officialShapes: Readonly<Record<string, z.ZodType>> = {
  'ActivityService.AddActivity': withItem,
  'ActivityService.QueryActivity': z.object({
    activityItems: z.array(activityItem),
    query: z.object({
      incidentID: z.string(),
      limit: z.int(),
      tag: z.string(),
      orderDirection: direction,
      activityKind: z.array(z.enum([...activityKinds, ''])),
    }),
    cursor,
    error,
  }),
  'ActivityService.RemoveActivity': withItem,
  'ActivityService.UpdateActivityBody': withItem,
  'ActivityService.UpdateActivityEventTime': withItem,
  'IncidentsService.AddLabel': withIncident,
  'IncidentsService.AssignRole': withChange,
  'IncidentsService.CreateIncident': withIncident,
  'IncidentsService.GetHomescreenVersion': withVersion,
  'IncidentsService.GetIncident': withIncident,
  'IncidentsService.GetIncidentMembership': z.object({ assignments: z.array(assignment), error }),
  'IncidentsService.GetIncidentVersion': withVersion,
  'IncidentsService.QueryIncidentPreviews': z.object({
    incidentPreviews: z.array(preview),
    query: z.object({
      limit: z.int(),
      orderDirection: direction.nullish(),
      orderField: z.enum([...orderFields, '']),
      queryString: z.string(),
    }),
    cursor,
    error,
  }),
  'IncidentsService.QueryIncidents': z.object({
    incidents: z.array(incident),
    query: z.object({
      limit: z.int(),
      orderDirection: direction,
      severity: z.string(),
      queryString: z.string(),
      onlyDrills: z.boolean(),
      includeStatuses: z.array(z.string()),
      excludeStatuses: z.array(z.string()),
      incidentLabels: z.array(z.string()),
      dateFrom: z.string(),
      dateTo: z.string(),
    }),
    cursor,
    error,
  }),
  'IncidentsService.RemoveLabel': withIncident,
  'IncidentsService.UnassignRole': withChange,
  'IncidentsService.UpdateIncidentEventTime': nothing,
  'IncidentsService.UpdateIncidentIsDrill': withIncident,
  'IncidentsService.UpdateSeverity': withIncident,
  'IncidentsService.UpdateStatus': withIncident,
  'IncidentsService.UpdateTitle': withIncident,
  'RolesService.ArchiveRole': nothing,
  'RolesService.CreateRole': z.object({ role, error }),
  'RolesService.DeleteRole': nothing,
  'RolesService.GetRoles': z.object({ roles: z.array(role), error }),
  'RolesService.UnarchiveRole': nothing,
  'RolesService.UpdateRole': z.object({ role, error }),
  'TasksService.AddTask': withTask,
  'TasksService.DeleteTask': z.object({ incidentID: z.string(), taskList, error }),
  'TasksService.UpdateTaskStatus': withTask,
  'TasksService.UpdateTaskText': withTask,
  'TasksService.UpdateTaskUser': withTask,
  'UsersService.GetUser': z.object({ user: knownUser, error }),
  'UsersService.QueryUsers': z.object({
    users: z.array(knownUser),
    query: z.object({ limit: z.int() }),
    cursor,
    error,
  }),
};
