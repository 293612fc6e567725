import type { Implementation } from '../../contract/define.ts';
import { maxTasks, maxTaskText, type TasksService } from '../../contract/tasks.ts';
import type { Context } from '../call/context.ts';
import { invalidArgument, notFound } from '../call/errors.ts';
import { readText } from '../call/input.ts';
import { takeNumbers } from '../store/counters.ts';
import { findPeople } from '../store/people.ts';
import type { TaskRow } from '../store/tables.ts';
import { peopleOfTasks, readTasks, toTaskList } from '../store/task-lists.ts';
import { toMicros } from '../store/time.ts';
import { maxUserID } from './assignments.ts';
import { findIncident } from './find.ts';
import { type NewTimelineItem, recordEvent } from './record-event.ts';

/** TasksService on the database (docs/api-rules.md A9). A change that changes nothing is not recorded. */
export const tasks: Implementation<typeof TasksService, Context> = {
  async AddTask(context, input) {
    const incident = await findIncident(context, input.incidentID);
    const text = readText('text', input.text, maxTaskText);
    const assignee = readUserID('assignToUserID', input.assignToUserID);
    const others = await readTasks(context.db, [incident.id]);
    // Each answer holds all of them.
    if (others.length >= maxTasks)
      throw invalidArgument(`incident ${incident.id} has ${maxTasks} tasks, which is the most. Delete one first`);
    const now = toMicros(context.now);
    const [number, position] = await takeNumbers(context.db, ['task', 1], ['position', 1]);
    const task: TaskRow = {
      incident_id: incident.id,
      id: `task-${number}`,
      position,
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
    return await toTaskAnswer(context, task, [...others, task]);
  },
  async DeleteTask(context, input) {
    const { task, tasks } = await findMutableTask(context, input);
    await context.db.deleteFrom('task').where('incident_id', '=', task.incident_id).where('id', '=', task.id).execute();
    await recordEvent(context, task.incident_id, {
      items: [
        { kind: 'taskDeleted', body: `Task deleted: ${task.text}`, fieldValues: { taskID: task.id, text: task.text } },
      ],
    });
    const rest = tasks.filter(each => each !== task);
    const personOf = await findPeople(context, peopleOfTasks(rest));
    return { incidentID: input.incidentID, taskList: toTaskList(rest, personOf), error: '' };
  },
  async UpdateTaskStatus(context, input) {
    const found = await findMutableTask(context, input);
    const { text, id: taskID } = found.task;
    const { status } = input;
    const done = status === 'done';
    return await change(context, found, { status }, () => ({
      kind: done ? 'taskCompleted' : 'taskUpdated',
      body: `Task ${done ? 'completed' : 'updated'}: ${text}`,
      fieldValues: { taskID, text, status },
    }));
  },
  async UpdateTaskText(context, input) {
    const found = await findMutableTask(context, input);
    const text = readText('text', input.text, maxTaskText);
    return await change(context, found, { text }, () => ({
      kind: 'taskUpdated',
      body: `Task updated: ${text}`,
      fieldValues: { taskID: found.task.id, text },
      subjectUserID: found.task.assigned_user_id,
    }));
  },
  async UpdateTaskUser(context, input) {
    const found = await findMutableTask(context, input);
    const { text, id: taskID } = found.task;
    const userID = readUserID('userID', input.userID);
    return await change(context, found, { assigned_user_id: userID }, () => ({
      kind: 'taskUpdated',
      body: `Task updated: ${text}`,
      fieldValues: { taskID, text, userID },
      subjectUserID: userID,
    }));
  },
};

/** A task of an incident, and all that the incident has, which each answer shows. */
interface FoundTask {
  readonly task: TaskRow;
  readonly tasks: readonly TaskRow[];
}

/** A task that may be changed; `not_found`, or a refusal when it is immutable (A9). */
async function findMutableTask(
  context: Context,
  { incidentID, taskID }: { incidentID: string; taskID: string },
): Promise<FoundTask> {
  const incident = await findIncident(context, incidentID);
  const tasks = await readTasks(context.db, [incident.id]);
  const task = tasks.find(each => each.id === taskID);
  if (!task) throw notFound('task', taskID);
  if (task.immutable === 1) throw invalidArgument('task is immutable: the system keeps it');
  return { task, tasks };
}

async function change(
  context: Context,
  { task, tasks }: FoundTask,
  news: Partial<TaskRow>,
  toItem: () => NewTimelineItem,
) {
  const after = { ...task, ...news, modified_at: Math.max(task.modified_at, toMicros(context.now)) };
  if (after.status === task.status && after.text === task.text && after.assigned_user_id === task.assigned_user_id) {
    return await toTaskAnswer(context, task, tasks);
  }
  await context.db
    .updateTable('task')
    .set({ ...news, modified_at: after.modified_at })
    .where('incident_id', '=', task.incident_id)
    .where('id', '=', task.id)
    .execute();
  await recordEvent(context, task.incident_id, { items: [toItem()] });
  return await toTaskAnswer(
    context,
    after,
    tasks.map(each => (each === task ? after : each)),
  );
}

function readUserID(member: string, userID: string): string {
  return userID.trim() === '' ? '' : readText(member, userID, maxUserID);
}

async function toTaskAnswer(context: Context, { incident_id, id }: TaskRow, tasks: readonly TaskRow[]) {
  const taskList = toTaskList(tasks, await findPeople(context, peopleOfTasks(tasks)));
  const task = taskList.tasks.find(each => each.taskID === id);
  if (!task) throw notFound('task', id);
  return { incidentID: String(incident_id), task, taskList, error: '' };
}
