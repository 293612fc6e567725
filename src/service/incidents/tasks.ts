import type { Implementation } from '../../contract/define.ts';
import { maxTasks, maxTaskText, type Task, type TaskList, type TasksService } from '../../contract/tasks.ts';
import type { Context } from '../call/context.ts';
import { invalidArgument, notFound } from '../call/errors.ts';
import { readText } from '../call/input.ts';
import { takeNumber } from '../store/counters.ts';
import type { TaskRow } from '../store/tables.ts';
import { findTaskLists, noTasks } from '../store/task-lists.ts';
import { modifiedNow, toMicros } from '../store/time.ts';
import { maxUserID } from './assignments.ts';
import { findIncident, findMutableTask } from './find.ts';
import { type NewTimelineItem, recordEvent } from './record-event.ts';

/** TasksService on the database (docs/api-rules.md A9). A change that changes nothing is not recorded. */
export const tasks: Implementation<typeof TasksService, Context> = {
  async AddTask(context, input) {
    const incident = await findIncident(context, input.incidentID);
    const text = readText('text', input.text, maxTaskText);
    const assignee = readUserID('assignToUserID', input.assignToUserID);
    await checkRoom(context, incident.id);
    const now = toMicros(context.now);
    const number = await takeNumber(context.db, 'task');
    const task: TaskRow = {
      incident_id: incident.id,
      id: `task-${number}`,
      position: await takeNumber(context.db, 'position'),
      text,
      status: 'todo',
      author_user_id: context.caller.userID,
      assigned_user_id: assignee,
      created_at: now,
      modified_at: now,
      immutable: 0,
    };
    await context.db.insertInto('task').values(task).execute();
    await recordEvent(context, incident.id, {
      items: [
        {
          kind: 'taskAdded',
          body: `Task added: ${text}`,
          fieldValues: { taskID: task.id, text, status: task.status },
          subjectUserID: assignee,
        },
      ],
    });
    return await toTaskAnswer(context, task);
  },
  async DeleteTask(context, input) {
    const task = await findMutableTask(context, input);
    await context.db.deleteFrom('task').where('incident_id', '=', task.incident_id).where('id', '=', task.id).execute();
    await recordEvent(context, task.incident_id, {
      items: [
        { kind: 'taskDeleted', body: `Task deleted: ${task.text}`, fieldValues: { taskID: task.id, text: task.text } },
      ],
    });
    return { incidentID: input.incidentID, taskList: await readTaskList(context, task.incident_id), error: '' };
  },
  async UpdateTaskStatus(context, input) {
    const task = await findMutableTask(context, input);
    const { status } = input;
    const done = status === 'done';
    return await change(context, task, { status }, () => ({
      kind: done ? 'taskCompleted' : 'taskUpdated',
      body: `Task ${done ? 'completed' : 'updated'}: ${task.text}`,
      fieldValues: { taskID: task.id, text: task.text, status },
    }));
  },
  async UpdateTaskText(context, input) {
    const task = await findMutableTask(context, input);
    const text = readText('text', input.text, maxTaskText);
    return await change(context, task, { text }, () => ({
      kind: 'taskUpdated',
      body: `Task updated: ${text}`,
      fieldValues: { taskID: task.id, text },
      subjectUserID: task.assigned_user_id,
    }));
  },
  async UpdateTaskUser(context, input) {
    const task = await findMutableTask(context, input);
    const userID = readUserID('userID', input.userID);
    return await change(context, task, { assigned_user_id: userID }, () => ({
      kind: 'taskUpdated',
      body: `Task updated: ${task.text}`,
      fieldValues: { taskID: task.id, text: task.text, userID },
      subjectUserID: userID,
    }));
  },
};

/** Refuses one task more in an incident that has the most already: each answer holds all of them. */
async function checkRoom({ db }: Context, incidentID: number): Promise<void> {
  const { count } = await db
    .selectFrom('task')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('incident_id', '=', incidentID)
    .executeTakeFirstOrThrow();
  if (count >= maxTasks) {
    throw invalidArgument(`incident ${incidentID} has ${maxTasks} tasks, which is the most. Delete one first`);
  }
}

type TaskChange = Partial<Pick<TaskRow, 'status' | 'text' | 'assigned_user_id'>>;

async function change(context: Context, task: TaskRow, news: TaskChange, toItem: () => NewTimelineItem) {
  const after = { ...task, ...news };
  if (after.status === task.status && after.text === task.text && after.assigned_user_id === task.assigned_user_id) {
    return await toTaskAnswer(context, task);
  }
  await context.db
    .updateTable('task')
    .set({ ...news, modified_at: modifiedNow(toMicros(context.now)) })
    .where('incident_id', '=', task.incident_id)
    .where('id', '=', task.id)
    .execute();
  await recordEvent(context, task.incident_id, { items: [toItem()] });
  return await toTaskAnswer(context, task);
}

function readUserID(member: string, userID: string): string {
  return userID.trim() === '' ? '' : readText(member, userID, maxUserID);
}

async function toTaskAnswer(context: Context, { incident_id, id }: TaskRow) {
  const taskList = await readTaskList(context, incident_id);
  const task: Task | undefined = taskList.tasks.find(each => each.taskID === id);
  if (!task) throw notFound('task', id);
  return { incidentID: String(incident_id), task, taskList, error: '' };
}

async function readTaskList({ db }: Context, incidentID: number): Promise<TaskList> {
  return (await findTaskLists(db, [incidentID])).get(incidentID) ?? noTasks();
}
