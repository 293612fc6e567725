import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { maxTaskText, type Task, type TaskList, taskStatuses } from '../../../contract/tasks.ts';
import {
  defineIntent,
  type IncidentDeps,
  type IntentContext,
  toUndo,
  type Undo,
} from '../../incident/acts/intent-kind.ts';
import { type ChangesOfOne, madeAt, onlyFrom, refuseSetAgain, refuseUnless } from '../../incident/acts/only-from.ts';
import { apiClockSkew } from '../../incident/api/clock.ts';
import { Claimed, claimNotes } from '../../incident/notes/claim.ts';
import { mention, sentence } from '../../text/blocks.ts';
import { incidentSigns, signs, taskSigns } from '../../text/signs.ts';
import { secondsAfter } from '../../text/times.ts';
import { cap, stripControls } from '../../text/words.ts';
import { Assignee, bringIn, forWhom, tellFormerAssignee } from './assignee.ts';
import { Numbered, quoted, rowBelow } from './row.ts';

/** The members that name a task in a payload; `text` is its own, for receipts. */
export const address = { incidentID: z.string(), taskID: z.string(), text: z.string() };

/** A task's text as it is stored, or a sentence of plain text on what is wrong with it (docs/api-rules.md A9). */
export function checkTaskText(typed: string): { readonly text: string } | { readonly problem: string } {
  const text = stripControls(typed).trim();
  if (!/[^\s\p{Cf}]/u.test(text)) return { problem: 'Describe the task.' };
  if (text.length > maxTaskText) {
    return {
      problem: `A task has at most ${maxTaskText} characters, and this one has ${text.length}. Shorten it, and put the rest on the timeline.`,
    };
  }
  return { text };
}

/** The tasks of an incident with their numbers. */
export async function toNumbered(
  { taskNumbers }: Pick<IncidentDeps, 'taskNumbers'>,
  incidentID: string,
  { tasks }: TaskList,
): Promise<readonly Numbered[]> {
  const numbers = await taskNumbers.of(incidentID, tasks);
  return tasks.map(task => ({ task, number: numbers.get(task.taskID) ?? 0 }));
}

/** The result of a write of one task. */
async function toResult({ deps }: IntentContext, incidentID: string, task: Task, list: TaskList): Promise<Numbered> {
  const numbered = await toNumbered(deps, incidentID, list);
  return { task, number: numbered.find(each => each.task.taskID === task.taskID)?.number ?? 0 };
}

/** A change of a task that undoes another one. */
interface UndoingChange {
  readonly incidentID: string;
  readonly taskID: string;
  /** The value that must be current; undefined when it undoes nothing. */
  readonly only: string | undefined;
  readonly since: string | undefined;
  /** The value to have again. */
  readonly wanted: string;
  /** How a task, and an item of the timeline about it, name the value. */
  readonly toValue: (task: Task) => readonly [value: string, shown: string];
  readonly isAbout: NonNullable<ChangesOfOne['isAbout']>;
}

/** Throws an RpcError when the task has been changed since, so that no later change is undone. */
async function refuseChanged(
  context: IntentContext,
  { incidentID, taskID, only, since, wanted, toValue, isAbout }: UndoingChange,
): Promise<void> {
  if (only === undefined) return;
  const { incident } = await context.api.IncidentsService.GetIncident({ incidentID }, context.call);
  const task = incident.taskList.tasks.find(each => each.taskID === taskID);
  if (!task) throw new RpcError('not_found', 'the task was deleted', { maybeApplied: false });
  const [value, shown] = toValue(task);
  // An earlier attempt whose answer was lost has made the change.
  if (context.isAmbiguous && value === wanted) return;
  refuseUnless(value, only, shown);
  await refuseSetAgain(context, since, {
    incident,
    kinds: ['taskUpdated', 'taskCompleted'],
    isAbout: fieldValues => fieldValues.taskID === taskID && isAbout(fieldValues),
  });
}

/** What finding an added task needs. */
type FindContext = Pick<IntentContext, 'api' | 'call' | 'askedAt' | 'siblingResults'> & {
  readonly deps: Pick<IncidentDeps, 'taskNumbers'>;
};

/** The task of an earlier attempt whose answer was lost: of that text, and not older than the request. */
export async function findAdded(
  { api, call, deps, askedAt, siblingResults }: FindContext,
  { incidentID, text }: { incidentID: string; text: string },
): Promise<Numbered | undefined> {
  const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
  const taken = (await siblingResults()).map(each => Numbered.parse(each).task.taskID);
  const since = secondsAfter(askedAt, -apiClockSkew);
  return (await toNumbered(deps, incidentID, incident.taskList)).find(
    ({ task }) => task.text === text && new Date(task.createdTime) >= since && !taken.includes(task.taskID),
  );
}

/** Adds a task. `notice` is a sentence of mrkdwn on why nobody is assigned although a person was named, or `""`. */
export const addTask = defineIntent({
  kind: 'task.add',
  payload: z.object({
    incidentID: z.string(),
    text: z.string(),
    assignee: Assignee.nullable(),
    claimed: Claimed.optional(),
    notice: z.string(),
  }),
  result: Numbered,
  run: async (context, { incidentID, text, assignee }) => {
    const { api, call, deps } = context;
    const assignToUserID = assignee ? await deps.people.resolveUserID(assignee.userID, context) : '';
    const { task, taskList } = await api.TasksService.AddTask({ incidentID, text, assignToUserID }, call);
    await deps.people.learnAnswered(assignToUserID, task.assignedUser?.userID ?? '');
    return toResult(context, incidentID, task, taskList);
  },
  reconcile: (context, wish) => findAdded(context, wish),
  findTwin: async (context, wish, added) => {
    const siblingResults = async () => [...(await context.siblingResults()), added];
    const twin = await findAdded({ ...context, siblingResults }, wish);
    return (
      twin &&
      `The task ${quoted(wish.text)} is there twice, since an answer came late. \`/task delete ${twin.number}\` takes one off.`
    );
  },
  followUps: (_result, { incidentID, claimed }) => claimNotes(incidentID, claimed),
  mapTexts: (task, change) => ({ ...task, text: cap(change(task.text), maxTaskText) }),
  describe: ({ text }) => `add the task “${cap(text, 200)}”`,
  answer: {
    receipt: ({ task, number }, { assignee }, repeated) =>
      sentence(
        repeated
          ? `Task ${number} is on the list already: ${quoted(task.text)}. Nothing was added twice.`
          : `${signs.added} Task ${number}: ${quoted(task.text)}${forWhom(assignee)}.`,
      ),
    afterDone: (ctx, result, { incidentID, assignee, notice }) => bringIn(ctx, incidentID, assignee, result, notice),
    next: (ctx, added, { incidentID }) => rowBelow(ctx, incidentID, added),
  },
  room: {
    line: ({ task, number }, { assignee }, { by }) =>
      `${signs.added} ${by} added task ${number}: ${quoted(task.text)}${forWhom(assignee)}`,
  },
});

/** What a status is called in a sentence about one task. */
export const statusNames = { todo: 'to do', progress: 'in progress', done: 'done' } as const;

/** Marks a task as to do, in progress or done. */
export const setTaskStatus = defineIntent({
  kind: 'task.status',
  payload: z.object({
    ...address,
    status: z.enum(taskStatuses),
    was: z.enum(taskStatuses).optional(),
    only: onlyFrom,
    since: madeAt,
  }),
  result: Numbered,
  run: async (context, wish) => {
    const { incidentID, taskID, status } = wish;
    await refuseChanged(context, {
      ...{ incidentID, taskID, only: wish.only, since: wish.since, wanted: status },
      toValue: ({ status }) => [status, statusNames[status as keyof typeof statusNames] ?? status],
      isAbout: fields => fields.status !== undefined,
    });
    const { api, call } = context;
    const { task, taskList } = await api.TasksService.UpdateTaskStatus({ incidentID, taskID, status }, call);
    return toResult(context, incidentID, task, taskList);
  },
  undo: ({ task: { modifiedTime: since } }, { incidentID, taskID, text, status, was }): Undo | undefined =>
    was && toUndo(setTaskStatus, { incidentID, taskID, text, status: was, only: status, since }),
  room: {
    line: ({ task, number }, { status, was }, { by }) => {
      const what = {
        todo: `${incidentSigns.reopened} ${by} reopened`,
        progress: `${taskSigns.progress} ${by} started`,
        done: `${taskSigns.done} ${by} finished`,
      }[status];
      return status === was ? undefined : `${what} task ${number}: ${quoted(task.text)}`;
    },
  },
  describe: ({ text, status }) => `mark the task “${cap(text, 200)}” as ${statusNames[status]}`,
  answer: {
    receipt: ({ task, number }, { status }) => {
      const what = {
        todo: `${incidentSigns.reopened} Task ${number} is open again`,
        progress: `${taskSigns.progress} Task ${number} is in progress`,
        done: `${taskSigns.done} Task ${number} is done`,
      }[status];
      return sentence(`${what}: ${quoted(task.text)}.`);
    },
  },
});

/** Assigns a task to a person; `null` unassigns it. */
export const assignTask = defineIntent({
  kind: 'task.assign',
  payload: z.object({
    ...address,
    assignee: Assignee.nullable(),
    was: Assignee.nullable().optional(),
    /** In an undo: the person to whom it was given. */
    takenFrom: Assignee.nullable().optional(),
    only: onlyFrom,
    since: madeAt,
    claimed: Claimed.optional(),
  }),
  result: Numbered,
  run: async (context, { incidentID, taskID, assignee, only, since }) => {
    const { api, call, deps } = context;
    const userID = assignee ? await deps.people.resolveUserID(assignee.userID, context) : '';
    await refuseChanged(context, {
      ...{ incidentID, taskID, only, since, wanted: userID },
      toValue: ({ assignedUser }) => [
        assignedUser?.userID ?? '',
        assignedUser?.name || assignedUser?.userID || 'nobody',
      ],
      isAbout: fields => fields.userID !== undefined,
    });
    const { task, taskList } = await api.TasksService.UpdateTaskUser({ incidentID, taskID, userID }, call);
    await deps.people.learnAnswered(userID, task.assignedUser?.userID ?? '');
    return toResult(context, incidentID, task, taskList);
  },
  followUps: (_result, { incidentID, claimed }) => claimNotes(incidentID, claimed),
  undo: ({ task }, { incidentID, taskID, text, assignee, was }): Undo | undefined =>
    was === undefined
      ? undefined
      : toUndo(assignTask, {
          ...{ incidentID, taskID, text, assignee: was, takenFrom: assignee },
          ...{ only: task.assignedUser?.userID ?? '', since: task.modifiedTime },
        }),
  room: {
    line: ({ task, number }, { assignee, was }, { by, userId }) => {
      const what = `task ${number}: ${quoted(task.text)}`;
      if (!assignee && was?.slackUserID === userId) return `${signs.person} ${by} gave back ${what}. Nobody has it now`;
      if (!assignee) return was === null ? undefined : `${signs.person} ${by} unassigned ${what}`;
      if (was?.userID === assignee.userID) return undefined;
      return assignee.slackUserID === userId
        ? `${signs.person} ${by} took ${what}`
        : `${signs.person} ${by} gave ${mention(assignee.slackUserID)} ${what}`;
    },
  },
  describe: ({ text, assignee }) => `${assignee ? 'assign' : 'unassign'} the task “${cap(text, 200)}”`,
  answer: {
    receipt: ({ task, number }, { assignee }) =>
      sentence(
        assignee
          ? `${signs.person} Task ${number} is for ${mention(assignee.slackUserID)}: ${quoted(task.text)}.`
          : `Task ${number} is unassigned: ${quoted(task.text)}.`,
      ),
    afterDone: async (ctx, result, { incidentID, assignee, was, takenFrom }) => {
      const { task, number } = result;
      await tellFormerAssignee(ctx, incidentID, was ?? takenFrom, { text: task.text, number, now: assignee });
      return bringIn(ctx, incidentID, assignee, result);
    },
  },
});

/** Replaces a task's text; `text` is the one it had. */
export const editTask = defineIntent({
  kind: 'task.edit',
  payload: z.object({ ...address, newText: z.string(), only: onlyFrom, since: madeAt }),
  result: Numbered,
  run: async (context, { incidentID, taskID, newText, only, since }) => {
    await refuseChanged(context, {
      ...{ incidentID, taskID, only, since, wanted: newText },
      toValue: task => [task.text, cap(task.text, 100)],
      isAbout: fields => fields.status === undefined && fields.userID === undefined,
    });
    const { api, call } = context;
    const { task, taskList } = await api.TasksService.UpdateTaskText({ incidentID, taskID, text: newText }, call);
    return toResult(context, incidentID, task, taskList);
  },
  undo: ({ task: { modifiedTime: since } }, { incidentID, taskID, text, newText, only }): Undo | undefined =>
    only === undefined
      ? toUndo(editTask, { incidentID, taskID, text: newText, newText: text, only: newText, since })
      : undefined,
  mapTexts: (task, change) => ({ ...task, newText: cap(change(task.newText), maxTaskText) }),
  room: {
    line: ({ task, number }, _wish, { by }) => `${signs.changed} ${by} changed task ${number}: ${quoted(task.text)}`,
  },
  describe: ({ text }) => `change the task “${cap(text, 200)}”`,
  answer: {
    receipt: ({ task, number }) => sentence(`${signs.changed} Task ${number} now says: ${quoted(task.text, 500)}.`),
    next: (ctx, added, { incidentID }) => rowBelow(ctx, incidentID, added),
  },
});
