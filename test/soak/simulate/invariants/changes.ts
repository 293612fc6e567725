import type { Evidence } from './evidence.ts';

type Item = Evidence['activity'][number];
/** An intent as it is stored. */
export type Intent = Evidence['intents'][number];

/** A change of one value of an incident, as its timeline has it. */
export interface Change {
  readonly item: Item;
  /** What was changed: `severity`, `label storage`, `status of task-3`. */
  readonly field: string;
  readonly value: string;
  /** The value before, as far as the timeline tells. */
  readonly was: string | undefined;
  /** A person of Muster made it, and not another client of the API. */
  readonly isOwn: boolean;
  /** The intent that made it; undefined when it is not known. */
  readonly intent: Intent | undefined;
}

/** A value that is set. */
interface Set {
  readonly field: string;
  readonly value: string;
}

/** What each kind of item on a timeline tells of. */
const items: Readonly<Record<string, (fields: Item['fields']) => Set>> = {
  incidentSeverityChanged: ({ severity }) => ({ field: 'severity', value: String(severity) }),
  incidentStatusChanged: ({ status }) => ({ field: 'status', value: String(status) }),
  incidentTitleChanged: ({ title }) => ({ field: 'title', value: String(title) }),
  incidentIsDrillChanged: ({ isDrill }) => ({ field: 'drill', value: String(isDrill) }),
  incidentStart: ({ eventTime }) => ({ field: 'start', value: String(Date.parse(String(eventTime))) }),
  labelAdded: ({ label }) => ({ field: `label ${label}`, value: 'on' }),
  labelRemoved: ({ label }) => ({ field: `label ${label}`, value: 'off' }),
  roleAssigned: ({ role, userID }) => ({ field: `role ${role} of ${userID}`, value: 'on' }),
  roleUnassigned: ({ role, userID }) => ({ field: `role ${role} of ${userID}`, value: 'off' }),
  taskUpdated: toTask,
  taskCompleted: toTask,
};

function toTask({ taskID, status, userID, text }: Item['fields']): Set {
  if (status !== undefined) return { field: `status of ${taskID}`, value: String(status) };
  return userID === undefined
    ? { field: `words of ${taskID}`, value: String(text) }
    : { field: `person of ${taskID}`, value: String(userID) };
}

/** Payload and result of an intent, which zod has checked before they were stored. */
interface Stored {
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own members
  readonly payload: any;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own members
  readonly result: any;
}

/** What each kind of intent sets; undefined when its result says that it changed nothing. */
const intents: Readonly<Record<string, (stored: Stored) => Set | undefined>> = {
  'incident.severity': ({ result }) =>
    result.severity === result.was ? undefined : { field: 'severity', value: result.severity },
  'incident.title': ({ result }) => (result.title === result.was ? undefined : { field: 'title', value: result.title }),
  'incident.status': ({ payload, result }) => (result.changed ? { field: 'status', value: payload.status } : undefined),
  'incident.status.undo': ({ payload, result }) =>
    result.changed ? { field: 'status', value: payload.status } : undefined,
  'incident.declare.undo': () => ({ field: 'status', value: 'resolved' }),
  'incident.drill': ({ payload, result }) =>
    result.changed ? { field: 'drill', value: String(payload.isDrill) } : undefined,
  'incident.time': ({ payload, result }) =>
    result.changed && payload.moment === 'incidentStart'
      ? { field: 'start', value: String(Date.parse(payload.at)) }
      : undefined,
  'incident.label': ({ result }) => (result.changed ? { field: `label ${result.label}`, value: 'on' } : undefined),
  'incident.unlabel': ({ result }) => (result.changed ? { field: `label ${result.label}`, value: 'off' } : undefined),
  'role.assign': ({ payload, result }) => toRole(payload, result, 'on'),
  'role.unassign': ({ payload, result }) => toRole(payload, result, 'off'),
  'task.status': ({ payload }) => ({ field: `status of ${payload.taskID}`, value: payload.status }),
  'task.edit': ({ payload }) => ({ field: `words of ${payload.taskID}`, value: payload.newText }),
  'task.assign': ({ payload, result }) => ({
    field: `person of ${payload.taskID}`,
    value: result.task.assignedUser?.userID ?? '',
  }),
};

function toRole(payload: Stored['payload'], result: Stored['result'], value: string): Set | undefined {
  const userID = result.userID ?? payload.holder.userID;
  return result.didChange ? { field: `role ${payload.role} of ${userID}`, value } : undefined;
}

/** Values that have one other. */
const opposites: Readonly<Record<string, string>> = { on: 'off', off: 'on', true: 'false', false: 'true' };

/** What an intent set; undefined for one that changed nothing, and for the kinds that set no value. */
export function setBy({ kind, state, payload, outcome }: Intent): Set | undefined {
  if (state !== 'done') return undefined;
  return intents[kind]?.({ payload: JSON.parse(payload), result: JSON.parse(outcome) });
}

/** The intent that another one undoes. */
export function undoneBy({ intents: all }: Evidence, { origin }: Intent): Intent | undefined {
  const { undoes } = JSON.parse(origin) as { undoes?: string };
  return undoes === undefined ? undefined : all.find(each => each.id === undoes);
}

/**
 * The changes of an incident's values, oldest first. An intent belongs to the first change of its value by its person that is left over:
 * the intents of an incident take effect in their order.
 */
export function changesOf({ activity, world, intents: all }: Evidence, incidentID: number): readonly Change[] {
  const done = all
    .filter(each => each.subject === String(incidentID))
    .toSorted((one, other) => one.seq - other.seq)
    .flatMap(intent => {
      const set = setBy(intent);
      return set ? [{ intent, ...set, isTaken: false }] : [];
    });
  const last = new Map<string, string>();
  return activity
    .filter(row => row.incident_id === incidentID)
    .flatMap(item => {
      const set = items[item.kind]?.(item.fields);
      if (!set) return [];
      const { field, value } = set;
      const owner = world.slack.people.find(each => item.user_id.endsWith(each.id));
      const made = done.find(
        each => !each.isTaken && each.field === field && each.value === value && isOf(each.intent, owner?.id),
      );
      if (made) made.isTaken = true;
      const { previousSeverity, previousStatus, previousTitle } = item.fields;
      const before = previousSeverity ?? previousStatus ?? previousTitle;
      const was = before === undefined ? (last.get(field) ?? opposites[value]) : String(before);
      last.set(field, value);
      return [{ item, field, value, was, isOwn: owner !== undefined, intent: made?.intent }];
    });
}

function isOf({ owner }: Intent, userId: string | undefined): boolean {
  return userId !== undefined && owner.endsWith(`/${userId}`);
}
