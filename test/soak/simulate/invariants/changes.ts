import { z } from 'zod';
import { mistakeLabel } from '../../../../src/contract/mistakes.ts';
import type { World } from '../world.ts';
import { type Evidence, isOwnUser } from './evidence.ts';

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

const text = z.string().optional();
const isIt = z.boolean().optional();
const holder = z.object({ userID: z.string() });
/** The members that tell what an intent sets, of all its kinds together. */
const Stored = z.object({
  ...{
    severity: text,
    was: z.unknown().optional(),
    title: text,
    status: text,
    moment: text,
    at: text,
    label: text,
    role: text,
  },
  ...{
    userID: text,
    taskID: text,
    newText: text,
    changed: isIt,
    isDrill: isIt,
    didChange: isIt,
    wasMistake: isIt,
    isMistake: isIt,
  },
  holder: holder.optional(),
  task: z.object({ assignedUser: holder.nullish() }).optional(),
  given: z.array(holder).default([]),
  taken: z.array(holder).default([]),
});
type Stored = z.output<typeof Stored>;

/** What each kind of intent sets; nothing when its result says that it changed nothing. */
const intents: Readonly<Record<string, (payload: Stored, result: Stored) => readonly Set[]>> = {
  'incident.severity': (_, { severity, was }) => setIf(severity !== was, 'severity', severity),
  'incident.title': (_, { title, was }) => setIf(title !== was, 'title', title),
  'incident.status': ({ status }, { changed, wasMistake }) => [
    ...setIf(changed, 'status', status),
    ...mistake(wasMistake, false),
  ],
  'incident.status.undo': ({ status, isMistake }, { changed }) => [
    ...setIf(changed, 'status', status),
    ...mistake(changed && isMistake, true),
  ],
  'incident.declare.undo': () => [...setIf(true, 'status', 'resolved'), ...mistake(true, true)],
  'incident.drill': ({ isDrill }, { changed }) => setIf(changed, 'drill', String(isDrill)),
  'incident.time': ({ moment, at = '' }, { changed }) =>
    setIf(changed && moment === 'incidentStart', 'start', String(Date.parse(at))),
  'incident.label': (_, { label, changed }) => setIf(changed, `label ${label}`, 'on'),
  'incident.unlabel': (_, { label, changed }) => setIf(changed, `label ${label}`, 'off'),
  'role.assign': (payload, result) => toRole(payload, result, 'on'),
  'role.unassign': (payload, result) => toRole(payload, result, 'off'),
  'role.handover': ({ role }, { given, taken }) => [
    ...given.map(({ userID }) => ({ field: `role ${role} of ${userID}`, value: 'on' })),
    ...taken.map(({ userID }) => ({ field: `role ${role} of ${userID}`, value: 'off' })),
  ],
  'task.status': ({ taskID, status }) => setIf(true, `status of ${taskID}`, status),
  'task.edit': ({ taskID, newText }) => setIf(true, `words of ${taskID}`, newText),
  'task.assign': ({ taskID }, { task }) => setIf(true, `person of ${taskID}`, task?.assignedUser?.userID ?? ''),
};

function setIf(isChanged: boolean | undefined, field: string, value = ''): readonly Set[] {
  return isChanged ? [{ field, value }] : [];
}

function toRole({ role, holder: named }: Stored, { userID, didChange }: Stored, value: string): readonly Set[] {
  return setIf(didChange, `role ${role} of ${userID ?? named?.userID}`, value);
}

/** What makes an incident one that was declared by mistake, or not. */
function mistake(isChanged: boolean | undefined, isOn: boolean): readonly Set[] {
  return [
    ...setIf(isChanged, `label ${mistakeLabel}`, isOn ? 'on' : 'off'),
    ...setIf(isChanged, 'drill', String(isOn)),
  ];
}

/** Values that have one other. */
const opposites: Readonly<Record<string, string>> = { on: 'off', off: 'on', true: 'false', false: 'true' };

/** What an intent set; nothing for one that changed nothing, and for the kinds that set no value. */
export function setBy({ kind, state, payload, outcome }: Intent): readonly Set[] {
  if (state !== 'done') return [];
  return intents[kind]?.(Stored.parse(JSON.parse(payload)), Stored.parse(JSON.parse(outcome))) ?? [];
}

/**
 * What an intent may have set although its result says that it changed nothing: an attempt whose answer was lost, or whose process ended,
 * may have set it, and so may another client since.
 */
function mayHaveSet(intent: Intent): readonly Set[] {
  const { kind, state, payload, outcome, attempts } = intent;
  if (state !== 'done' || attempts < 2 || setBy(intent).length > 0) return [];
  const changed = { ...Stored.parse(JSON.parse(outcome)), was: undefined, changed: true, didChange: true };
  return intents[kind]?.(Stored.parse(JSON.parse(payload)), changed) ?? [];
}

/** How far the clock of a process may be behind, in milliseconds: clocks step by an hour. */
function stepsOf({ plan }: World): readonly number[] {
  return plan.steps.length > 0 ? [0, 3_600_000] : [0];
}

/** Whether an item came between the moment at which an intent was asked for and the one at which it was done. */
function isMeanwhile(world: World, { created_at, changed_at }: Intent, item: Item): boolean {
  const at = item.created_at / 1000;
  return Date.parse(created_at) <= at && at <= Date.parse(changed_at) + Math.max(...stepsOf(world));
}

/** The intent that another one undoes. */
export function undoneBy({ intents: all }: Evidence, { origin }: Intent): Intent | undefined {
  const { undoes } = JSON.parse(origin) as { undoes?: string };
  return undoes === undefined ? undefined : all.find(each => each.id === undoes);
}

/**
 * The changes of an incident's values, oldest first. An intent belongs to the change of its value by its person at the time that the API
 * gave for it, else to the first one that is left over and may have made it then, else to one whose earlier attempt may have. The time comes
 * first, since an empty lane numbers its intents from 1 again.
 */
export function changesOf({ activity, world, intents: all }: Evidence, incidentID: number): readonly Change[] {
  const own = all.filter(each => each.subject === String(incidentID)).toSorted((one, other) => one.seq - other.seq);
  const done = own.flatMap(intent => setBy(intent).map(set => ({ intent, ...set, isTaken: false })));
  const unsure = own.flatMap(intent => mayHaveSet(intent).map(set => ({ intent, ...set, isTaken: false })));
  const last = new Map<string, string>();
  return activity
    .filter(row => row.incident_id === incidentID)
    .flatMap(item => {
      const set = items[item.kind]?.(item.fields);
      if (!set) return [];
      const { field, value } = set;
      const owner = world.slack.people.find(each => item.user_id.endsWith(each.id));
      const isIt = (each: (typeof done)[number]) =>
        !each.isTaken && each.field === field && each.value === value && isOf(each.intent, owner?.id);
      const left = done.filter(isIt);
      const at = new Date(item.created_at / 1000).toISOString();
      const made =
        left.find(each => timeOf(each.intent) === at) ??
        left.find(each => mayHaveMade(world, each.intent, item)) ??
        unsure.find(each => isIt(each) && isMeanwhile(world, each.intent, item));
      if (made) made.isTaken = true;
      const { previousSeverity, previousStatus, previousTitle } = item.fields;
      const before = previousSeverity ?? previousStatus ?? previousTitle;
      const was = before === undefined ? (last.get(field) ?? opposites[value]) : String(before);
      last.set(field, value);
      return [{ item, field, value, was, isOwn: isOwnUser({ world }, item.user_id), intent: made?.intent }];
    });
}

/** How long a call may take in which another client of the API comes between the look and the change, in milliseconds. */
export const longestCall = 15_000;

/**
 * Changes of another client to a value that somebody of Muster's set at the same moment, or may have set. Muster had read the value before,
 * and the API does not say that Muster's call changed nothing any more; nor does it say whose change Muster finds after an answer was lost.
 */
export function overtaking(evidence: Evidence, incidentID: number): readonly Change[] {
  const changes = changesOf(evidence, incidentID);
  const without = evidence.intents.filter(
    each => each.subject === String(incidentID) && !changes.some(change => change.intent?.id === each.id),
  );
  const timeIn = (intent: Intent) => Date.parse(timeOf(intent) ?? intent.changed_at);
  return changes.filter(({ isOwn, field, value, item }) => {
    const isIt = (each: Set) => each.field === field && each.value === value;
    const isThen = (intent: Intent) =>
      stepsOf(evidence.world).some(each => Math.abs(timeIn(intent) + each - item.created_at / 1000) < longestCall);
    return (
      !isOwn &&
      without.some(
        intent =>
          (setBy(intent).some(isIt) && isThen(intent)) ||
          (mayHaveSet(intent).some(isIt) && isMeanwhile(evidence.world, intent, item)),
      )
    );
  });
}

/** Changes by an attempt whose answer was lost, which another client took back before the next attempt made them once more. */
export function remade(evidence: Evidence, incidentID: number): readonly Change[] {
  const changes = changesOf(evidence, incidentID);
  const isTwin = (one: Change, { field, value, intent }: Change) =>
    field === one.field && value === one.value && (intent?.attempts ?? 0) > 1;
  return changes.filter(each => each.isOwn && !each.intent && changes.some(other => isTwin(each, other)));
}

/**
 * Changes that took back those of another client, by attempts whose answers were lost. Where Muster heard of neither, it finds nothing to change,
 * and its room never read that there was something.
 */
export function unheard(changes: readonly Change[]): readonly Change[] {
  return changes.filter(({ field, intent }, at) => {
    const before = changes.slice(0, at).findLast(each => each.field === field);
    return intent !== undefined && setBy(intent).length === 0 && before?.isOwn === false;
  });
}

/** Whether the time that the API gave for the end of an intent lets it have made that item. */
function mayHaveMade(world: World, intent: Intent, { created_at }: Item): boolean {
  const at = timeOf(intent);
  // Nothing took effect before it was asked for, but for clocks that are behind.
  if (at === undefined) return Date.parse(intent.created_at) <= created_at / 1000 + Math.max(...stepsOf(world));
  const since = Date.parse(at) - Math.floor(created_at / 1000);
  return since >= 0 && since < longestCall;
}

/** When an intent took effect, as the API said; undefined when it did not say. */
function timeOf({ outcome }: Intent): string | undefined {
  return Stored.parse(JSON.parse(outcome)).at;
}

function isOf({ owner }: Intent, userId: string | undefined): boolean {
  return userId !== undefined && owner.endsWith(`/${userId}`);
}
