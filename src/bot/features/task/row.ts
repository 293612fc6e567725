import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { Task } from '../../../contract/tasks.ts';
import { type Button, type Feature, menuBlockId, pressable, userMenu } from '../../dispatch/feature/feature.ts';
import type { ReceiptContext } from '../../incident/acts/intent-kind.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, toMrkdwn } from '../../text/blocks.ts';
import { cap, toOneLine } from '../../text/words.ts';

/** A task and its number (`incident/state/task-numbers.ts`). */
export const Numbered = z.object({ task: Task, number: z.number() });
/** A task and its number. */
export type Numbered = z.output<typeof Numbered>;

/** A task's text in a sentence: one line, short, escaped. */
export function quoted(text: string, max = 150): string {
  return `“${toMrkdwn(toOneLine(text), max)}”`;
}

/**
 * The task of a button, and the page of the list that shows it (`null`: the task is shown alone). `at` is when it was shown, in
 * epoch milliseconds: a changed message needs new block ids (docs/slack.md 5).
 */
export const Target = z.object({
  incidentID: z.string(),
  taskID: z.string(),
  page: z.number().nullable(),
  at: z.number(),
});
/** The task of a button, and where it is shown. */
export type Target = z.output<typeof Target>;

/** The button that starts a task, as it looks. */
export const startFace = { id: 'task.start', label: 'Start' } as const;
/** The button that ends one. */
export const doneFace = { id: 'task.done', label: 'Done', style: 'primary' } as const;
/** The button that opens one again. */
export const reopenFace = { id: 'task.reopen', label: 'Reopen' } as const;
/** The menu that gives one to somebody. */
export const assignFace = { id: 'task.assign', label: 'Assign' } as const;
/** The button that takes one from its assignee. */
export const nobodyFace = { id: 'task.nobody', label: 'Unassign' } as const;
/** The button with which its assignee gives one back. */
export const notMeFace = { id: 'task.notMe', label: 'Not me' } as const;
/** The button that deletes one. */
export const deleteFace = { id: 'task.delete', label: 'Delete' } as const;
/** The button that lists them all. */
export const listFace = { id: 'task.list', label: 'Tasks' } as const;

/** The target of a task that is shown alone. */
export function alone({ now }: { readonly now: Date }, incidentID: string, { taskID }: Pick<Task, 'taskID'>): Target {
  return { incidentID, taskID, page: null, at: now.getTime() };
}

/** Most characters of a task's text in what a screen reader says of its buttons: a message holds only so many. */
const maxSpoken = 40;

/** A task beside others of the same message, which need no way to the list each. */
export type Beside = Target & { readonly isOneOfSeveral?: boolean };

/** The buttons of a task, in one row. */
export function buttonRow({ task, number }: Numbered, beside: Beside, assignee = ''): KnownBlock[] {
  const { isOneOfSeveral = false, ...target } = beside;
  const isOpen = task.status !== 'done';
  const blockId = menuBlockId(assignFace, target);
  // Once for the row where it fits: a message holds only so many characters.
  const isInRow = blockId.length <= slackLimits.blockId;
  const value = isInRow ? undefined : target;
  const press = (face: Pick<Button, 'id' | 'label' | 'style'>) =>
    pressable(face, value, { spoken: `${face.label} task ${number}, ${cap(task.text, maxSpoken)}` });
  const elements: ActionsBlockElement[] = [
    ...(task.status === 'todo' ? [press(startFace)] : []),
    ...(isOpen ? [press(doneFace)] : [press(reopenFace)]),
    ...(isOpen && isInRow ? [userMenu(assignFace, assignee)] : []),
    ...(isOpen && task.assignedUser?.userID ? [press(nobodyFace)] : []),
    ...(target.page !== null ? [press(deleteFace)] : isOneOfSeveral ? [] : [toList(target)]),
  ];
  return [actions(elements, isInRow ? blockId : undefined)];
}

function toList({ incidentID }: Target): ActionsBlockElement {
  return pressable(listFace, { incidentID, page: 0 });
}

/** The same below the receipt of a task. */
export async function rowBelow(ctx: ReceiptContext, incidentID: string, numbered: Numbered): Promise<KnownBlock[]> {
  const { task } = numbered;
  const assignee = task.assignedUser ? await ctx.deps.people.toSlackId(task.assignedUser.userID) : '';
  return buttonRow(numbered, alone(ctx, incidentID, task), assignee);
}

/** The way to the tasks that are still open when an incident is over; nothing where none is. */
export function overButtons({ incidentID, taskList }: Pick<Incident, 'incidentID' | 'taskList'>) {
  return taskList.todoCount === 0 ? [] : [pressable(listFace, { incidentID, page: 0 }, { label: 'Tasks' })];
}

/** The way to the tasks below a reminder of one, or of what is left. */
export const reminderButtons: NonNullable<Feature['onReminder']> = ({ kind, incidentID }) =>
  kind === 'task' || kind === 'review' ? [pressable(listFace, { incidentID, page: 0 })] : [];
