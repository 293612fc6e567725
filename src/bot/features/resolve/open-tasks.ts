import { z } from 'zod';
import { isNotFound } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { Task } from '../../../contract/tasks.ts';
import type { Filled } from '../../dispatch/feature/drafts.ts';
import { choiceField } from '../../dispatch/forms/modal.ts';
import { defineIntent } from '../../incident/acts/intent-kind.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { taskSigns } from '../../text/signs.ts';
import { andMore, toOneLine } from '../../text/words.ts';

/** Tasks that a sentence names. */
const maxNamed = 3;

/** The tasks that are still open, as a sentence; `""` when none is. */
export function openTasksLine({ taskList: { todoCount } }: Incident): string {
  if (todoCount === 0) return '';
  return `${countOpen(todoCount)}: \`/task list\` shows ${todoCount === 1 ? 'it' : 'them'}.`;
}

/** The open tasks as a sentence that names the first ones and their people; `""` when none is. */
export function openTasksNamed({ taskList: { tasks, todoCount } }: Incident): string {
  if (todoCount === 0) return '';
  const open = tasks.filter(isOpen).map(({ text, assignedUser }) => {
    const whose = assignedUser ? ` (${toMrkdwn(assignedUser.name || assignedUser.userID, 60)})` : '';
    return `*${toMrkdwn(toOneLine(text), 80)}*${whose}`;
  });
  return `${countOpen(todoCount)}: ${andMore(open, maxNamed, { total: todoCount })}`;
}

/** Whether people can finish one of the tasks: the incident itself ticks some of them off. */
export function canFinish({ taskList }: Incident): boolean {
  return taskList.tasks.some(isFinishable);
}

/** Marks every open task as done. */
export const finishTasks = defineIntent({
  kind: 'incident.resolve.tasks',
  payload: z.object({ incidentID: z.string() }),
  result: z.object({}),
  run: async ({ api, call }, { incidentID }) => {
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    for (const { taskID } of incident.taskList.tasks.filter(isFinishable)) {
      await api.TasksService.UpdateTaskStatus({ incidentID, taskID, status: 'done' }, call).catch(error => {
        // The task was deleted meanwhile.
        if (!isNotFound(error)) throw error;
      });
    }
    return {};
  },
  did: (_wish, { incident }) => ({ sign: taskSigns.done, verb: 'finish', what: `all open tasks of ${incident}` }),
});

function isOpen({ status }: Task): boolean {
  return status !== 'done';
}

function isFinishable(task: Task): boolean {
  return isOpen(task) && !task.immutable;
}

function countOpen(count: number): string {
  return `${count === 1 ? '1 task is' : `${count} tasks are`} still open`;
}

/** The question of the form about the open tasks. */
export function tasksField(filled: Filled) {
  const options = [
    { value: 'leave', label: 'Leave them open' },
    { value: 'done', label: 'Mark all as done' },
  ];
  return choiceField({ id: 'tasks', label: 'Open tasks', options }, { tasks: 'leave', ...filled });
}
