import type { ActivityItem } from '../../../contract/activity.ts';
import type { Task } from '../../../contract/tasks.ts';
import { isImportant } from '../notes/notes.ts';
import { isOfNote, itemText } from '../notes/timeline-words.ts';

/** What a catch-up tells of a timeline, in its order. */
export const groups = ['state', 'decision', 'role', 'task', 'link', 'question', 'note'] as const;
/** One of {@link groups}. */
export type Group = (typeof groups)[number];

/** One thing that a catch-up tells. `at` is when it happened, in epoch milliseconds. */
export type Point =
  | { readonly group: Exclude<Group, 'task'>; readonly at: number; readonly item: ActivityItem }
  | { readonly group: 'task'; readonly at: number; readonly task: Task; readonly item: ActivityItem | undefined };

/** What is new to a person. */
export interface News {
  /** Of each group the newest first. */
  readonly points: Readonly<Record<Group, readonly Point[]>>;
  /** Changes that belong to no group: a label, a title. */
  readonly others: number;
  /** The latest update is new, which stands above the points. */
  readonly isUpdated: boolean;
}

/** What a catch-up is made of. */
interface Timeline {
  readonly items: readonly ActivityItem[];
  readonly tasks: readonly Task[];
  /** What was written down before is not told; undefined: everything is. */
  readonly since: Date | undefined;
  /** The note that stands above the points as the latest update; `""` for none. */
  readonly update: string;
  /** Whether the person did it themselves, so that it is no news to them. */
  isOwn(item: ActivityItem): boolean;
}

/** When an item was written down, in epoch milliseconds: the time that it speaks of may be long before. */
function writtenAt({ createdTime, eventTime }: Pick<ActivityItem, 'createdTime' | 'eventTime'>): number {
  return toTime(createdTime) || toTime(eventTime);
}

/** Whether an item was written down at or after a moment. */
export function isSince(item: Pick<ActivityItem, 'createdTime' | 'eventTime'>, since: Date | undefined): boolean {
  return since === undefined || writtenAt(item) >= since.getTime();
}

/** Finds what is new to a person. */
export function findNews({ items, tasks, since, update, isOwn }: Timeline): News {
  const written = items.filter(item => isSince(item, since) && !isOfNote(item, items));
  const fromOthers = written.filter(item => !isOwn(item));
  const news = fromOthers.filter(item => item.activityItemID !== update);
  const points: Record<Group, Point[]> = {
    state: [],
    decision: [],
    role: [],
    task: [],
    link: [],
    question: [],
    note: [],
  };
  let others = 0;
  for (const item of news) {
    const group = groupOf(item);
    if (group === 'other') others += 1;
    else if (group !== 'task') points[group].push({ group, at: toTime(item.eventTime), item });
  }
  points.task.push(...changedTasks(tasks, written, { since, isOwn }));
  for (const group of groups) points[group].sort((one, other) => other.at - one.at);
  return { points, others, isUpdated: fromOthers.length > news.length };
}

/** A decision begins so. */
const decision = /^(?:decision|decided|we(?: have|’ve|'ve)? decided?|agreed)\b/i;

/** What an item is. Tasks are told as they stand, whatever happened to them on the way. */
function groupOf(item: ActivityItem): Group | 'other' {
  switch (item.activityKind) {
    case 'incidentCreated':
    case 'incidentSeverityChanged':
    case 'incidentStatusChanged':
      return 'state';
    case 'roleAssigned':
    case 'roleUnassigned':
      return 'role';
    case 'taskAdded':
    case 'taskUpdated':
    case 'taskCompleted':
      return 'task';
    case 'contextAttached':
      return 'link';
    case 'userNote': {
      const text = itemText(item).trim();
      if (isImportant(item) || decision.test(text)) return 'decision';
      if (item.fieldValues.source === 'dashboard') return 'link';
      return /[?？]$/.test(text) ? 'question' : 'note';
    }
    default:
      return 'other';
  }
}

/** The tasks that somebody else changed, each with the newest item about it. */
function changedTasks(
  tasks: readonly Task[],
  written: readonly ActivityItem[],
  { since, isOwn }: Pick<Timeline, 'since' | 'isOwn'>,
): readonly Point[] {
  const about = Map.groupBy(
    written.filter(item => groupOf(item) === 'task').toSorted((one, other) => writtenAt(other) - writtenAt(one)),
    item => String(item.fieldValues.taskID ?? ''),
  );
  return tasks.flatMap((task): readonly Point[] => {
    const at = toTime(task.modifiedTime) || toTime(task.createdTime);
    const items = about.get(task.taskID) ?? [];
    const isKnown = since !== undefined && (at < since.getTime() || (items.length > 0 && items.every(isOwn)));
    return isKnown ? [] : [{ group: 'task', at, task, item: items[0] }];
  });
}

function toTime(time: string): number {
  return Date.parse(time) || 0;
}
