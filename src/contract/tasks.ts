import { z } from 'zod';
import { defineMethod } from './define.ts';
import {
  count,
  flag,
  list,
  open,
  orNull,
  requiredChoice,
  requiredText,
  response,
  text,
  UserPreview,
} from './fields.ts';

/** States of a task; any may follow any (docs/api-rules.md A9). */
export const taskStatuses = ['todo', 'progress', 'done'] as const;
/** One of {@link taskStatuses}. */
export type TaskStatus = (typeof taskStatuses)[number];

/** The most characters of a task's text (docs/api-rules.md A9). */
export const maxTaskText = 2000;
/** The most tasks of an incident (docs/api-rules.md A9). */
export const maxTasks = 1000;

/** A task of an incident; `authorUser` and `assignedUser` are null when there is nobody. */
export const Task = z.object({
  taskID: text(),
  text: text(),
  status: open(taskStatuses),
  authorUser: orNull(UserPreview),
  assignedUser: orNull(UserPreview),
  createdTime: text(),
  modifiedTime: text(),
  immutable: flag(),
});
/** A task of an incident. */
export type Task = z.output<typeof Task>;

/** The tasks of an incident in order of creation; `todoCount` counts all that are not done. */
export const TaskList = z.object({ tasks: list(Task), todoCount: count(), doneCount: count() });
/** The tasks of an incident. */
export type TaskList = z.output<typeof TaskList>;

const address = { incidentID: requiredText(), taskID: requiredText() };
const withTask = response({ incidentID: text(), task: Task, taskList: TaskList });

/** What has to be done during an incident (docs/incident-api.md, TasksService). */
export const TasksService = {
  AddTask: defineMethod({
    summary: `Add a task, optionally assigned. An incident has at most ${maxTasks}.`,
    effect: 'create',
    access: 'Editor',
    input: z.object({ incidentID: requiredText(), text: requiredText(), assignToUserID: text() }),
    output: withTask,
    errors: ['not_found'],
  }),
  DeleteTask: defineMethod({
    summary: 'Remove a task.',
    effect: 'create',
    access: 'Editor',
    input: z.object(address),
    output: response({ incidentID: text(), taskList: TaskList }),
    errors: ['not_found'],
  }),
  UpdateTaskStatus: defineMethod({
    summary: 'Mark a task as to do, in progress or done.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, status: requiredChoice(taskStatuses) }),
    output: withTask,
    errors: ['not_found'],
  }),
  UpdateTaskText: defineMethod({
    summary: 'Replace the text of a task.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, text: requiredText() }),
    output: withTask,
    errors: ['not_found'],
  }),
  UpdateTaskUser: defineMethod({
    summary: 'Assign a task; an empty userID clears it.',
    effect: 'set',
    access: 'Editor',
    input: z.object({ ...address, userID: text() }),
    output: withTask,
    errors: ['not_found'],
  }),
} as const;
