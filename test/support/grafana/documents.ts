/*
 * The requests of the two published API documents, as the vendor's Go servers decode them: each with its zero value. A list stands with one
 * item, which shows its type; `{}` is an object of any members.
 */

const cursor = { nextValue: '', hasMore: false };
const label = { label: '', description: '', colorHex: '' };
const role = {
  ...{ roleID: 0, orgID: '', name: '', description: '' },
  ...{ important: false, mandatory: false, archived: false, createdAt: '', updatedAt: '' },
};
const assignment = { incidentID: '', userID: '', role: '' };
const item = { incidentID: '', activityItemID: '' };
const task = { incidentID: '', taskID: '' };
const dated = { limit: 0, orderDirection: '', queryString: '' };

/** The 30 operations of the incident document. */
export const requests = {
  'ActivityService.AddActivity': { incidentID: '', activityKind: '', body: '', eventTime: '' },
  'ActivityService.QueryActivity': {
    query: { incidentID: '', limit: 0, tag: '', orderDirection: '', activityKind: [''] },
    cursor,
  },
  'ActivityService.RemoveActivity': item,
  'ActivityService.UpdateActivityBody': { ...item, body: '' },
  'ActivityService.UpdateActivityEventTime': { ...item, eventTime: '' },
  'IncidentsService.AddLabel': { incidentID: '', label },
  'IncidentsService.AssignRole': assignment,
  'IncidentsService.CreateIncident': {
    ...{ title: '', severity: '', labels: [label], roomPrefix: '', isDrill: false, status: '' },
    ...{ attachCaption: '', attachURL: '' },
  },
  'IncidentsService.GetIncident': { incidentID: '' },
  'IncidentsService.GetIncidentMembership': { incidentID: '' },
  'IncidentsService.QueryIncidentPreviews': {
    query: { ...dated, orderField: '' },
    ...{ cursor, includeCustomFieldValues: false, includeMembershipPreview: false },
  },
  'IncidentsService.QueryIncidents': {
    query: {
      ...{ ...dated, severity: '', onlyDrills: false, includeStatuses: [''], excludeStatuses: [''] },
      ...{ incidentLabels: [''], dateFrom: '', dateTo: '' },
    },
    cursor,
  },
  'IncidentsService.RemoveLabel': { incidentID: '', label: '' },
  'IncidentsService.UnassignRole': assignment,
  'IncidentsService.UpdateIncidentEventTime': { incidentID: '', eventTime: '', activityItemKind: '' },
  'IncidentsService.UpdateIncidentIsDrill': { incidentID: '', isDrill: false },
  'IncidentsService.UpdateSeverity': { incidentID: '', severity: '' },
  'IncidentsService.UpdateStatus': { incidentID: '', status: '' },
  'IncidentsService.UpdateTitle': { incidentID: '', title: '' },
  'RolesService.ArchiveRole': { roleID: 0 },
  'RolesService.CreateRole': { role },
  'RolesService.DeleteRole': { roleID: 0 },
  'RolesService.GetRoles': {},
  'RolesService.UnarchiveRole': { roleID: 0 },
  'RolesService.UpdateRole': { role },
  'TasksService.AddTask': { incidentID: '', text: '', assignToUserID: '' },
  'TasksService.DeleteTask': task,
  'TasksService.UpdateTaskStatus': { ...task, status: '' },
  'TasksService.UpdateTaskText': { ...task, text: '' },
  'TasksService.UpdateTaskUser': { ...task, userID: '' },
};

/** Operations that some servers have and no document describes. */
export const undocumented = {
  'UsersService.GetUser': { userID: '' },
  'UsersService.QueryUsers': { query: { limit: 0 }, cursor },
};

/** Members that newer clients of the vendor's send too, by operation. */
export const newerMembers: Readonly<Record<string, object>> = {
  'ActivityService.AddActivity': { fieldValues: {} },
};

/** Requests by their operations, whole. */
export type Requests = typeof requests & typeof undocumented;

/** The 8 endpoints of the short-URL and dashboard document, `:uid` where an address has one. */
export const endpoints = [
  'POST /api/short-urls',
  'POST /api/dashboards/db',
  'GET /api/dashboards/uid/:uid',
  'DELETE /api/dashboards/uid/:uid',
  'DELETE /api/dashboards/uid/:uid/trash',
  'PATCH /api/dashboards/uid/:uid/trash',
  'GET /api/dashboards/home',
  'GET /api/dashboards/tags',
] as const;

/** What decoding a request came to. */
interface Decoded<T> {
  readonly value: T;
  /** Members whose type is another one, as the server would say it; a request with one is refused. */
  readonly wrong: readonly string[];
  /** Members that the document does not have; servers ignore them. */
  readonly beyond: readonly string[];
}

/** Decodes JSON as Go does: null and absent members are zero, unknown ones are ignored, others must have their type. */
export function decode<T>(zero: T, given: unknown): Decoded<T> {
  const wrong: string[] = [];
  const beyond: string[] = [];
  const read = (like: unknown, value: unknown, path: string): unknown => {
    if (value === null || value === undefined) return Array.isArray(like) ? [] : like;
    const kind = Array.isArray(like) ? 'array' : typeof like;
    const actual = Array.isArray(value) ? 'array' : typeof value;
    if (kind !== actual) {
      wrong.push(`json: cannot unmarshal ${actual} into Go struct field ${path} of type ${kind}`);
      return like;
    }
    if (Array.isArray(like)) return (value as unknown[]).map((each, at) => read(like[0], each, `${path}.${at}`));
    if (kind !== 'object') return value;
    const members = Object.entries(like as object);
    if (members.length === 0 && path !== '') return value;
    const known = new Map(members);
    for (const name of Object.keys(value)) if (!known.has(name)) beyond.push(path === '' ? name : `${path}.${name}`);
    return Object.fromEntries(
      members.map(([name, inner]) => [
        name,
        read(inner, Reflect.get(value, name), path === '' ? name : `${path}.${name}`),
      ]),
    );
  };
  return { value: read(zero, given, '') as T, wrong, beyond };
}
