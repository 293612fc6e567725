import { type ActivityItem, activityKinds } from '../contract/activity.ts';
import type { Api } from '../contract/contract.ts';
import { RpcError } from '../contract/errors.ts';
import type { UserPreview } from '../contract/fields.ts';
import { type Incident, type IncidentPreview, incidentStatuses } from '../contract/incidents.ts';
import { defaultLabelKey } from '../contract/labels.ts';
import { items as listItems } from '../contract/paging.ts';
import type { Role } from '../contract/roles.ts';
import { taskStatuses } from '../contract/tasks.ts';
import { formatTime, parseTime } from '../service/store/time.ts';
import { pageSize } from './api-incident.ts';
import type {
  FolderRecord,
  IncidentFile,
  ItemRecord,
  RoleRecord,
  TaskRecord,
  TransferSource,
  UserRecord,
} from './format.ts';

/** Reads an export from a Grafana, or any other server of the API, through its public operations. */
export function openApiSource({
  api,
  address,
  dashboards,
}: {
  readonly api: Api;
  readonly address: string;
  /** Uids of further dashboards. The API cannot list dashboards; those that timelines link to are read anyway. */
  readonly dashboards: readonly string[];
}): TransferSource {
  const people = new Map<string, UserRecord>();
  const roles = new Map<number, RoleRecord>();
  const reader = openDashboardReader(api, address, dashboards);
  const gaps = [
    'The API does not give the prefixes of channel names, the levels of severities, or earlier versions of dashboards.',
    'The API lists no dashboards: the export has those that timelines link to, and those named with --dashboard.',
  ];
  const meet = (user: UserPreview | null): string => {
    if (user && user.userID !== '' && !people.has(user.userID)) people.set(user.userID, toPerson(user));
    return user?.userID ?? '';
  };
  return {
    address,
    gaps,
    async *incidents() {
      for (const role of (await api.RolesService.GetRoles({})).roles) roles.set(role.roleID, toRole(role, false));
      const query = { limit: pageSize, orderDirection: 'ASC', orderField: 'createdTime', queryString: '' } as const;
      const listed = listItems(api.IncidentsService.QueryIncidentPreviews, 'incidentPreviews', { query });
      for await (const preview of listed) {
        const { incidentID } = preview;
        const { incident } = await api.IncidentsService.GetIncident({ incidentID });
        const { assignments } = await api.IncidentsService.GetIncidentMembership({ incidentID });
        for (const { role, roleID } of assignments) if (!roles.has(roleID)) roles.set(roleID, toRole(role, true));
        const items: ActivityItem[] = [];
        const query = { incidentID, limit: pageSize, orderDirection: 'ASC' as const };
        for await (const item of listItems(api.ActivityService.QueryActivity, 'activityItems', { query }))
          items.push(item);
        items.sort((one, other) => (parseTime(one.createdTime) ?? 0) - (parseTime(other.createdTime) ?? 0));
        for (const { body, url } of items) reader.notice(`${body} ${url}`);
        yield {
          ...toHead(incident, preview),
          createdByUserID: meet(incident.createdByUser),
          assignments: assignments.map(each => ({ userID: meet(each.user), roleID: each.roleID })),
          tasks: incident.taskList.tasks.map(task => toTask(task, meet)),
          timeline: items.map(item => toItem(item, meet)),
        };
      }
    },
    roles: async () => [...roles.values()].sort((one, other) => one.roleID - other.roleID),
    dashboards: () => reader.dashboards(),
    folders: async () => reader.folders(),
    async people() {
      for await (const user of readUsers(api)) people.set(user.userID, user);
      return [...people.values()].sort((one, other) => (one.userID < other.userID ? -1 : 1));
    },
  };
}

/** All users of the server; none where it lacks the operation. */
async function* readUsers(api: Api): AsyncGenerator<UserRecord> {
  try {
    for await (const user of listItems(api.UsersService.QueryUsers, 'users', { query: { limit: pageSize } })) {
      const { email, slackUserID, slackTeamID, modifiedTime } = user;
      yield { ...toPerson(user), email, slackUserID, slackTeamID, modifiedTime: toTime(modifiedTime) };
    }
  } catch (error) {
    if (!(error instanceof RpcError) || !['not_found', 'permission_denied'].includes(error.code)) throw error;
  }
}

function toPerson({ userID, name, photoURL }: UserPreview): UserRecord {
  return { userID, name: name || userID, photoURL, email: '', slackUserID: '', slackTeamID: '', modifiedTime: '' };
}

function toRole(role: Role, deleted: boolean): RoleRecord {
  const { roleID, name, description, important, mandatory, archived } = role;
  const times = { createdTime: toTime(role.createdAt), updatedTime: toTime(role.updatedAt) };
  return { roleID, name: name || `role ${roleID}`, description, important, mandatory, archived, deleted, ...times };
}

function toHead(incident: Incident, preview: IncidentPreview) {
  const createdTime = need(incident.createdTime, `incident ${incident.incidentID}`);
  return {
    origin: `${incident.incidentID}@${createdTime}`,
    incidentID: incident.incidentID,
    title: incident.title,
    severity: incident.severity,
    severityLevel: null,
    status: toStatus(incident),
    isDrill: incident.isDrill,
    isPrivate: incident.incidentType === 'private' || preview.incidentType === 'private',
    roomPrefix: '',
    summary: incident.summary,
    createdTime,
    modifiedTime: toTime(incident.modifiedTime) || createdTime,
    closedTime: toTime(incident.closedTime),
    incidentStart: toTime(incident.incidentStart) || createdTime,
    incidentEnd: toTime(incident.incidentEnd),
    version: Math.max(0, Math.trunc(preview.version)),
    labels: incident.labels.map(({ key, label, description, colorHex }) => {
      return { key: key || defaultLabelKey, label, description, colorHex };
    }),
  } satisfies Partial<IncidentFile>;
}

/** Newer servers have more statuses (docs/api-rules.md A2). A closed incident counts as resolved. */
function toStatus({ status, closedTime }: Incident): IncidentFile['status'] {
  const known = incidentStatuses.find(each => each === status);
  if (known) return known;
  return toTime(closedTime) === '' ? 'active' : 'resolved';
}

function toTask(task: Incident['taskList']['tasks'][number], meet: (user: UserPreview | null) => string): TaskRecord {
  const createdTime = need(task.createdTime, `task ${task.taskID}`);
  return {
    taskID: task.taskID,
    text: task.text,
    status: taskStatuses.find(each => each === task.status) ?? 'todo',
    authorUserID: meet(task.authorUser),
    assignedUserID: meet(task.assignedUser),
    createdTime,
    modifiedTime: toTime(task.modifiedTime) || createdTime,
    immutable: task.immutable,
  };
}

function toItem(item: ActivityItem, meet: (user: UserPreview | null) => string): ItemRecord {
  const createdTime = need(item.createdTime, `item ${item.activityItemID}`);
  const kind = activityKinds.find(each => each === item.activityKind);
  const files = item.attachments
    .filter(each => each.deletedTime === '')
    .map(({ path, sourceURL, downloadURL, contentType, uploadTime }) => ({
      ...{ path, sourceURL, downloadURL, contentType, uploadTime },
    }));
  return {
    activityItemID: item.activityItemID,
    kind: kind ?? 'incidentUpdated',
    userID: meet(item.user),
    subjectUserID: meet(item.subjectUser),
    createdTime,
    eventTime: toTime(item.eventTime) || createdTime,
    body: item.body,
    url: item.url,
    tags: item.tags.filter(each => each === 'important' || each === 'starred'),
    immutable: item.immutable,
    fieldValues: {
      ...item.fieldValues,
      ...(kind ? {} : { activityKind: item.activityKind }),
      ...(files.length === 0 ? {} : { attachments: files }),
    },
  };
}

/** A time in the format's form; `""` for one that is not set, in any of the servers' forms. */
function toTime(text: string): string {
  return formatTime(parseTime(text) ?? null);
}

function need(text: string, whose: string): string {
  const time = toTime(text);
  if (time === '') throw new Error(`The server gives ${whose} no readable time of creation: ${text}`);
  return time;
}

/** Links in texts: `/d/<uid>` and `/goto/<uid>` of any host, because servers have several names. */
const link = /\/(d|goto)\/([A-Za-z0-9_-]{1,200})/g;

/** Makes a reader of named dashboards and of those that texts link to, directly or by a short link. */
/** Reads dashboards from a server that cannot list them: named ones, and those that texts link to. */
function openDashboardReader(api: Api, address: string, named: readonly string[]) {
  const uids = new Set(named);
  const short = new Set<string>();
  const folders = new Map<string, FolderRecord>();
  const notice = (text: string) => {
    for (const [, kind, uid = ''] of text.matchAll(link)) (kind === 'd' ? uids : short).add(uid);
  };
  return {
    /** Looks for links to dashboards in a text. */
    notice,
    /** The folders of the dashboards that have been read. */
    folders: () => [...folders.values()].sort((one, other) => one.id - other.id),
    async *dashboards() {
      for (const uid of short) notice((await unlessMissing(api.ShortUrls.goto({ uid })))?.location ?? '');
      for (const uid of [...uids].sort()) {
        const found = await unlessMissing(api.Dashboards.get({ uid }));
        if (!found && named.includes(uid)) throw new Error(`There is no dashboard ${uid} at ${address}.`);
        if (!found) continue;
        const { dashboard, meta } = found;
        const times = { createdTime: toEarliest(meta.created), updatedTime: toEarliest(meta.updated) };
        const people = { createdByUserID: '', updatedByUserID: '' };
        if (meta.folderUid !== '') {
          const { folderUid: each, folderTitle: title, folderId: id } = meta;
          folders.set(each, { id: Math.max(0, id), uid: each, title: title || each, ...times, ...people });
        }
        const version = Math.max(1, Math.trunc(dashboard.version));
        const { createdTime, updatedTime } = times;
        const only = {
          version,
          parentVersion: version - 1,
          message: '',
          createdTime: updatedTime,
          createdByUserID: '',
        };
        yield {
          id: Math.max(0, dashboard.id ?? 0),
          uid,
          title: dashboard.title,
          folderUid: meta.folderUid,
          plugin: { id: '', name: '' },
          version,
          createdTime,
          updatedTime,
          deletedTime: '',
          ...people,
          model: dashboard,
          versions: [{ ...only, model: dashboard }],
        };
      }
    },
  };
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RpcError && ['not_found', 'permission_denied', 'invalid_argument'].includes(error.code))
      return undefined;
    throw error;
  }
}

/** A time, or the earliest possible one when the server gives none. */
function toEarliest(text: string): string {
  return formatTime(parseTime(text) ?? 0);
}
