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
