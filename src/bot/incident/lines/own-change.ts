import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';

/** Somebody who holds a role. `name` is only for people. */
const HeldRole = z.object({ role: z.string(), userID: z.string(), name: z.string() });

/** The state of an incident whose changes Muster reports to its room. */
export const StoredFields = z.object({
  title: z.string(),
  status: z.string(),
  severity: z.string(),
  isDrill: z.boolean(),
  labels: z.array(z.string()),
  roles: z.array(HeldRole),
});
/** The state of an incident whose changes Muster reports to its room. */
export type StoredFields = z.output<typeof StoredFields>;
type HeldRole = z.output<typeof HeldRole>;

/** The members of the state that one of Muster's own writes set. A member is absent when the write left it alone. */
export interface OwnChange {
  readonly title?: string;
  readonly status?: string;
  /** The end, when it set the status to resolved. */
  readonly end?: { readonly durationSeconds: number; readonly summary: string };
  readonly severity?: string;
  readonly isDrill?: boolean;
  /** The label is there now, or it is gone. */
  readonly label?: { readonly name: string; readonly isThere: boolean };
  /** These people hold the role now, or do not hold it any more. */
  readonly roles?: readonly { readonly role: string; readonly userID: string; readonly isHeld: boolean }[];
  /**
   * This attempt itself made the change; the room is then told even if it may know already. Absent: so it is where it changed something
   * even if no earlier attempt did.
   */
  readonly isMadeNow?: boolean;
}

/** The state of an incident, in an order of its own: two readings of the same state are equal. */
export function toState(incident: Incident): StoredFields {
  const { title, status, severity, isDrill, labels, incidentMembership } = incident;
  const roles = incidentMembership.assignments.map(({ role, user }) => ({
    role: role.name,
    userID: user.userID,
    name: user.name || user.userID,
  }));
  return {
    ...{ title, status, severity, isDrill },
    labels: [...new Set(labels.map(each => each.label))].toSorted(),
    roles: roles.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
  };
}

/** The state after one of Muster's own writes. */
export function withOwnChange(state: StoredFields, own: OwnChange): StoredFields {
  const { label, roles: changed = [], end: _end, isMadeNow: _isMadeNow, ...plain } = own;
  const labels = label ? [...state.labels.filter(each => each !== label.name)] : state.labels;
  const kept = state.roles.filter(each => !changed.some(other => keyOf(other) === keyOf(each)));
  const given = changed.filter(each => each.isHeld).map(({ role, userID }) => ({ role, userID, name: userID }));
  return {
    ...state,
    ...plain,
    labels: label?.isThere ? [...labels, label.name].toSorted() : labels,
    roles: [...kept, ...given],
  };
}

/** What differs between two states of an incident. */
export interface Differences {
  /** It was declared by mistake: what makes it so is no difference of its own. */
  readonly isMistake?: true;
  readonly title?: readonly [before: string, after: string];
  readonly status?: readonly [before: string, after: string];
  readonly severity?: readonly [before: string, after: string];
  readonly isDrill?: boolean;
  readonly addedLabels: readonly string[];
  readonly removedLabels: readonly string[];
  readonly given: readonly HeldRole[];
  readonly taken: readonly HeldRole[];
}

/** The differences between two states of an incident. A person's new name is not one. */
export function differencesOf(before: StoredFields, after: StoredFields): Differences {
  if (isMistake(after) && !isMistake(before)) {
    const { status, isDrill, labels } = after;
    return { ...differencesOf({ ...before, status, isDrill, labels }, after), isMistake: true };
  }
  const pair = (name: 'title' | 'status' | 'severity') =>
    before[name] === after[name] ? {} : { [name]: [before[name], after[name]] as const };
  const lacks = (all: readonly HeldRole[]) => (each: HeldRole) => !all.some(other => keyOf(other) === keyOf(each));
  return {
    ...pair('title'),
    ...pair('status'),
    ...pair('severity'),
    ...(before.isDrill === after.isDrill ? {} : { isDrill: after.isDrill }),
    addedLabels: after.labels.filter(each => !before.labels.includes(each)),
    removedLabels: before.labels.filter(each => !after.labels.includes(each)),
    given: after.roles.filter(lacks(before.roles)),
    taken: before.roles.filter(lacks(after.roles)),
  };
}

/** Whether two states are the same to the room. */
export function isSameState(before: StoredFields, after: StoredFields): boolean {
  const { addedLabels, removedLabels, given, taken, ...plain } = differencesOf(before, after);
  const lists = [addedLabels, removedLabels, given, taken];
  return Object.keys(plain).length === 0 && lists.every(each => each.length === 0);
}

function keyOf({ role, userID }: Pick<HeldRole, 'role' | 'userID'>): string {
  return `${role}\n${userID}`;
}
