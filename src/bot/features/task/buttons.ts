import { z } from 'zod';
import type { Context } from '../../dispatch/feature/context.ts';
import { type Button, type CardButton, defineButton, pressable } from '../../dispatch/feature/feature.ts';
import { onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { actions } from '../../text/blocks.ts';
import { freeTask, giveBack, giveTask, goneWords, markTask, readTasks, removeTask, type Shown } from './actions.ts';
import { addButton } from './add.ts';
import type { statusNames } from './intents.ts';
import { pager, show, showList } from './list.ts';
import { postedTasks } from './posted.ts';
import {
  alone,
  assignFace,
  deleteFace,
  doneFace,
  listFace,
  type Numbered,
  nobodyFace,
  notMeFace,
  quoted,
  reopenFace,
  startFace,
  Target,
} from './row.ts';

const Page = z.object({ incidentID: z.string(), page: z.number() });

/** Runs an act on the task of a button; when the task is gone, says so. */
export async function onTask(
  ctx: Context,
  target: Target,
  act: (found: Numbered) => Promise<Shown | undefined>,
): Promise<void> {
  const found = (await readTasks(ctx, target.incidentID)).find(({ task }) => task.taskID === target.taskID);
  await show(ctx, target, found ? await act(found) : { words: goneWords() });
}

function markButton(face: Pick<Button, 'id' | 'label' | 'style'>, status: keyof typeof statusNames) {
  return defineButton<Target>({
    ...face,
    value: Target,
    run: (ctx, { value }) => onTask(ctx, value, found => markTask(ctx, value.incidentID, found, status)),
  });
}

const startButton = markButton(startFace, 'progress');
const doneButton = markButton(doneFace, 'done');
const reopenButton = markButton(reopenFace, 'todo');

const assignMenu = defineButton<Target>({
  ...assignFace,
  value: Target,
  run: (ctx, { value, picked }) => onTask(ctx, value, found => giveTask(ctx, value.incidentID, found, picked)),
});

const nobodyButton = defineButton<Target>({
  ...nobodyFace,
  value: Target,
  run: (ctx, { value }) => onTask(ctx, value, found => freeTask(ctx, value.incidentID, found)),
});

const notMeButton = defineButton<Target>({
  ...notMeFace,
  value: Target,
  run: (ctx, { value }) => onTask(ctx, value, found => giveBack(ctx, value.incidentID, found)),
});

const deleteButton = defineButton<Target>({
  ...deleteFace,
  value: Target,
  run: (ctx, { value }) => onTask(ctx, value, found => removeTask(ctx, value.incidentID, found)),
});

/** Shows all tasks of an incident. */
const listButton = defineButton<z.output<typeof Page>>({
  ...listFace,
  value: Page,
  reads: true,
  run: (ctx, { value }) => showList(ctx, value.incidentID, value.page),
});

/** All of the buttons. */
export const taskButtons: readonly Button[] = [
  startButton,
  doneButton,
  reopenButton,
  assignMenu,
  nobodyButton,
  notMeButton,
  deleteButton,
  addButton,
  listButton,
  postedTasks.button,
  ...pager.buttons,
] as Button[];

/** What the tasks put on an incident's card. */
export function cardButtons(incidentID: string): readonly CardButton[] {
  return [onCard('tasks', listButton, { incidentID, page: 0 })];
}

/** Asks whether a task that was found by its words is to be deleted. */
export async function askDelete(ctx: Context, incidentID: string, { task, number }: Numbered): Promise<void> {
  const buttons = [pressable(deleteButton, alone(ctx, incidentID, task), { style: 'danger' })];
  const question = `Delete task ${number} ${quoted(task.text)}? Nothing was deleted yet.`;
  await ctx.reject(question, task.immutable ? [] : [actions(buttons)]);
}
