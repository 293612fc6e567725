import { randomBytes, randomUUID } from 'node:crypto';
import type { Requests } from './documents.ts';
import type { Oddities } from './oddities.ts';
import { readSearch, type Searched } from './search-expression.ts';

/** A person as answers name them. */
export interface User {
  readonly userID: string;
  readonly name: string;
  readonly photoURL: string;
}

/** A person whom the server knows. */
export interface KnownUser {
  /** `grafana-incident:user-…`. */
  readonly userID: string;
  readonly name: string;
  readonly email: string;
  readonly slackUserID: string;
  readonly slackTeamID: string;
}

/** A role of the organisation. Times are RFC 3339, as all below. */
interface Role {
  readonly roleID: number;
  readonly orgID: string;
  readonly name: string;
  readonly description: string;
  readonly important: boolean;
  readonly mandatory: boolean;
  readonly archived: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A task of an incident. */
interface Task {
  readonly taskID: string;
  text: string;
  status: string;
  readonly authorUser: User | null;
  assignedUser: User | null;
  readonly createdTime: string;
  modifiedTime: string;
  readonly immutable: boolean;
}

/** An item of a timeline. */
export interface Item {
  readonly activityItemID: string;
  readonly incidentID: string;
  readonly user: User;
  readonly subjectUser: User;
  readonly createdTime: string;
  eventTime: string;
  readonly activityKind: string;
  body: string;
  readonly url: string;
  readonly tags: readonly string[];
  readonly immutable: boolean;
  readonly fieldValues: object;
  readonly attachments: readonly [];
}

/** An incident as the server keeps it. */
export interface HeldIncident {
  readonly incidentID: string;
  title: string;
  severity: string;
  status: string;
  isDrill: boolean;
  labels: readonly { readonly label: string; readonly description: string; readonly colorHex: string }[];
  readonly createdTime: string;
  modifiedTime: string;
  closedTime: string;
  incidentStart: string;
  incidentEnd: string;
  readonly createdByUser: User;
  readonly roomPrefix: string;
  assignments: readonly { readonly user: User; readonly role: Role; readonly roleID: number }[];
  tasks: readonly Task[];
  /** The timeline, in the order in which it was written. */
  items: readonly Item[];
  version: number;
}

/** The server says no. */
export class Refusal extends Error {
  readonly status: 400 | 404 | 409;
  readonly code: string;

  constructor(status: 400 | 404 | 409, words: string, code = 'common.validation_failed') {
    super(words);
    this.status = status;
    this.code = code;
  }
}

const notFound = (what: string, code?: string) => new Refusal(404, `${what}.FindOne: not found`, code);
const nobody: User = { userID: '', name: '', photoURL: '' };
const objectID = () => randomBytes(12).toString('hex');
const isAddress = /https?:\/\/[^\s<>"']+/g;
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** RFC 3339 without needless zeros. */
const bareTime = (time: string) => time.replace(/(\.\d*?)0+Z$/, '$1Z').replace('.Z', 'Z');
const toTime = (moment: Date) => bareTime(moment.toISOString());

/** JavaScript reads milliseconds alone. */
const toMicroseconds = (time: string) =>
  Math.floor(Date.parse(time) / 1000) * 1e6 + Number((/\.(\d+)/.exec(time)?.[1] ?? '').padEnd(6, '0'));

function readTime(given: string): string {
  // Microseconds are kept.
  if (rfc3339.test(given)) return given.endsWith('Z') ? bareTime(given) : toTime(new Date(given));
  throw new Refusal(400, `parsing time "${given}" as "2006-01-02T15:04:05Z07:00": cannot parse it`);
}

/** What the incident API is opened with. */
export interface IncidentApiOptions {
  readonly now: () => Date;
  readonly oddities: Oddities;
  /** The people whom it knows, as they are now. */
  readonly users: () => readonly KnownUser[];
}

/** Opens the incident API on no incidents and the three roles that every organisation begins with. */
export function openIncidentApi({ now, oddities, users }: IncidentApiOptions) {
  const incidents: HeldIncident[] = [];
  // The first is that of an incident nobody has judged.
  const severities = ['pending', 'minor', 'major', 'critical'].map(each =>
    oddities.displaySeverities ? `${each[0]?.toUpperCase()}${each.slice(1)}` : each,
  );
  const account: User = {
    userID: `grafana-incident:user-${objectID()}`,
    name: 'Service Account: muster',
    photoURL: '',
  };
  /** Users whom the server made of ids that it did not know. */
  const made = new Map<string, User>();
  const cursors = new Map<string, readonly unknown[]>();
  const firstRole = oddities.bigRoleIDs ? 9576 : 1;
  let roles: readonly Role[] = [
    ['commander', 'Owns the incident (has their full-time attention)', true] as const,
    ['investigator', 'Finds the cause', true] as const,
    ['observer', 'Watching the incident', false] as const,
  ].map(([name, description, important], at) => ({
    ...{ roleID: firstRole + at, orgID: '1', name, description, important, mandatory: important, archived: false },
    ...{ createdAt: '2025-01-15T09:00:00Z', updatedAt: '' },
  }));
  let lastRole = firstRole + roles.length - 1;
  let lastItem = 0;

  const time = () => toTime(now());
  const sameWord = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

  function find(incidentID: string): HeldIncident {
    const incident = incidents.find(each => each.incidentID === incidentID);
    if (!incident) throw notFound('Incident', 'incidents.not_found');
    return incident;
  }

  /** Any form of an id is accepted, and answered as the server knows that person. */
  function toUser(userID: string): User {
    if (userID === '') throw new Refusal(400, 'userID is required');
    const [provider = '', id = ''] = userID.split(/:(.*)/s);
    const known = users().find(each => each.userID === userID || (provider === 'slack' && each.slackUserID === id));
    if (known) return { userID: known.userID, name: known.name, photoURL: '' };
    const before = made.get(userID) ?? [...made.values()].find(each => each.userID === userID);
    if (before) return before;
    if (provider === 'grafana-incident') throw notFound('User');
    const user = {
      userID: oddities.ownUserIDs ? `grafana-incident:user-${objectID()}` : userID,
      name: userID,
      photoURL: '',
    };
    made.set(userID, user);
    return user;
  }

  function toSeverity(wanted: string): string {
    const found = severities.find(each => sameWord(each, wanted));
    if (found === undefined) throw notFound('Severity');
    return found;
  }

  function toRole(name: string): Role {
    const role = roles.find(each => sameWord(each.name, name) && !each.archived);
    if (!role) throw notFound('Role', 'roles.not_found');
    return role;
  }

  /** The role as objects carry it: only GetRoles fills its times. */
  const bare = (role: Role): Role => ({ ...role, createdAt: '', updatedAt: '' });

  function changed(incident: HeldIncident): HeldIncident {
    incident.modifiedTime = time();
    incident.version += 1;
    return incident;
  }

  /** Writes an item; a change of the incident causes it. */
  function note(incident: HeldIncident, activityKind: string, body: string, more: Partial<Item> = {}): Item {
    lastItem += 1;
    const at = time();
    const item: Item = {
      ...{ activityItemID: `activity-item-${lastItem}`, incidentID: incident.incidentID, user: account },
      ...{ subjectUser: nobody, createdTime: at, eventTime: at, activityKind, body, url: '', tags: [] },
      ...{ immutable: activityKind !== 'userNote', fieldValues: {}, attachments: [] as const, ...more },
    };
    incident.items = [...incident.items, item];
    changed(incident);
    return item;
  }

  const membership = ({ assignments }: HeldIncident) => {
    const hidden = assignments.filter(({ role }) => !role.important && !role.mandatory);
    const open = new Set(assignments.filter(each => !hidden.includes(each)).map(each => each.user.userID));
    const only = new Set(hidden.map(each => each.user.userID).filter(each => !open.has(each)));
    return { totalAssignments: assignments.length, totalParticipants: only.size };
  };
  const emptyRole: Role = {
    ...{ roleID: 0, orgID: '', name: '', description: '', createdAt: '', updatedAt: '' },
    ...{ important: false, mandatory: false, archived: false },
  };
  const slots = ({ assignments }: HeldIncident) =>
    oddities.tenSlots
      ? Array.from({ length: 10 }, (_, at) => assignments[at] ?? { user: nobody, role: emptyRole, roleID: 0 })
      : assignments;
  const listTasks = ({ tasks }: HeldIncident) => {
    const doneCount = tasks.filter(each => each.status === 'done').length;
    return { tasks, todoCount: tasks.length - doneCount, doneCount };
  };
  const slugOf = ({ title }: HeldIncident) =>
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'incident';
  const times = ({ createdTime, modifiedTime, closedTime, incidentStart, incidentEnd }: HeldIncident) => ({
    ...{ createdTime, modifiedTime, closedTime, incidentStart, incidentEnd },
  });
  const durationOf = ({ incidentStart, incidentEnd }: HeldIncident) =>
    Math.max(
      0,
      Math.floor(((incidentEnd === '' ? now().getTime() : Date.parse(incidentEnd)) - Date.parse(incidentStart)) / 1000),
    );

  const toIncident = (held: HeldIncident, pluginID: string) => ({
    ...{ incidentID: held.incidentID, severity: held.severity, labels: held.labels, isDrill: held.isDrill },
    ...{ ...times(held), createdByUser: held.createdByUser, durationSeconds: durationOf(held), status: held.status },
    ...{ title: held.title, overviewURL: `/a/${pluginID}/incidents/${held.incidentID}/${slugOf(held)}` },
    ...{ incidentMembership: { assignments: slots(held), ...membership(held) }, taskList: listTasks(held) },
    ...{ heroImagePath: '', summary: '' },
  });

  const toPreview = (held: HeldIncident, wants: Requests['IncidentsService.QueryIncidentPreviews']) => {
    const important = held.assignments.filter(({ role }) => role.important);
    const importantAssignments = important.map(({ user, roleID }) => ({ user, roleID }));
    return {
      ...{ incidentID: held.incidentID, title: held.title, description: '', summary: '', slug: slugOf(held) },
      ...{ status: held.status, incidentType: 'internal', severityLabel: held.severity, isDrill: held.isDrill },
      ...{ severityID: `severity-${severities.indexOf(held.severity) + 1}`, version: held.version, ...times(held) },
      ...{ heroImagePath: '', createdByUser: held.createdByUser, labels: held.labels },
      fieldValues: wants.includeCustomFieldValues ? [] : null,
      incidentMembershipPreview: wants.includeMembershipPreview ? { importantAssignments, ...membership(held) } : null,
    };
  };

  /** A page of a list: `cursor` says where it goes on. */
  function page<T>(all: () => readonly T[], limit: number, { nextValue }: { readonly nextValue: string }) {
    const rest = nextValue === '' ? all() : cursors.get(nextValue);
    if (rest === undefined) throw new Refusal(400, 'invalid cursor');
    const most = limit <= 0 ? 100 : oddities.hundredAPage ? Math.min(limit, 100) : limit;
    const left = rest.slice(most);
    if (left.length === 0) return { items: rest as readonly T[], cursor: { nextValue: '', hasMore: false } };
    const next = oddities.uuidCursors ? randomUUID() : `page-${cursors.size + 1}`;
    cursors.set(next, left);
    return { items: rest.slice(0, most) as readonly T[], cursor: { nextValue: next, hasMore: true } };
  }

  const numberOf = ({ incidentID }: HeldIncident) => Number(incidentID);
  const orders: Readonly<Record<string, (held: HeldIncident) => string | number>> = {
    incidentID: numberOf,
    createdTime: held => Date.parse(held.createdTime),
    modifiedTime: held => Date.parse(held.modifiedTime),
    title: held => held.title,
    status: held => held.status,
    severity: held => severities.indexOf(held.severity),
    prefix: held => held.roomPrefix,
    isDrill: held => Number(held.isDrill),
    incidentStart: held => Date.parse(held.incidentStart),
    incidentEnd: held => Date.parse(held.incidentEnd) || 0,
    closedTime: held => Date.parse(held.closedTime) || 0,
  };

  function toDirection(given: string): 1 | -1 {
    if (!['', 'ASC', 'DESC'].includes(given)) throw new Refusal(400, `orderDirection: unknown value "${given}"`);
    return given === 'ASC' ? 1 : -1;
  }

  function sort(some: readonly HeldIncident[], field: string, direction: string): readonly HeldIncident[] {
    const by = orders[field || 'createdTime'];
    if (!by) throw new Refusal(400, `orderField: unknown value "${field}"`);
    const sign = toDirection(direction);
    return some.toSorted((one, other) => {
      const [a, b] = [by(one), by(other)];
      return sign * (a < b ? -1 : a > b ? 1 : numberOf(one) - numberOf(other));
    });
  }

  function search(expression: string): readonly HeldIncident[] {
    let fits: ReturnType<typeof readSearch>;
    try {
      fits = readSearch(expression);
    } catch (error) {
      throw new Refusal(400, `invalid query: ${error instanceof Error ? error.message : error}`);
    }
    const emailsOf = ({ userID }: User) => [userID, users().find(each => each.userID === userID)?.email ?? ''];
    return incidents.filter(held => {
      const { title, createdTime, incidentStart, closedTime, incidentEnd, assignments } = held;
      const searched: Searched = {
        title,
        equals: {
          ...{ status: [held.status], severity: [held.severity], isdrill: [String(held.isDrill)] },
          label: held.labels.map(each => each.label),
          createdby: emailsOf(held.createdByUser),
          role: assignments.map(each => each.role.name),
          'user.email': assignments.flatMap(each => emailsOf(each.user)),
        },
        contains: { context: held.items.filter(each => each.activityKind === 'contextAttached').map(each => each.url) },
        moments: { declared: createdTime, started: incidentStart, resolved: closedTime, ended: incidentEnd },
      };
      return fits(searched);
    });
  }

  function findItem({ incidentID, activityItemID }: { readonly incidentID: string; readonly activityItemID: string }) {
    const incident = find(incidentID);
    const item = incident.items.find(each => each.activityItemID === activityItemID);
    if (!item) throw notFound('ActivityItem');
    if (item.immutable) throw new Refusal(400, 'activity item is immutable');
    return { incident, item };
  }

  function findTask({ incidentID, taskID }: { readonly incidentID: string; readonly taskID: string }) {
    const incident = find(incidentID);
    const task = incident.tasks.find(each => each.taskID === taskID);
    if (!task) throw notFound('Task');
    if (task.immutable) throw new Refusal(400, 'task is immutable');
    return { incident, task };
  }

  function answerTask(incident: HeldIncident, task: Task, kind: string, words: string) {
    task.modifiedTime = time();
    note(incident, kind, `${words}: ${task.text}`, { subjectUser: task.assignedUser ?? nobody });
    return { incidentID: incident.incidentID, task, taskList: listTasks(incident) };
  }

  /** The system ticks its own tasks off. */
  function tick(incident: HeldIncident): void {
    const isDone = (taskID: string) =>
      taskID === 'must-choose-severity'
        ? incident.severity !== severities[0]
        : incident.assignments.some(({ role }) => taskID === `assign-role-${role.name}`);
    for (const task of incident.tasks) if (task.immutable) task.status = isDone(task.taskID) ? 'done' : 'todo';
  }

  function attach(incident: HeldIncident, url: string, caption: string): void {
    note(incident, 'contextAttached', caption || url, { url });
  }

  function attachFrom(incident: HeldIncident, body: string): void {
    if (!oddities.attachesAddresses) return;
    for (const [found] of body.matchAll(isAddress)) {
      const url = found.replace(/[.,;:!?)\]]+$/, '');
      if (!incident.items.some(each => each.url === url)) attach(incident, url, '');
    }
  }

  function assign(incident: HeldIncident, user: User, role: Role): boolean {
    if (incident.assignments.some(each => each.roleID === role.roleID && each.user.userID === user.userID))
      return false;
    incident.assignments = [...incident.assignments, { user, role: bare(role), roleID: role.roleID }];
    tick(incident);
    note(incident, 'roleAssigned', `${user.name} was assigned the role ${role.name}`, { subjectUser: user });
    return true;
  }

  /** Changes an incident, unless it is so already: then there are no words for the timeline. */
  function change(
    incidentID: string,
    pluginID: string,
    kind: string,
    make: (held: HeldIncident) => string | undefined,
  ) {
    const incident = find(incidentID);
    const words = make(incident);
    if (words !== undefined) {
      tick(incident);
      note(incident, kind, words);
    }
    return { incident: toIncident(incident, pluginID) };
  }

  function boundRoles(isMore: boolean): void {
    const active = roles.filter(each => !each.archived).length;
    if (isMore && active >= 5) {
      throw new Refusal(409, 'A maximum of 5 active roles is allowed', 'roles.maximum_active_reached');
    }
    if (!isMore && active <= 2) {
      throw new Refusal(409, 'A minimum of 2 active roles is required', 'roles.minimum_active_required');
    }
  }

  function changeRole(roleID: number, make: (role: Role) => Role | undefined): Role | undefined {
    const role = roles.find(each => each.roleID === roleID);
    if (!role) throw notFound('Role', 'roles.not_found');
    const next = make(role);
    roles = roles.flatMap(each => (each === role ? (next ?? []) : each));
    return next;
  }

  function archive(roleID: number, archived: boolean): object {
    changeRole(roleID, role => {
      if (role.archived !== archived) boundRoles(!archived);
      return { ...role, archived };
    });
    return {};
  }

  function required<T extends object>(request: T, ...names: readonly (keyof T & string)[]): void {
    for (const name of names) if (String(request[name]).trim() === '') throw new Refusal(400, `${name} is required`);
  }

  function oneOf(name: string, value: string, ...known: readonly string[]): string {
    if (!known.includes(value)) throw new Refusal(400, `${name}: unknown value "${value}"`);
    return value;
  }

  type Handlers = { readonly [O in keyof Requests]: (request: Requests[O], pluginID: string) => object };

  const handlers: Handlers = {
    'ActivityService.AddActivity': request => {
      required(request, 'incidentID', 'body');
      oneOf('activityKind', request.activityKind, 'userNote', '');
      const incident = find(request.incidentID);
      const eventTime = request.eventTime === '' ? time() : readTime(request.eventTime);
      const fieldValues = oddities.dropsFieldValues ? {} : ((Reflect.get(request, 'fieldValues') ?? {}) as object);
      const activityItem = note(incident, 'userNote', request.body, { eventTime, fieldValues });
      attachFrom(incident, request.body);
      return { activityItem };
    },
    'ActivityService.QueryActivity': ({ query, cursor }) => {
      required(query, 'incidentID');
      const incident = find(query.incidentID);
      const sign = toDirection(query.orderDirection);
      const { items, cursor: next } = page(
        () =>
          incident.items
            .filter(each => query.activityKind.length === 0 || query.activityKind.includes(each.activityKind))
            .filter(each => query.tag === '' || each.tags.includes(query.tag))
            .map((each, at) => [toMicroseconds(each.eventTime), at, each] as const)
            .sort((one, other) => sign * (one[0] - other[0] || one[1] - other[1]))
            .map(([, , each]) => each),
        query.limit,
        cursor,
      );
      return { activityItems: items, query, cursor: next };
    },
    'ActivityService.RemoveActivity': request => {
      const { incident, item } = findItem(request);
      incident.items = incident.items.filter(each => each !== item);
      changed(incident);
      return { activityItem: item };
    },
    'ActivityService.UpdateActivityBody': request => {
      required(request, 'body');
      const { incident, item } = findItem(request);
      item.body = request.body;
      changed(incident);
      attachFrom(incident, request.body);
      return { activityItem: item };
    },
    'ActivityService.UpdateActivityEventTime': request => {
      const { incident, item } = findItem(request);
      item.eventTime = request.eventTime === '' ? item.createdTime : readTime(request.eventTime);
      changed(incident);
      return { activityItem: item };
    },
    'IncidentsService.AddLabel': ({ incidentID, label }, pluginID) => {
      required(label, 'label');
      return change(incidentID, pluginID, 'labelAdded', held => {
        if (held.labels.some(each => each.label === label.label)) return undefined;
        held.labels = [...held.labels, label];
        return `The label ${label.label} was added`;
      });
    },
    'IncidentsService.AssignRole': ({ incidentID, userID, role }, pluginID) => {
      const incident = find(incidentID);
      const didChange = assign(incident, toUser(userID), toRole(role));
      return { incident: toIncident(incident, pluginID), didChange };
    },
    'IncidentsService.CreateIncident': (request, pluginID) => {
      required(request, 'title');
      const at = time();
      const status = oneOf('status', request.status, 'active', 'resolved', '') || 'active';
      const incident: HeldIncident = {
        ...{ incidentID: String(incidents.length + 1), title: request.title.trim(), status, isDrill: request.isDrill },
        severity: request.severity === '' ? (severities[0] ?? '') : toSeverity(request.severity),
        labels: request.labels.filter(
          ({ label }, nth) => request.labels.findIndex(each => each.label === label) === nth,
        ),
        ...{ createdTime: at, modifiedTime: at, incidentStart: at.replace(/\.\d+Z$/, 'Z') },
        ...{ closedTime: status === 'resolved' ? at : '', incidentEnd: status === 'resolved' ? at : '' },
        ...{ createdByUser: account, roomPrefix: request.roomPrefix },
        ...{ assignments: [], tasks: [], items: [], version: 0 },
      };
      incidents.push(incident);
      const ofSystem = (taskID: string, text: string): Task => ({
        ...{ taskID, text, status: 'todo', authorUser: null, assignedUser: null },
        ...{ createdTime: at, modifiedTime: at, immutable: true },
      });
      if (oddities.systemTasks) {
        incident.tasks = [
          ofSystem('assign-role-investigator', 'Assign INVESTIGATOR role'),
          ofSystem('assign-role-commander', 'Assign COMMANDER role'),
          ofSystem('must-choose-severity', 'Specify incident severity'),
        ];
        tick(incident);
      }
      note(incident, 'incidentCreated', `The incident was created by ${account.name}`);
      if (request.attachURL !== '') attach(incident, request.attachURL, request.attachCaption);
      if (oddities.creatorObserves) assign(incident, account, toRole('observer'));
      return { incident: toIncident(incident, pluginID) };
    },
    'IncidentsService.GetIncident': ({ incidentID }, pluginID) => ({
      incident: toIncident(find(incidentID), pluginID),
    }),
    'IncidentsService.GetIncidentMembership': ({ incidentID }) => ({ assignments: find(incidentID).assignments }),
    'IncidentsService.QueryIncidentPreviews': request => {
      const { query, cursor } = request;
      const all = () => sort(search(query.queryString), query.orderField, query.orderDirection);
      const { items, cursor: next } = page(all, query.limit, cursor);
      return { incidentPreviews: items.map(each => toPreview(each, request)), query, cursor: next };
    },
    'IncidentsService.QueryIncidents': ({ query, cursor }, pluginID) => {
      const filter = (held: HeldIncident) =>
        (query.severity === '' || sameWord(held.severity, query.severity)) &&
        (!query.onlyDrills || held.isDrill) &&
        (query.includeStatuses.length === 0 || query.includeStatuses.includes(held.status)) &&
        !query.excludeStatuses.includes(held.status) &&
        (query.incidentLabels.length === 0 || held.labels.some(each => query.incidentLabels.includes(each.label)));
      const some = query.queryString === '' ? incidents.filter(filter) : search(query.queryString);
      const { items, cursor: next } = page(() => sort(some, '', query.orderDirection), query.limit, cursor);
      return { incidents: items.map(each => toIncident(each, pluginID)), query, cursor: next };
    },
    'IncidentsService.RemoveLabel': ({ incidentID, label }, pluginID) =>
      change(incidentID, pluginID, 'labelRemoved', held => {
        if (!held.labels.some(each => each.label === label)) return undefined;
        held.labels = held.labels.filter(each => each.label !== label);
        return `The label ${label} was removed`;
      }),
    'IncidentsService.UnassignRole': ({ incidentID, userID, role: name }, pluginID) => {
      const incident = find(incidentID);
      const user = toUser(userID);
      const role = roles.find(each => sameWord(each.name, name));
      if (!role) throw notFound('Role', 'roles.not_found');
      const left = incident.assignments.filter(each => each.roleID !== role.roleID || each.user.userID !== user.userID);
      const didChange = left.length < incident.assignments.length;
      incident.assignments = left;
      if (didChange) {
        tick(incident);
        note(incident, 'roleUnassigned', `${user.name} was unassigned from the role ${role.name}`, {
          subjectUser: user,
        });
      }
      return { incident: toIncident(incident, pluginID), didChange };
    },
    'IncidentsService.UpdateIncidentEventTime': ({ incidentID, eventTime, activityItemKind: kind }) => {
      const incident = find(incidentID);
      const at = eventTime === '' ? time() : readTime(eventTime);
      if (oneOf('activityItemKind', kind, 'incidentStart', 'incidentEnd') === 'incidentStart')
        incident.incidentStart = at;
      else incident.incidentEnd = at;
      note(incident, kind, kind === 'incidentStart' ? 'The incident started' : 'The incident ended', { eventTime: at });
      return {};
    },
    'IncidentsService.UpdateIncidentIsDrill': ({ incidentID, isDrill }, pluginID) =>
      change(incidentID, pluginID, 'incidentIsDrillChanged', held => {
        if (held.isDrill === isDrill) return undefined;
        held.isDrill = isDrill;
        return isDrill ? 'The incident is a drill' : 'The incident is no drill';
      }),
    'IncidentsService.UpdateSeverity': ({ incidentID, severity }, pluginID) =>
      change(incidentID, pluginID, 'incidentSeverityChanged', held => {
        const wanted = toSeverity(severity);
        if (held.severity === wanted) return undefined;
        held.severity = wanted;
        return `The severity was changed to ${wanted}`;
      }),
    'IncidentsService.UpdateStatus': ({ incidentID, status }, pluginID) =>
      change(incidentID, pluginID, 'incidentStatusChanged', held => {
        oneOf('status', status, 'active', 'resolved');
        if (held.status === status) return undefined;
        held.status = status;
        held.closedTime = status === 'resolved' ? time() : '';
        held.incidentEnd = status === 'resolved' ? held.incidentEnd || time() : '';
        return `The status was changed to ${status}`;
      }),
    'IncidentsService.UpdateTitle': ({ incidentID, ...request }, pluginID) => {
      required(request, 'title');
      return change(incidentID, pluginID, 'incidentTitleChanged', held => {
        const title = request.title.trim();
        if (held.title === title) return undefined;
        held.title = title;
        return `The title was changed to ${title}`;
      });
    },
    'RolesService.ArchiveRole': ({ roleID }) => archive(roleID, true),
    'RolesService.CreateRole': ({ role }) => {
      required(role, 'name');
      if (!role.archived) boundRoles(true);
      if (roles.some(each => sameWord(each.name, role.name))) throw new Refusal(409, 'role name must be unique');
      lastRole += 1;
      const made = { ...role, roleID: lastRole, orgID: '1', createdAt: time(), updatedAt: '' };
      roles = [...roles, made];
      return { role: bare(made) };
    },
    'RolesService.DeleteRole': ({ roleID }) => {
      changeRole(roleID, role => {
        if (!role.archived) boundRoles(false);
        return undefined;
      });
      return {};
    },
    'RolesService.GetRoles': () => ({ roles }),
    'RolesService.UnarchiveRole': ({ roleID }) => archive(roleID, false),
    'RolesService.UpdateRole': ({ role: given }) => {
      const { name, description, important, mandatory, archived } = given;
      const news = { name, description, important, mandatory, archived, updatedAt: time() };
      return { role: bare(changeRole(given.roleID, role => ({ ...role, ...news })) ?? { ...given }) };
    },
    'TasksService.AddTask': request => {
      required(request, 'text');
      const incident = find(request.incidentID);
      const at = time();
      const task: Task = {
        ...{ taskID: `task-${objectID()}`, text: request.text.trim(), status: 'todo', authorUser: account },
        assignedUser: request.assignToUserID === '' ? null : toUser(request.assignToUserID),
        ...{ createdTime: at, modifiedTime: at, immutable: false },
      };
      incident.tasks = [...incident.tasks, task];
      return answerTask(incident, task, 'taskAdded', 'A task was added');
    },
    'TasksService.DeleteTask': request => {
      const { incident, task } = findTask(request);
      incident.tasks = incident.tasks.filter(each => each !== task);
      const { incidentID, taskList } = answerTask(incident, task, 'taskDeleted', 'A task was deleted');
      return { incidentID, taskList };
    },
    'TasksService.UpdateTaskStatus': request => {
      const { incident, task } = findTask(request);
      task.status = oneOf('status', request.status, 'todo', 'progress', 'done');
      const isDone = task.status === 'done';
      return answerTask(incident, task, isDone ? 'taskCompleted' : 'taskUpdated', `A task is ${task.status}`);
    },
    'TasksService.UpdateTaskText': request => {
      required(request, 'text');
      const { incident, task } = findTask(request);
      task.text = request.text.trim();
      return answerTask(incident, task, 'taskUpdated', 'A task was reworded');
    },
    'TasksService.UpdateTaskUser': request => {
      const { incident, task } = findTask(request);
      task.assignedUser = request.userID === '' ? null : toUser(request.userID);
      return answerTask(incident, task, 'taskUpdated', 'A task was assigned');
    },
    'UsersService.GetUser': ({ userID }) => {
      const user = users().find(each => each.userID === userID);
      if (!user) throw notFound('User');
      return { user: toListed(user) };
    },
    'UsersService.QueryUsers': ({ query, cursor }) => {
      const { items, cursor: next } = page(
        () => (oddities.listsNobody ? [] : users().map(toListed)),
        query.limit,
        cursor,
      );
      return { users: items, query, cursor: next };
    },
  };

  return {
    /** Every incident, in the order in which they were declared. */
    incidents: incidents as readonly HeldIncident[],
    roles: () => roles,
    /** The account of the token. */
    account,
    /** Does what an operation does, and answers as the document has it, without `error`. Throws {@link Refusal}. */
    call: <O extends keyof Requests>(operation: O, request: Requests[O], pluginID: string): object =>
      handlers[operation](request, pluginID),
  };
}

const toListed = ({ userID, name, email, slackUserID, slackTeamID }: KnownUser) => ({
  ...{ userID, internalUserID: userID.split(':')[1] ?? '', email, modifiedTime: '2025-01-15T09:00:00Z', name },
  ...{ photoURL: '', grafanaUserID: '', grafanaLogin: '', slackUserID, slackTeamID, msTeamsUserID: '' },
});
