import type { ReminderMode } from '../incident/state/room-store.ts';
import type { Settings } from '../incident/state/settings.ts';
import type { DutyTable } from '../schema/duties.ts';
import { ownZone } from '../text/zones.ts';

/*
 * The duties of an incident, and when people are reminded of them. All of it is computed from facts: it does not matter who did a thing, or
 * where, for the duty to end. Times are epoch milliseconds.
 */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** When people are reminded, in milliseconds. What a team may turn is among its settings. */
export const dutyTimes = {
  /**
   * Muster reminds the person who promised an update so long before it is due. When the promise is shorter than twice that, after half of it.
   */
  beforeUpdate: 5 * minute,
  /** How long an incident may be without a leader. */
  lead: { gravest: 3 * minute, below: 10 * minute },
  /** A task that is not moved comes again. */
  taskAgain: day,
  /** The look back after the end. */
  review: day,
  /** How late a reminder may still come. */
  latest: day,
  /** A room that has had enough messages is reminded later. */
  whileFull: minute,
} as const;

/** The facts of an incident at a moment. */
export interface DutyFacts {
  readonly now: number;
  readonly isActive: boolean;
  readonly isMistake: boolean;
  readonly severity: 'gravest' | 'below' | 'mildest';
  readonly mode: Exclude<ReminderMode, 'off'>;
  readonly hasRoom: boolean;
  /** When it ended; 0 while that is not known. */
  readonly endedAt: number;
  /** Slack id of the person who leads it: the first in reach, else the first of them; `""` for nobody whom Slack knows. */
  readonly leader: string;
  /** There is a leading role, and nobody in reach holds it. */
  readonly isLeaderless: boolean;
  /** The next update that was promised, and the Slack id of the person who is reminded, `""` for nobody; undefined when none is owed. */
  readonly promise:
    | { readonly about: string; readonly by: string; readonly since: number; readonly due: number }
    | undefined;
  /** The calls by people that are not answered, the Slack id of the person who is reminded, and when an answer is due. */
  readonly calls: readonly {
    readonly id: string;
    readonly userId: string;
    readonly since: number;
    readonly due: number;
  }[];
  /** When a person last acted on it. */
  readonly actedAt: number;
  /** Its open tasks that have an owner, and the Slack id of the person who is reminded. */
  readonly tasks: readonly { readonly taskID: string; readonly userId: string; readonly movedAt: number }[];
}

/** A duty that should exist. */
export type RequiredDuty = Pick<DutyTable, 'kind' | 'about' | 'audience' | 'user_id' | 'since' | 'due'>;

/** The facts that only earlier looks tell. */
interface Before {
  /** Since when nobody leads; undefined when that is new. */
  readonly leaderlessSince: number | undefined;
  /** When people last talked in the room. */
  readonly talkedAt: number;
  /** The kinds of its duties. A promise that is long past begins none. */
  readonly kinds: ReadonlySet<DutyTable['kind']>;
}

/** All duties that an incident should have. */
export function requiredDuties(facts: DutyFacts, before: Before, settings: Settings): readonly RequiredDuty[] {
  const { isActive, isMistake, mode, hasRoom } = facts;
  if (isMistake) return [];
  if (!isActive) return reviewOf(facts, before);
  const all = [
    ...updatesOf(facts, before),
    ...leadOf(facts, before),
    ...newsOf(facts, before, settings),
    ...facts.calls.map(
      ({ id: about, userId, since, due }) => ({ kind: 'call', about, ...alone(userId), since, due }) as const,
    ),
    ...tasksOf(facts, settings),
  ];
  return mode === 'owner' || !hasRoom ? all.filter(each => each.audience === 'owner') : all;
}

const alone = (userId: string) => ({ audience: 'owner', user_id: userId }) as const;
const inRoom = { audience: 'room', user_id: '' } as const;

/** The promise that reminds of itself. */
function openPromise({ now, promise }: DutyFacts, { kinds }: Before): DutyFacts['promise'] {
  const isPast = promise !== undefined && now - promise.due > dutyTimes.latest;
  return isPast && !kinds.has('update') ? undefined : promise;
}

function updatesOf(facts: DutyFacts, before: Before): readonly RequiredDuty[] {
  const promise = openPromise(facts, before);
  if (promise === undefined) return [];
  const { about, since, due } = promise;
  const owner = promise.by || facts.leader;
  const owed = { kind: 'update', about, since, due } as const;
  return [...(owner === '' ? [] : [{ ...owed, ...alone(owner) }]), { ...owed, ...inRoom }];
}

function leadOf(
  { now, isLeaderless, severity }: DutyFacts,
  { leaderlessSince: since = now }: Before,
): readonly RequiredDuty[] {
  if (!isLeaderless) return [];
  const wait = dutyTimes.lead[severity === 'gravest' ? 'gravest' : 'below'];
  return [{ kind: 'lead', about: '', ...inRoom, since, due: since + wait }];
}

function newsOf(facts: DutyFacts, before: Before, { newsAfter }: Settings): readonly RequiredDuty[] {
  const { severity, actedAt, leader } = facts;
  if (leader === '' || severity === 'mildest' || newsAfter === undefined || openPromise(facts, before) !== undefined)
    return [];
  const since = Math.max(actedAt, before.talkedAt);
  const due = since + newsAfter[severity] * minute;
  return [{ kind: 'news', about: '', ...alone(leader), since, due }];
}

function tasksOf({ tasks }: DutyFacts, { taskAfter }: Settings): readonly RequiredDuty[] {
  if (taskAfter === 0) return [];
  return tasks.map(({ taskID, userId, movedAt: since }) => ({
    ...{ kind: 'task', about: taskID, since, due: since + taskAfter * hour },
    ...alone(userId),
  }));
}

function reviewOf({ now, endedAt: since, leader }: DutyFacts, { kinds }: Before): readonly RequiredDuty[] {
  const due = since + dutyTimes.review;
  if (leader === '' || since === 0 || (now - due > dutyTimes.latest && !kinds.has('review'))) return [];
  return [{ kind: 'review', about: '', ...alone(leader), since, due }];
}

/** When the duty's person is reminded for the `step`th time; undefined: never. */
export function stepAt({ kind, audience, since, due }: RequiredDuty, step: number): number | undefined {
  if (kind === 'task') return due + step * dutyTimes.taskAgain;
  if (kind === 'update' && audience === 'owner')
    return step === 0 ? due - Math.min(dutyTimes.beforeUpdate, (due - since) / 2) : undefined;
  if (step === 0) return due;
  const again = kind === 'update' ? (due - since) / 2 : kind === 'lead' ? due - since : undefined;
  return step === 1 && again !== undefined ? due + again : undefined;
}

type StoredDuty = RequiredDuty & Pick<DutyTable, 'step' | 'said' | 'snoozed_until' | 'state'>;

/** The other inputs to the decision about a reminder. */
interface Moment {
  readonly now: number;
  /** The end of the quiet hours of the person; undefined where a person may be told, or the room is told. */
  readonly quietUntil: number | undefined;
  /** The reminder is for the room, which got as many messages within the hour as it may. */
  readonly isFull: boolean;
}

/** Whether a reminder is sent now, the duty's step after it, and when the duty is looked at next (0 for never). */
export interface Decision {
  readonly says: boolean;
  readonly step: number;
  readonly lookAt: number;
}

/** Decides about a duty at a moment. Steps that passed together are one reminder. */
export function decide(duty: StoredDuty, { now, quietUntil, isFull }: Moment): Decision {
  const { step, snoozed_until: snoozed } = duty;
  if (duty.state !== 'owed') return { says: false, step, lookAt: 0 };
  const at = snoozed > 0 ? snoozed : stepAt(duty, step);
  if (at === undefined) return { says: false, step, lookAt: 0 };
  if (at > now) return { says: false, step, lookAt: at };
  if (quietUntil !== undefined) return { says: false, step, lookAt: quietUntil };
  if (isFull) return { says: false, step, lookAt: now + dutyTimes.whileFull };
  let next = step;
  while ((stepAt(duty, next) ?? Number.POSITIVE_INFINITY) <= now) next += 1;
  return { says: true, step: next, lookAt: stepAt(duty, next) ?? 0 };
}

/** A change of the stored duties of an incident. */
type DutyChange =
  | {
      readonly what: 'begin';
      readonly owed: RequiredDuty;
      readonly talkedAt: number;
      readonly lookAt: number;
      readonly state: DutyTable['state'];
    }
  | {
      readonly what: 'move';
      readonly id: string;
      readonly since: number;
      readonly due: number;
      readonly lookAt: number;
    }
  | { readonly what: 'settle'; readonly id: string };

type KnownDuty = StoredDuty & Pick<DutyTable, 'id' | 'talked_at' | 'look_at'>;

/** The changes from the stored duties to those that should exist. A duty with a reminder ends when the moment that it counts from moves. */
export function changesOf(known: readonly KnownDuty[], owed: readonly RequiredDuty[]): readonly DutyChange[] {
  const nameOf = ({ kind, about, audience, user_id }: RequiredDuty) => [kind, about, audience, user_id].join('\n');
  const wanted = new Map(owed.map(each => [nameOf(each), each]));
  const changes: DutyChange[] = [];
  for (const row of known) {
    const name = nameOf(row);
    const now = wanted.get(name);
    const { id, since, due, said, state, talked_at: talkedAt } = row;
    if (now === undefined) changes.push({ what: 'settle', id });
    else {
      wanted.delete(name);
      if (now.since === since && now.due === due) continue;
      if (said > 0 && now.since !== since) {
        changes.push({ what: 'settle', id });
        // What a person stopped stays so while it is theirs.
        const lookAt = state === 'stopped' ? 0 : (stepAt(now, 0) ?? 0);
        changes.push({ what: 'begin', owed: now, talkedAt, lookAt, state: state === 'stopped' ? state : 'owed' });
      } else {
        const lookAt = state === 'stopped' || row.snoozed_until > 0 ? row.look_at : (stepAt(now, row.step) ?? 0);
        changes.push({ what: 'move', id, since: now.since, due: now.due, lookAt });
      }
    }
  }
  for (const each of wanted.values())
    changes.push({ what: 'begin', owed: each, talkedAt: 0, lookAt: stepAt(each, 0) ?? 0, state: 'owed' });
  return changes;
}

/** Until when a person is left alone at that moment, by their own clock; undefined: they are not. `timeZone` is an IANA name, `""` for UTC. */
export function quietUntil(now: number, timeZone: string, hours: Settings['quietHours']): number | undefined {
  if (hours === undefined) return undefined;
  const { from, to } = hours;
  const zone = ownZone(timeZone);
  const isQuiet = (at: number) => {
    const clock = (((Math.floor(at / minute) + zone.offsetAt(new Date(at))) % 1440) + 1440) % 1440;
    return from <= to ? clock >= from && clock < to : clock >= from || clock < to;
  };
  if (!isQuiet(now)) return undefined;
  // Minute by minute, since clocks may be set meanwhile.
  let until = Math.floor(now / minute) * minute;
  do until += minute;
  while (isQuiet(until));
  return until;
}
