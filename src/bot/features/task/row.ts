import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import { z } from 'zod';
import { Task } from '../../../contract/tasks.ts';
import { menuBlockId, pressable, userMenu } from '../../dispatch/feature/feature.ts';
import type { IncidentDeps } from '../../incident/acts/intent-kind.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, toMrkdwn } from '../../text/blocks.ts';
import { signs, taskSigns } from '../../text/signs.ts';
import { cap, toOneLine } from '../../text/words.ts';

/** A task and its number (`incident/state/task-numbers.ts`). */
export const Numbered = z.object({ task: Task, number: z.number() });
export type Numbered = z.output<typeof Numbered>;

/** A task's text in a sentence: one line, short, escaped. */
export function quoted(text: string, max = 150): string {
  return `“${toMrkdwn(toOneLine(text), max)}”`;
}

/** What a status is called in a sentence about one task. */
export const statusNames = { todo: 'to do', progress: 'in progress', done: 'done' } as const;
/** A status that this version knows. */
export type Status = keyof typeof statusNames;

/** The status, when this version knows it. */
export function toKnownStatus(status: string): Status | undefined {
  return status in statusNames ? (status as Status) : undefined;
}

/** Sign and word of a task's state (mrkdwn). */
export function stateOf({ status }: Task): readonly [sign: string, word: string] {
  const known = toKnownStatus(status);
  return known ? [taskSigns[known], statusNames[known]] : [signs.unknown, toMrkdwn(status, 20)];
}

/** The Slack id of the person who does a task; `""` when nobody does, or it is not known. */
export async function slackIdOf({ people }: IncidentDeps, { assignedUser }: Task): Promise<string> {
  return assignedUser ? people.toSlackId(assignedUser.userID) : '';
}

/**
 * The task of a button, and the page of the list that shows it (`null`: the task is shown alone). `at` is when it was shown, in
 * epoch milliseconds: a changed message needs new block ids (docs/slack.md 5).
 */
export const Target = z.object({
  ...{ incidentID: z.string(), taskID: z.string() },
  ...{ page: z.number().nullable(), at: z.number() },
});
export type Target = z.output<typeof Target>;

/** The target of a task that is shown alone. */
export function alone({ now }: { readonly now: Date }, incidentID: string, { taskID }: Pick<Task, 'taskID'>): Target {
  return { incidentID, taskID, page: null, at: now.getTime() };
}

/** The buttons of tasks, as they look. */
export const faces = {
  start: { id: 'task.start', label: 'Start' },
  done: { id: 'task.done', label: 'Done', style: 'primary' },
  reopen: { id: 'task.reopen', label: 'Reopen' },
  assign: { id: 'task.assign', label: 'Assign' },
  nobody: { id: 'task.nobody', label: 'Unassign' },
  notMe: { id: 'task.notMe', label: 'Not me' },
  delete: { id: 'task.delete', label: 'Delete' },
  list: { id: 'task.list', label: 'Tasks' },
  add: { id: 'task.add', label: 'Add task' },
} as const;

/** The button that lists all tasks of an incident. */
export function toList(incidentID: string): ActionsBlockElement {
  return pressable(faces.list, { incidentID, page: 0 });
}

/** Most characters of a task's text in what a screen reader says of its buttons: a message holds only so many. */
const maxSpoken = 40;

/** A task beside others of the same message, which need no way to the list each. */
export type Beside = Target & { readonly isOneOfSeveral?: boolean };

/** The buttons of a task, in one row. `assignee` is the Slack id of its assignee. */
export function buttonRow({ task, number }: Numbered, beside: Beside, assignee = ''): KnownBlock[] {
  const { isOneOfSeveral = false, ...target } = beside;
  const isOpen = task.status !== 'done';
  const blockId = menuBlockId(faces.assign, target);
  // Once for the row where it fits: a message holds only so many characters.
  const isInRow = blockId.length <= slackLimits.blockId;
  const press = (face: (typeof faces)[keyof typeof faces]) =>
    pressable(face, isInRow ? undefined : target, {
      spoken: `${face.label} task ${number}, ${cap(task.text, maxSpoken)}`,
    });
  const elements: ActionsBlockElement[] = [
    ...(task.status === 'todo' ? [press(faces.start)] : []),
    press(isOpen ? faces.done : faces.reopen),
    ...(isOpen && isInRow ? [userMenu(faces.assign, assignee)] : []),
    ...(isOpen && task.assignedUser?.userID ? [press(faces.nobody)] : []),
    ...(target.page !== null ? [press(faces.delete)] : isOneOfSeveral ? [] : [toList(target.incidentID)]),
  ];
  return [actions(elements, isInRow ? blockId : undefined)];
}
