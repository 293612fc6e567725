import { z } from 'zod';
import { isNotFound } from '../../../contract/errors.ts';
import { taskStatuses } from '../../../contract/tasks.ts';
import { defineIntent, type IntentContext, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { sentence } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { cap } from '../../text/words.ts';
import { Assignee, bringIn, forWhom, tellFormerAssignee } from './assignee.ts';
import { address, findAdded } from './intents.ts';
import { Numbered, quoted } from './row.ts';

/** A deleted task as it was. The defaults are those of a payload without them. */
const Deleted = z.object({
  number: z.number().default(0),
  status: z.enum(taskStatuses).default('todo'),
  assignee: Assignee.nullable().default(null),
});

const Restored = z.object({ incidentID: z.string(), text: z.string() }).extend(Deleted.shape);

/** Adds a deleted task again, under its number: the API knows no way back. */
export const restoreTask = defineIntent({
  kind: 'task.restore',
  payload: Restored,
  result: Numbered,
  run: async (context, wish) => {
    const { api, call, deps } = context;
    const { incidentID, text, assignee } = wish;
    const assignToUserID = assignee ? await deps.people.resolveUserID(assignee.userID, context) : '';
    const { task } = await api.TasksService.AddTask({ incidentID, text, assignToUserID }, call);
    return finish(context, wish, task.taskID);
  },
  reconcile: async (context, wish) => {
    const added = await findAdded(context, wish);
    return added && finish(context, wish, added.task.taskID);
  },
  room: {
    line: ({ task, number }, { assignee }, { by }) =>
      `${signs.undone} ${by} brought task ${number} back: ${quoted(task.text)}${forWhom(assignee)}`,
  },
  describe: ({ text }) => `add the deleted task “${cap(text, 200)}” again`,
  answer: {
    receipt: ({ task, number }, { assignee }, repeated) =>
      sentence(
        repeated
          ? `Task ${number} is back already: ${quoted(task.text)}. Nothing was added twice.`
          : `${signs.undone} Task ${number} is back: ${quoted(task.text)}${forWhom(assignee)}.`,
      ),
    afterDone: async (ctx, result, { incidentID, assignee, status }) =>
      status === 'done' ? { notes: [], troubles: [] } : bringIn(ctx, incidentID, assignee, result),
  },
});

/** Gives the added task the number and the status of the deleted one. Safe to do again. */
async function finish(
  { api, call, deps }: IntentContext,
  { incidentID, number, status }: z.output<typeof Restored>,
  taskID: string,
): Promise<Numbered> {
  if (number > 0) await deps.taskNumbers.inherit(incidentID, taskID, number);
  const { task } = await api.TasksService.UpdateTaskStatus({ incidentID, taskID, status }, call);
  return { task, number };
}

/** Removes a task. */
export const deleteTask = defineIntent({
  kind: 'task.delete',
  payload: z.object(address).extend(Deleted.shape),
  result: z.object({ left: z.number() }),
  run: async ({ api, call, isAmbiguous }, { incidentID, taskID }) => {
    try {
      const { taskList } = await api.TasksService.DeleteTask({ incidentID, taskID }, call);
      return { left: taskList.tasks.length };
    } catch (error) {
      if (!isAmbiguous || !isNotFound(error)) throw error;
      // An earlier attempt whose answer was lost has deleted it.
      const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
      return { left: incident.taskList.tasks.length };
    }
  },
  room: {
    line: (_result, { text, number }, { by }) =>
      `${signs.removed} ${by} deleted ${number > 0 ? `task ${number}` : 'the task'}: ${quoted(text)}`,
  },
  describe: ({ text }) => `delete the task “${cap(text, 200)}”`,
  undo: (_result, { incidentID, text, number, status, assignee }): Undo =>
    toUndo(restoreTask, { incidentID, text, number, status, assignee }),
  answer: {
    receipt: (_result, { text, number }) =>
      sentence(`${signs.removed} Deleted ${number > 0 ? `task ${number}` : 'the task'}: ${quoted(text)}.`),
    afterDone: async (ctx, _result, { incidentID, text, number, status, assignee }) => {
      if (status !== 'done') await tellFormerAssignee(ctx, incidentID, assignee, { text, number, now: 'deleted' });
      return { notes: [], troubles: [] };
    },
  },
});
