import { z } from 'zod';
import { defineMethod } from './define.ts';
import {
  count,
  flag,
  list,
  means,
  open,
  orNull,
  requiredChoice,
  requiredText,
  response,
  text,
  time,
  UserPreview,
} from './fields.ts';

/** States of a task; any may follow any (docs/api-rules.md A9). */
export const taskStatuses = ['todo', 'progress', 'done'] as const;
/** The most characters of a task's text (docs/api-rules.md A9). */
export const maxTaskText = 2000;
/** The most tasks of an incident (docs/api-rules.md A9). */
export const maxTasks = 1000;

/** A task of an incident; `authorUser` and `assignedUser` are null when there is no person. */
export const Task = z.object({
  taskID: means(text(), 'The id of the task, `task-<id>`; tasks of the system have words as ids.'),
  text: means(text(), 'What has to be done, of 1 to 2000 characters.'),
  status: means(open(taskStatuses), 'How far it is.'),
  authorUser: means(orNull(UserPreview), 'The person who added it; null when nobody did.'),
  assignedUser: means(orNull(UserPreview), 'The person who does it; null when nobody does.'),
  createdTime: means(time(), 'When it was added.'),
  modifiedTime: means(time(), 'When it was last changed.'),
  immutable: means(flag(), 'Whether it belongs to the system, so that no call changes it.'),
});
means(Task, 'A task of an incident. After a change: the task as it is now.');
export type Task = z.output<typeof Task>;

/** The tasks of an incident in order of creation; `todoCount` counts all that are not done. */
export const TaskList = z.object({
  tasks: means(list(Task), 'The tasks in the order in which they were added.'),
  todoCount: means(count(), 'How many are not done.'),
  doneCount: means(count(), 'How many are done.'),
});
means(TaskList, 'The tasks of an incident.');
export type TaskList = z.output<typeof TaskList>;

const address = {
  incidentID: means(requiredText(), 'The number of the incident, in digits.'),
  taskID: means(requiredText(), 'The id of the task.'),
};
const withTask = response({
  incidentID: means(text(), 'The number of the incident, in digits.'),
  task: Task,
  taskList: TaskList,
});

/** What has to be done during an incident (docs/incident-api.md, TasksService). */
export const TasksService = {
  AddTask: defineMethod({
    summary: `Add a task, optionally assigned. An incident has at most ${maxTasks}.`,
    effect: 'create',
    access: 'Editor',
    input: z.object({
      incidentID: means(requiredText(), 'The number of the incident, in digits.'),
      text: means(requiredText(), 'What has to be done, of 1 to 2000 characters.'),
      assignToUserID: means(text(), 'The id of the person who does it. Empty: nobody yet.'),
    }),
    output: withTask,
    errors: ['not_found'],
  }),
  DeleteTask: defineMethod({
    summary: 'Remove a task.',
    effect: 'create',
    access: 'Editor',
    input: z.object(address),
    output: response({ incidentID: means(text(), 'The number of the incident, in digits.'), taskList: TaskList }),
    errors: ['not_found'],
  }),
  UpdateTaskStatus: defineMethod({
    summary: 'Mark a task as to do, in progress or done.',
    effect: 'set',
    access: 'Editor',
    input: z.object({
      ...address,
      status: means(requiredChoice(taskStatuses), 'How far it is now; any status may follow any.'),
    }),
    output: withTask,
    errors: ['not_found'],
  }),
  UpdateTaskText: defineMethod({
    summary: 'Replace the text of a task.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, text: means(requiredText(), 'The new text, of 1 to 2000 characters.') }),
    output: withTask,
    errors: ['not_found'],
  }),
  UpdateTaskUser: defineMethod({
    summary: 'Assign a task; an empty userID clears it.',
    effect: 'set',
    access: 'Editor',
    input: z.object({
      ...address,
      userID: means(text(), 'The id of the person who does it. Empty: nobody does it any more.'),
    }),
    output: withTask,
    errors: ['not_found'],
  }),
} as const;
