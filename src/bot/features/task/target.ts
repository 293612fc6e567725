import { z } from 'zod';
import { Task } from '../../../contract/tasks.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toOneLine } from '../../text/words.ts';

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
export const nobodyFace = { id: 'task.nobody', label: 'Nobody' } as const;
/** The button with which its assignee gives one back. */
export const notMeFace = { id: 'task.notMe', label: 'Not me' } as const;
/** The button that deletes one. */
export const deleteFace = { id: 'task.delete', label: 'Delete' } as const;
/** The button that lists them all. */
export const listFace = { id: 'task.list', label: 'Tasks' } as const;
